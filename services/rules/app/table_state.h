// A table as its log makes it: the match, the clocks, who is held by a bot. Holds every card: it
// never leaves app/, views do (table_view.h).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/match.h"
#include "services/rules/app/attachment.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/next_deal.h"
#include "services/rules/app/table_config.h"

namespace tarot::rules_service {

// Clock moves in a row after which the bot keeps the seat until the player comes back.
inline constexpr int kStrikesToHold = 2;

struct SeatState {
  absl::Duration time_bank;  // What is left.
  int strikes = 0;           // Moves in a row that the clock made.

  bool held() const { return strikes >= kStrikesToHold; }
};

struct TableState {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  rules::Match match;
  int deal_revision = 0;             // The entry that dealt the current deal.
  dealing::Provenance provenance;    // Of the current deal. Secret until it is over.
  dealing::Commitment commitment{};  // Shown at once.
  // Nothing before the first deal of a table made before seeds were fixed ahead.
  std::optional<NextDeal> next;
  std::array<SeatState, rules::kPlayersMax> seats;
  Attachment encoded;  // Transport's: what goes over the wire of this state.
  // When the seat in turn began to think, or the last deal ended: by the log, when the last entry
  // was made; where it is hosted, when that was shown.
  absl::Time turn_start;

  rules::Seat SeatOf(PlayerId player) const;  // kNoSeat for a watcher.
  // True when the seat in turn is a bot's, or held by one.
  bool BotInTurn() const;
  // When the clock and the bank of the person in turn are spent; InfiniteFuture when none runs.
  absl::Time TurnExpireTime() const;
};

TableState NewTable(std::shared_ptr<const TableConfig> config);

// The fold: what `entry` makes of `state`. Refusals are those of the rules; anything else wrong
// with a stored entry is INTERNAL BUG. On an error `state` is unusable.
absl::Status Advance(TableState& state, const LogEntry& entry);

// The whole log, from the first entry on.
absl::StatusOr<TableState> Replay(std::shared_ptr<const TableConfig> config,
                                  const std::vector<LogEntry>& log);

}  // namespace tarot::rules_service
