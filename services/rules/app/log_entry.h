// One row of a table's log: the log is the table, everything else is a fold over it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/rules/action.h"

namespace tarot::rules_service {

// The numbers are stored: they never change.
enum class EventKind : std::uint8_t {
  kAction = 0,  // payload: rules::EncodeAction
  kDeal = 1,    // payload: dealing::EncodeDealStart; no seat
  kResume = 2,  // the player takes the seat back from the bot; no payload
  kNonce = 3,   // payload: what the seat adds to the next deal's seed
};

// Who decided.
enum class Actor : std::uint8_t {
  kPlayer = 0,
  kBot = 1,     // A bot's own seat, or one that a bot holds.
  kClock = 2,   // A bot, because the clock and the bank of a person were spent.
  kServer = 3,  // Deals.
};

struct LogEntry {
  int revision = 0;  // From 1, without gaps.
  RequestId request;
  EventKind kind = EventKind::kAction;
  Actor actor = Actor::kPlayer;
  rules::Seat seat = rules::kNoSeat;
  std::string payload;
  absl::Duration elapsed;  // How long the seat thought; clocks are a fold over it.
  absl::Time create_time;
};

}  // namespace tarot::rules_service
