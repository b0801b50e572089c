// What leaves app/: one table as one seat, or a watcher, may see it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libs/rules/view.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {

enum class TablePhase { kDealing, kPlaying, kFinished };

struct TableView {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  TablePhase phase = TablePhase::kDealing;
  rules::Seat viewer = rules::kNoSeat;
  int deals_scored = 0;
  int deal_number = 0;
  std::array<int, rules::kPlayersMax> totals{};
  std::array<SeatState, rules::kPlayersMax> seats;
  std::optional<rules::View> deal;  // Absent before the first.
  dealing::Commitment commitment{};
  absl::Time turn_expire_time;
  // Of the next deal; both empty once the match is over.
  std::optional<dealing::Commitment> next_commitment;
  dealing::Nonces next_nonces;
};

TableView MakeTableView(const TableState& state, rules::Seat viewer);

}  // namespace tarot::rules_service
