// RatingStore on Postgres, schema `ratings`.
#pragma once

#include <string>
#include <vector>

#include "libs/pg/pool.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

class PgRatingStore final : public RatingStore {
 public:
  // The schema must be there: pg::Migrate(dsn, "ratings", Migrations()).
  PgRatingStore(const std::string& dsn, int connections, prometheus::Registry& registry);

  absl::StatusOr<Recorded> Record(const MatchResult& match, Rater rate) override;
  absl::StatusOr<std::vector<Place>> GetPlaces(int player_count, const PlaceRule& rule,
                                               absl::Span<const PlayerId> players) override;
  absl::StatusOr<std::vector<Place>> ListPlaces(const PlacesQuery& query) override;
  absl::StatusOr<std::vector<Change>> ListChanges(int player_count, PlayerId player,
                                                  std::int64_t before, int limit) override;
  absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) override;
  absl::StatusOr<std::int64_t> CountPlayers() override;

 private:
  pg::Pool pool_;
};

}  // namespace tarot::ratings
