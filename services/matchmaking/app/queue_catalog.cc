#include "services/matchmaking/app/queue_catalog.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/app/match_terms.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

using error::FieldInvalid;

// Returns true for the id of a queue and the name of a region: 1 to `bytes_max` lower-case letters,
// digits or hyphens.
bool IsName(const std::string& name, std::size_t bytes_max) {
  return !name.empty() && name.size() <= bytes_max &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
         });
}

bool IsDisplayName(const std::string& name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.find('\0') == std::string::npos;
}

absl::Status CheckQueue(const Queue& queue, const std::string& path) {
  if (!IsName(queue.id, kQueueIdBytesMax)) {
    return FieldInvalid(path + ".name", absl::StrCat("must be queues/ and 1 to ", kQueueIdBytesMax,
                                                     " lower-case letters, digits or hyphens"));
  }
  if (!IsDisplayName(queue.display_name)) {
    return FieldInvalid(path + ".display_name",
                        absl::StrCat("must have 1 to ", kNameBytesMax, " bytes"));
  }
  const MatchTerms& terms = queue.terms;
  TAROT_RETURN_IF_ERROR(CheckTerms(terms, queue.player_count,
                                   {.move_limit_max = kClockMax, .time_bank_max = kClockMax},
                                   path + "."));
  if (!IsSeconds(queue.bot_fill_delay, absl::ZeroDuration(), kClockMax)) {
    return FieldInvalid(path + ".bot_fill_delay", "must be whole seconds, at most 1 day");
  }
  if (terms.ranked && queue.bot_fill_delay > absl::ZeroDuration()) {
    return FieldInvalid(path + ".bot_fill_delay", "must be unset for a ranked queue");
  }
  if (queue.required_matches < 0 || queue.required_matches > kRequiredMatchesMax) {
    return FieldInvalid(path + ".required_matches",
                        absl::StrCat("must be at most ", kRequiredMatchesMax));
  }
  if (!terms.ranked && queue.required_matches > 0) {
    return FieldInvalid(path + ".required_matches", "must be unset for a casual queue");
  }
  return absl::OkStatus();
}

absl::Status CheckBots(const std::vector<Bot>& bots) {
  std::set<PlayerId> players;
  std::set<std::string> names;
  for (std::size_t i = 0; i < bots.size(); ++i) {
    const Bot& bot = bots[i];
    const std::string path = absl::StrCat("bots[", i, "]");
    if (bot.player.empty() || !players.insert(bot.player).second) {
      return FieldInvalid(path + ".player", "must be set, and must appear only once in the file");
    }
    if (!IsDisplayName(bot.display_name) || !names.insert(bot.display_name).second) {
      return FieldInvalid(path + ".display_name",
                          absl::StrCat("must have 1 to ", kNameBytesMax,
                                       " bytes, and must appear only once in the file"));
    }
    if (bot.level != "novice" && bot.level != "club" && bot.level != "strong") {
      return FieldInvalid(path + ".level", "must be novice, club or strong");
    }
  }
  return absl::OkStatus();
}

constexpr char kRegionRule[] = "must be 1 to 16 lower-case letters, digits or hyphens";

absl::Status CheckRoundTrips(const std::vector<RoundTrip>& trips) {
  if (trips.size() > kRoundTripsMax) {
    return FieldInvalid("round_trips", absl::StrCat("must have at most ", kRoundTripsMax, " rows"));
  }
  std::set<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < trips.size(); ++i) {
    const RoundTrip& trip = trips[i];
    const std::string path = absl::StrCat("round_trips[", i, "]");
    if (!IsName(trip.region, kRegionBytesMax)) {
      return FieldInvalid(path + ".region", kRegionRule);
    }
    if (!IsName(trip.other_region, kRegionBytesMax) || trip.other_region == trip.region) {
      return FieldInvalid(path + ".other_region", "must be another region of the same form");
    }
    if (!pairs.insert(std::minmax(trip.region, trip.other_region)).second) {
      return FieldInvalid(path, "must appear only once in the file, in one of the two directions");
    }
    if (trip.milliseconds < 1 || trip.milliseconds > kRoundTripMaxMs) {
      return FieldInvalid(path + ".milliseconds", absl::StrCat("must be 1 to ", kRoundTripMaxMs));
    }
  }
  return absl::OkStatus();
}

std::string Describe(const Queue& queue) {
  const MatchTerms& terms = queue.terms;
  return absl::StrCat("\"", queue.display_name, "\", ", queue.player_count, " players, ",
                      terms.rule_set, ", ", terms.deal_count, " deals, move limit ",
                      absl::FormatDuration(terms.move_limit), ", time bank ",
                      absl::FormatDuration(terms.time_bank), terms.ranked ? ", ranked" : ", casual",
                      ", bots after ", absl::FormatDuration(queue.bot_fill_delay), ", after ",
                      queue.required_matches, " matches");
}

// `before` and `after` map names to descriptions. For each name that was added or removed, or that
// has a new description, appends one line to `changes`.
void Compare(const std::map<std::string, std::string>& before,
             const std::map<std::string, std::string>& after, std::vector<std::string>& changes) {
  for (const auto& [name, text] : after) {
    const auto old = before.find(name);
    if (old == before.end()) {
      changes.push_back(absl::StrCat(name, ": new: ", text));
    } else if (old->second != text) {
      changes.push_back(absl::StrCat(name, ": ", old->second, " -> ", text));
    }
  }
  for (const auto& [name, text] : before) {
    if (!after.contains(name)) changes.push_back(absl::StrCat(name, ": removed"));
  }
}

}  // namespace

absl::Status CheckCatalog(const Catalog& catalog, std::size_t population_size) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < catalog.queues.size(); ++i) {
    const std::string path = absl::StrCat("queues[", i, "]");
    TAROT_RETURN_IF_ERROR(CheckQueue(catalog.queues[i], path));
    if (!ids.insert(catalog.queues[i].id).second) {
      return FieldInvalid(path + ".name", "must appear only once in the file");
    }
  }
  TAROT_RETURN_IF_ERROR(CheckBots(catalog.bots));
  TAROT_RETURN_IF_ERROR(CheckRoundTrips(catalog.round_trips));
  if (catalog.bots.size() < population_size) {
    return FieldInvalid("bots", absl::StrCat("must have at least ", population_size,
                                             " bots, the population of this service"));
  }
  const std::size_t fillers = Fillers(catalog.bots, population_size).size();
  for (std::size_t i = 0; i < catalog.queues.size(); ++i) {
    const Queue& queue = catalog.queues[i];
    if (queue.bot_fill_delay > absl::ZeroDuration() &&
        fillers + 1 < static_cast<std::size_t>(queue.player_count)) {
      return FieldInvalid(
          absl::StrCat("queues[", i, "].bot_fill_delay"),
          absl::StrCat("must be unset: only ", fillers, " strong bots are left to fill ", queue.id,
                       " beside a population of ", population_size));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> DescribeChanges(const Catalog& before, const Catalog& after) {
  std::vector<std::string> changes;
  const auto queues = [](const Catalog& catalog) {
    std::map<std::string, std::string> result;
    for (const Queue& queue : catalog.queues) result["queues/" + queue.id] = Describe(queue);
    return result;
  };
  const auto bots = [](const Catalog& catalog) {
    std::map<std::string, std::string> result;
    for (std::size_t i = 0; i < catalog.bots.size(); ++i) {
      const Bot& bot = catalog.bots[i];
      result["players/" + bot.player.ToString()] =
          absl::StrCat("bot ", i + 1, ", ", bot.display_name, ", ", bot.level);
    }
    return result;
  };
  const auto round_trips = [](const Catalog& catalog) {
    std::map<std::string, std::string> result;
    for (const RoundTrip& trip : catalog.round_trips) {
      const auto& [a, b] = std::minmax(trip.region, trip.other_region);
      result[absl::StrCat("round trip ", a, " ", b)] = absl::StrCat(trip.milliseconds, " ms");
    }
    return result;
  };
  Compare(queues(before), queues(after), changes);
  Compare(bots(before), bots(after), changes);
  Compare(round_trips(before), round_trips(after), changes);
  return changes;
}

std::vector<Bot> Population(absl::Span<const Bot> roster, std::size_t population_size) {
  roster = roster.first(std::min(population_size, roster.size()));
  return {roster.begin(), roster.end()};
}

std::vector<Bot> Fillers(absl::Span<const Bot> roster, std::size_t population_size) {
  roster.remove_prefix(std::min(population_size, roster.size()));
  std::vector<Bot> fillers(roster.begin(), roster.end());
  std::erase_if(fillers, [](const Bot& bot) { return !SitsWithPeople(bot.level); });
  return fillers;
}

std::shared_ptr<const Catalog> QueueCatalog::Get() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

absl::Status QueueCatalog::Refresh() {
  TAROT_ASSIGN_OR_RETURN(Catalog catalog, store_.ReadCatalog());
  const bool empty = catalog.queues.empty() && catalog.bots.empty();
  if (!empty) TAROT_RETURN_IF_ERROR(CheckCatalog(catalog, PopulationOf(catalog)));
  const std::lock_guard lock(mutex_);
  if (catalog != *current_) current_ = std::make_shared<const Catalog>(std::move(catalog));
  return absl::OkStatus();
}

absl::Status QueueCatalog::RefreshAtMostOncePerSecond(absl::Time now) {
  // If two threads call this function at once, the second thread waits here until the first thread
  // has read the catalog. Then the second thread does not read the catalog again.
  const std::lock_guard lock(refresh_mutex_);
  if (absl::AbsDuration(now - refreshed_) < absl::Seconds(1)) return absl::OkStatus();
  TAROT_RETURN_IF_ERROR(Refresh());
  refreshed_ = now;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> QueueCatalog::Apply(const Catalog& catalog) {
  if (catalog.queues.empty()) return FieldInvalid("queues", "must not be empty");
  TAROT_ASSIGN_OR_RETURN(const Catalog before, store_.ReadCatalog());
  TAROT_RETURN_IF_ERROR(CheckCatalog(catalog, PopulationOf(before)));
  TAROT_ASSIGN_OR_RETURN(const std::vector<std::string> closed, store_.ListClosedQueues());
  Catalog open = catalog;
  std::vector<std::string> stay_closed;
  for (const std::string& id : closed) {
    const auto is_closed = [&](const Queue& queue) { return queue.id == id; };
    if (std::erase_if(open.queues, is_closed) == 0) continue;
    stay_closed.push_back(
        absl::StrCat("queues/", id, ": stays closed, because an operator has closed it"));
  }
  std::vector<std::string> changes = DescribeChanges(before, open);
  // If there are closed queues, the catalog is always written. The reason: `before` does not have
  // the closed queues, so `changes` would not show a change of their terms.
  if (!changes.empty() || !closed.empty()) TAROT_RETURN_IF_ERROR(store_.WriteCatalog(catalog));
  changes.insert(changes.end(), stay_closed.begin(), stay_closed.end());
  TAROT_RETURN_IF_ERROR(Refresh());
  return changes;
}

absl::StatusOr<int> QueueCatalog::SetPopulation(int population) {
  TAROT_ASSIGN_OR_RETURN(const Catalog before, store_.ReadCatalog());
  if (population < 0 || population > kPopulationMax) {
    return FieldInvalid("population", absl::StrCat("must be 0 to ", kPopulationMax));
  }
  TAROT_RETURN_IF_ERROR(CheckCatalog(before, static_cast<std::size_t>(population)));
  TAROT_RETURN_IF_ERROR(store_.SetPopulation(population));
  TAROT_RETURN_IF_ERROR(Refresh());
  return static_cast<int>(PopulationOf(before));
}

bool QueueCatalog::IsBot(PlayerId player) const {
  const std::vector<Bot> bots = RoomBots();
  const auto is_player = [player](const Bot& bot) { return bot.player == player; };
  const std::shared_ptr<const Catalog> catalog = Get();
  return std::any_of(bots.begin(), bots.end(), is_player) ||
         std::any_of(catalog->bots.begin(), catalog->bots.end(), is_player);
}

}  // namespace tarot::matchmaking_service
