// Replays a table's log and computes the view that each seat must have seen at each revision.
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

inline constexpr std::size_t kViewers = rules::kPlayersMax + 1;  // The seats, then a watcher.

// Returns a hash of a view. Equal views have equal hashes. Values that depend on the server's clock
// do not count.
std::uint64_t FingerprintOf(rules::v1::Table view);

// Returns every card that a view shows. The called card and the cards that may be called do not
// count, because they do not show which seat holds them.
rules::CardSet CardsIn(const rules::v1::Table& view);

// The table after one log entry. The arrays are indexed by viewer: the seats, then a watcher.
struct Moment {
  std::array<std::uint64_t, kViewers> prints{};
  std::array<rules::CardSet, kViewers> known;
  std::array<rules::CardSet, kViewers> hands;
  int decided_revision = 0;  // The revision of the last entry that is no nonce, phrase or mute.
  // Says for each deal so far whether its seed is public. The seeds of later deals are secret.
  std::vector<bool> seeds_public;
};

struct Expected {
  std::vector<Moment> moments;  // By revision, from 0: the table before its first entry.
  // The seeds, in the order of the deals. The last seed belongs to the next deal.
  std::vector<dealing::DealSeed> seeds;
  std::map<RequestId, const rules_service::LogEntry*> requests;  // Entries by request id.
  // The requests that are stored twice, and the first illegal entry. Replay() stops at this entry.
  std::vector<std::string> faults;
  bool finished = false;
};

// `stored` must outlive the result.
Expected Replay(const rules_service::StoredTable& stored);

}  // namespace tarot::check
