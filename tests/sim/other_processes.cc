#include "tests/sim/other_processes.h"

#include <cmath>
#include <utility>

#include "libs/cluster/rendezvous.h"
#include "services/rules/app/finished_deals.h"
#include "tests/sim/calls.h"
#include "tests/sim/rules_process.h"

namespace tarot::sim {
namespace {

constexpr absl::Duration kCreateTimeout = absl::Seconds(3);
constexpr absl::Duration kRatingsTimeout = absl::Milliseconds(800);
constexpr absl::Duration kMatchEndTimeout = absl::Seconds(2);
constexpr double kPlaceDeviationMax = 110;

void IgnoreReport(absl::string_view, const absl::Status&) {}

}  // namespace

RatingsProcess::RatingsProcess(Life& life, Cluster& cluster)
    : workers(life, 2, 64, Pool::Dead::kDrop),
      seasons(*cluster.rating_store, life),
      service(*cluster.rating_store, seasons, life, metrics, kPlaceDeviationMax) {}

// The process makes a separate call for each table. So the network can lose the call of one table
// and deliver the call of another table.
void SimTableClient::CreateTables(const std::vector<matchmaking_service::PlannedTable>& tables,
                                  Done done) {
  for (const matchmaking_service::PlannedTable& table : tables) CreateTable(table, done);
}

void SimTableClient::CreateTable(const matchmaking_service::PlannedTable& table, const Done& done) {
  rules_service::TableConfig config{.id = table.id,
                                    .rule_set = table.terms.rule_set,
                                    .rules = rules::FindRuleSet(table.terms.rule_set)->rules,
                                    .deal_count = table.terms.deal_count,
                                    .move_limit = table.terms.move_limit,
                                    .time_bank = table.terms.time_bank,
                                    .ranked = table.terms.ranked,
                                    .take_back = table.terms.take_back,
                                    .breaks = table.terms.breaks};
  for (const matchmaking_service::PlannedSeat& seat : table.seats) {
    config.seats.push_back({seat.player, seat.display_name, seat.bot_level});
  }
  const auto serve = [config](RulesProcess& rules, const Reply<sim::Done>& reply) {
    StatusReply(reply)(rules.tables.Create(config).status());
  };
  Call<sim::Done>(cluster_.network, life_, cluster_.AnyOf(cluster_.rules), kCreateTimeout,
                  AtHost<sim::Done>(cluster_, table.id, serve),
                  StatusDone([done, id = table.id](const absl::Status& status) {
                    done({{id, status}});
                  }));
}

void SimRatingClient::GetRatings(const std::vector<PlayerId>& players, int player_count,
                                 Done done) {
  using Answer = matchmaking_service::Ratings;
  const auto serve = [players, player_count](RatingsProcess& process, const Reply<Answer>& reply) {
    const absl::StatusOr<ratings_service::RatingList> list =
        process.service.GetRatings(player_count, players);
    if (!list.ok()) return reply(list.status());
    Answer answer;
    for (const ratings_service::ShownRating& shown : list->ratings) {
      answer[shown.standing.player] = static_cast<int>(std::lround(shown.rating));
    }
    reply(std::move(answer));
  };
  Call<Answer>(cluster_.network, life_, cluster_.AnyOf(cluster_.ratings), kRatingsTimeout,
               OnWorker<RatingsProcess, Answer>(serve), std::move(done));
}

absl::StatusOr<std::optional<std::vector<PlayerId>>> SimMatchEnds::FindLeftPlayers(TableId table) {
  using Answer = std::optional<std::vector<PlayerId>>;
  const auto serve = [table, sabotage = cluster_.options.sabotage](RulesProcess& rules,
                                                                   const Reply<Answer>& reply) {
    if (sabotage == Sabotage::kAlwaysOver) return reply(Answer(std::in_place));
    if (sabotage == Sabotage::kNeverOver) return reply(Answer());
    reply(rules_service::FindMatchEnd(rules.store, table));
  };
  absl::StatusOr<Answer> end =
      CallAndWait<Answer>(cluster_.network, life_, cluster_.AnyOf(cluster_.rules), kMatchEndTimeout,
                          OnWorker<RulesProcess, Answer>(serve));
  if (end.ok() && end->has_value()) ++cluster_.ends_found;
  return end;
}

MatchmakingProcess::MatchmakingProcess(Life& life, Cluster& cluster)
    : store(*cluster.ticket_store),
      tables(life, cluster),
      ratings(life, cluster),
      match_ends(life, cluster),
      heartbeats(life, 1, 4, Pool::Dead::kDrop),
      members(cluster.matchmaking_members, heartbeats, life, life, life.node().name, life.NewUuid(),
              {.on_heartbeat = [](const cluster::HeartbeatNews&) {},
               .on_failed = [](const absl::Status&) {}}),
      hosts([this](const std::string& key) {
        // Decides in the same way as Replica::Hosts of the real service.
        return members.Fresh() && cluster::HostOf(key, *members.Current()) == members.address();
      }),
      background(life, 1, 4096, Pool::Dead::kDrop),
      workers(life, 4, 64, Pool::Dead::kDrop),
      executor(life, background),
      catalog(store, static_cast<std::size_t>(cluster.population)),
      lobby(life),
      placer(life, executor, store, tables, cells, lobby, metrics, IgnoreReport, hosts),
      waves(life, executor, life, store, ratings, placer, cells, lobby, metrics, IgnoreReport,
            hosts, catalog),
      population(life, executor, life, store, IgnoreReport, hosts, catalog),
      tickets(life, life, store, lobby, catalog, match_ends) {
  life.Spawn([this, &life] {
    // In the real service main() ends the process when the start fails, and the supervisor starts
    // it again.
    if (!catalog.Refresh().ok() || !members.Start().ok()) return life.node().Crash();
    waves.Start();
    population.Start();
  });
}

}  // namespace tarot::sim
