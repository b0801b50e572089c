// A table as its log makes it: the match, the clocks, the seats held by bots, the next deal. A
// state holds every card, so it never leaves the service; a TableView shows what one seat may see
// of it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/dealing/deal_start.h"
#include "libs/rules/match.h"
#include "libs/rules/view.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"

namespace tarot::rules_service {

// After so many moves by the clock in a row, a bot holds the seat until the player comes back.
inline constexpr int kStrikesToHold = 2;

struct SeatState {
  absl::Duration time_bank;  // The rest of the bank.
  int strikes = 0;           // Moves in a row that the clock made.

  bool held() const { return strikes >= kStrikesToHold; }
};

// The deal to come: its seed, fixed before any player can add a nonce to it, and those nonces.
struct NextDeal {
  dealing::DealSeed seed{};          // Secret until that deal is over.
  dealing::Commitment commitment{};  // Shown before the first nonce.
  dealing::Nonces nonces;            // By seat; shown at once, because the seed is a secret.
};

// Immutable once it is published: a change copies it, so what is large and changes seldom is
// shared. Two states of one revision may differ in `turn_start`: clocks start anew after an outage.
struct TableState {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  rules::Match match;
  int deal_revision = 0;  // The entry that dealt the current deal.
  // The start of the current deal; null before the first. Its provenance is secret until the deal
  // is over.
  std::shared_ptr<const dealing::DealStart> start;
  dealing::Commitment commitment{};  // The current deal's; shown at once.
  // Null before the first deal of a table made before seeds were fixed ahead.
  std::shared_ptr<const NextDeal> next;
  std::array<SeatState, rules::kPlayersMax> seats;
  // When the seat in turn began to think, or the last deal ended: by the log the time of the last
  // entry, at the table's host the time when that entry was shown.
  absl::Time turn_start;

  rules::Seat SeatOf(PlayerId player) const;  // kNoSeat for a watcher.
  // Returns true when a bot sits in the seat in turn or holds it.
  bool BotInTurn() const;
  // Returns when the move limit and the bank of the player in turn are spent; InfiniteFuture when
  // no clock runs.
  absl::Time TurnExpireTime() const;
};

TableState NewTable(std::shared_ptr<const TableConfig> config);

// The fold: applies `entry` to `state`. Refusals are those of the rules and NONCE_REFUSED; every
// other fault of an entry is INTERNAL BUG. After an error `state` is unusable.
absl::Status Advance(TableState& state, const LogEntry& entry);

// Folds the whole log, from the first entry on.
absl::StatusOr<TableState> Replay(std::shared_ptr<const TableConfig> config,
                                  const std::vector<LogEntry>& log);

NextDeal NextDealOf(const dealing::DealSeed& seed);

// Returns the start of the next deal of `match`. `seed` is the seed of the deal after it.
dealing::DealStart StartOf(const rules::Match& match, const NextDeal& next,
                           const dealing::DealSeed& seed);

enum class TablePhase { kDealing, kPlaying, kFinished };

// One table as one seat, or a watcher, may see it.
struct TableView {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  TablePhase phase = TablePhase::kDealing;
  rules::Seat viewer = rules::kNoSeat;
  int deals_scored = 0;
  int deal_number = 0;
  std::array<int, rules::kPlayersMax> totals{};
  std::array<SeatState, rules::kPlayersMax> seats;
  std::optional<rules::View> deal;  // Nothing before the first deal.
  dealing::Commitment commitment{};
  absl::Time turn_expire_time;
  // The next deal's; both empty once the match is over.
  std::optional<dealing::Commitment> next_commitment;
  dealing::Nonces next_nonces;
};

TableView MakeTableView(const TableState& state, rules::Seat viewer);

}  // namespace tarot::rules_service
