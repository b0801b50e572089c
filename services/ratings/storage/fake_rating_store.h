// RatingStore in memory, for tests and simulation.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

// Same contract as PgRatingStore; tests/integration/rating_store_contract.h checks both.
class FakeRatingStore : public RatingStore {
 public:
  absl::StatusOr<Recorded> Record(const MatchResult& match, Rater rate) override;
  absl::StatusOr<std::vector<Place>> GetPlaces(int player_count, const PlaceRule& rule,
                                               absl::Span<const PlayerId> players) override;
  absl::StatusOr<std::vector<Place>> ListPlaces(const PlacesQuery& query) override;
  absl::StatusOr<std::vector<Change>> ListChanges(int player_count, PlayerId player,
                                                  std::int64_t before, int limit) override;
  absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) override;
  absl::StatusOr<std::int64_t> CountPlayers() override;

 private:
  struct Person {
    std::string display_name;
    bool bot = false;
  };

  Standing Find(int player_count, PlayerId player) const;
  std::vector<Place> Sorted(int player_count, const PlaceRule& rule) const;  // Best first.

  std::mutex mutex_;
  std::map<PlayerId, Person> people_;
  std::map<std::pair<int, PlayerId>, Standing> standings_;
  std::vector<LedgerMatch> ledger_;  // Sequence is the index plus one.
};

}  // namespace tarot::ratings
