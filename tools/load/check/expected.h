// A table's log, replayed: what every view of it must have been.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libs/rules/cards.h"
#include "services/rules/app/table_store.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::check {

inline constexpr std::size_t kViewers = rules::kPlayersMax + 1;  // The last one: a watcher.

// What matters of a view, without what follows from the server's clock: equal views, equal prints.
std::uint64_t FingerprintOf(rules::v1::Table view);

// Every card that a view shows, wherever it shows it. Names of cards that may be called, or were,
// tell nothing of where they are.
rules::CardSet CardsIn(const rules::v1::Table& view);

// The table after one entry of the log.
struct Moment {
  std::array<std::uint64_t, kViewers> prints{};
  std::array<rules::CardSet, kViewers> known;
  std::array<rules::CardSet, kViewers> hands;
  int seeds_public = 0;  // How many of Expected::seeds the players may know.
};

struct Expected {
  std::vector<Moment> moments;           // By revision; the first is the new table.
  std::vector<dealing::DealSeed> seeds;  // In order of the deals, the last one of a deal to come.
  std::map<RequestId, const rules_service::LogEntry*> requests;  // Of the log.
  std::vector<std::string> faults;  // Of the log itself: gaps, repeats, what the rules refuse.
  bool finished = false;
};

// `stored` must outlive the answer.
Expected Replay(const rules_service::StoredTable& stored);

}  // namespace tarot::check
