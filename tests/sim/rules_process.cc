#include "tests/sim/rules_process.h"

#include "libs/rules/parameters/parameters.h"
#include "tests/sim/other_processes.h"

namespace tarot::sim {
namespace {

constexpr absl::Duration kBotTimeout = absl::Seconds(2);
constexpr absl::Duration kSinkTimeout = absl::Seconds(5);
// With this budget the search reaches every branch of its code, at little cost.
constexpr std::uint64_t kBotNodes = 200;

// The clock of the planted fault kChargeOutage. It says that the server has always run, so tables
// charge players for outages.
class NoClock final : public Clock {
 public:
  absl::Time Now() override { return absl::InfinitePast(); }
};

Clock& ClockOf(Life& life, Sabotage sabotage) {
  static NoClock none;
  if (sabotage == Sabotage::kChargeOutage) return none;
  return life;
}

}  // namespace

void SimBotClient::Choose(const rules_service::BotQuestion& question,
                          absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) {
  const auto serve = [question](BotProcess& bot, const Reply<rules::Action>& reply) {
    const absl::StatusOr<ai::Decision> decision = bot.chooser.Choose({.view = question.view,
                                                                      .level = question.level,
                                                                      .seed = question.seed,
                                                                      .node_budget = kBotNodes});
    if (!decision.ok()) return reply(decision.status());
    reply(decision->action);
  };
  Call<rules::Action>(cluster_.network, life_, cluster_.AnyOf(cluster_.bots), kBotTimeout,
                      OnWorker<BotProcess, rules::Action>(serve), std::move(done));
}

void SimRatingSink::Deliver(const rules_service::OutboxItem& item,
                            const std::vector<rules_service::FinishedDeal>& deals,
                            absl::AnyInvocable<void(absl::Status)> done) {
  ratings_service::MatchResult match{.table = item.config.id,
                                     .deal_count = item.end.deals_scored,
                                     .match_time = item.finish_time,
                                     .rated = item.config.ranked};
  for (std::size_t seat = 0; seat < item.config.seats.size(); ++seat) {
    const rules_service::SeatConfig& config = item.config.seats[seat];
    match.players.push_back({.player = config.player,
                             .display_name = config.display_name,
                             .bot = config.bot(),
                             .total = item.end.totals[seat]});
  }
  if (!deals.empty()) match.rule_values = rules::EncodeRuleSet(item.config.rules);
  for (const rules_service::FinishedDeal& deal : deals) {
    using ratings_service::DealOutcome;
    match.deals.push_back({.number = deal.number,
                           .dealer = deal.dealer,
                           .pack = deal.pack,
                           .outcome = deal.outcome == rules::Outcome::kScored ? DealOutcome::kScored
                                      : deal.outcome == rules::Outcome::kVoided
                                          ? DealOutcome::kVoided
                                          : DealOutcome::kNotPlayed,
                           .scores = deal.scores,
                           .stand_ins = {deal.stand_ins.begin(), deal.stand_ins.end()}});
  }
  const auto serve = [match](RatingsProcess& ratings, const Reply<Done>& reply) {
    ratings.service.RecordMatch(match, [answer = StatusReply(reply)](absl::StatusOr<bool> stored) {
      answer(stored.status());
    });
  };
  Call<Done>(cluster_.network, life_, cluster_.AnyOf(cluster_.ratings), kSinkTimeout,
             OnWorker<RatingsProcess, Done>(serve), StatusDone(std::move(done)));
}

void SimMatchmakingSink::Deliver(const rules_service::OutboxItem& item,
                                 const std::vector<rules_service::FinishedDeal>& deals,
                                 absl::AnyInvocable<void(absl::Status)> done) {
  const auto serve = [table = item.config.id,
                      left = rules_service::LeftPlayers(item.config, deals)](
                         MatchmakingProcess& matchmaking, const Reply<Done>& reply) {
    StatusReply(reply)(matchmaking.tickets.Release(table, left));
  };
  Call<Done>(cluster_.network, life_, cluster_.AnyOf(cluster_.matchmaking), kSinkTimeout,
             OnWorker<MatchmakingProcess, Done>(serve), StatusDone(std::move(done)));
}

RulesProcess::RulesProcess(Life& the_life, Cluster& cluster)
    : life(the_life),
      clock(ClockOf(life, cluster.options.sabotage)),
      store(*cluster.table_store),
      heartbeats(life, 1, 4, Pool::Dead::kDrop),
      members(cluster.rules_members, heartbeats, life, life, life.node().name, life.NewUuid(),
              {.on_heartbeat =
                   [this, idle = cluster.options.sabotage ==
                                 Sabotage::kNoTakeover](const cluster::HeartbeatNews& news) {
                     if (!idle) takeover.OnHeartbeat(news);
                   },
               .on_failed = [](const absl::Status&) {}}),
      tables_in_memory(store, 1000, clock),
      append_threads(life, 3, 64, Pool::Dead::kRun),
      appender(store, append_threads, life, life, metrics, {}),
      workers(life, 4, 256, Pool::Dead::kRun),
      tables(store, appender, tables_in_memory, hosting, workers, life, life, life, metrics),
      bots(life, cluster),
      ratings(life, cluster),
      matchmaking(life, cluster),
      driver(tables, hosting, bots, workers, life, life, life, metrics,
             {.bot_delay = absl::Milliseconds(300),
              .deal_pause = absl::Seconds(1),
              .bots_only_delay = absl::Milliseconds(60)}),
      takeover(tables, tables_in_memory, store, hosting, workers, life, metrics),
      relay(store, hosting, ratings, matchmaking, workers, life, life, metrics,
            absl::Milliseconds(500)),
      housekeeping(tables_in_memory, life, life, metrics, absl::Minutes(2)) {
  tables.set_on_changed([this](const std::shared_ptr<const rules_service::TableState>& state) {
    driver.OnChanged(state);
    if (state->match.Finished()) relay.Hurry();
  });
  tables.set_on_commit_unknown([this](TableId table) { driver.OnCommitUnknown(table); });
  hosting.Use(members);
  life.Spawn([this] {
    // In the real service main() ends the process when the start fails, and the supervisor starts
    // it again.
    if (!members.Start().ok()) return life.node().Crash();
    started = true;
    relay.Start();
    housekeeping.Start();
  });
}

void RulesProcess::Drain() {
  // Leave() runs on the heartbeats' thread, so it begins only after a running heartbeat. On another
  // fiber, Leave() could block the only real thread, because a heartbeat holds a mutex during its
  // statement.
  heartbeats.TryRun([this] {
    // The real main() also waits until the start is finished before it stops the service.
    while (!started && life.alive()) life.Sleep(absl::Milliseconds(10));
    const bool others = !members.Leave()->empty();
    life.Sleep(others ? 2 * cluster::kHeartbeatInterval : absl::ZeroDuration());
    tables_in_memory.EndWatchers();
    life.Sleep(absl::Milliseconds(100));
    if (life.alive()) life.node().Crash();
  });
}

}  // namespace tarot::sim
