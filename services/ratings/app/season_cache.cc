#include "services/ratings/app/season_cache.h"

#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {

absl::StatusOr<std::shared_ptr<const Seasons>> SeasonCache::Read() {
  TAROT_ASSIGN_OR_RETURN(std::vector<Season> read, store_.ReadSeasons());
  auto seasons = std::make_shared<Seasons>();
  for (Season& season : read) {
    const std::pair key(season.numbers.player_count, season.number);
    (*seasons)[key] = std::move(season);
  }
  const std::lock_guard lock(mutex_);
  read_time_ = clock_.Now();
  // Another read may have begun later and ended earlier. Seasons are never removed, so the longer
  // of the two lists is newer.
  if (seasons->size() >= seasons_->size()) seasons_ = seasons;
  return seasons;
}

std::shared_ptr<const Seasons> SeasonCache::Recent() {
  bool old = false;
  {
    const std::lock_guard lock(mutex_);
    old = read_time_ + kSeasonsKept < clock_.Now();
  }
  if (old) (void)Read();  // If a read fails, the seasons that are known already stay in use.
  const std::lock_guard lock(mutex_);
  return seasons_;
}

rating::Model SeasonCache::ModelNow(int player_count) {
  const std::shared_ptr<const Seasons> seasons = Recent();
  const Season* const newest = NewestSeason(*seasons, player_count);
  return newest == nullptr ? rating::Model::ForTable(player_count) : newest->model();
}

}  // namespace tarot::ratings_service
