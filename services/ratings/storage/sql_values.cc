#include "services/ratings/storage/sql_values.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tarot::ratings_service {

std::string Timestamp(absl::Time time) {
  if (time == absl::InfiniteFuture()) return "infinity";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S+00:00", time, absl::UTCTimeZone());
}

std::string DoubleText(double value) { return absl::StrFormat("%.17g", value); }

std::string DoublesText(absl::Span<const double> values) {
  const auto append = [](std::string* out, double value) { out->append(DoubleText(value)); };
  return absl::StrCat("{", absl::StrJoin(values, ",", append), "}");
}

std::string UuidArray(absl::Span<const PlayerId> players) {
  return ArrayOf(players, [](PlayerId player) { return player.ToString(); });
}

Standing StandingOf(const pqxx::row& row) {
  return {.player = IdOf<PlayerId>(row["player_id"]),
          .skill = SkillOf(row["mu"], row["variance"]),
          .match_count = row["match_count"].as<int>(),
          .void_count = row["void_count"].as<int>(),
          .update_time = TimeOf(row["update_micros"])};
}

}  // namespace tarot::ratings_service
