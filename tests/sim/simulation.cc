#include "tests/sim/simulation.h"

#include "tests/sim/nemesis.h"

namespace tarot::sim {
namespace {

// Without faults, every match ends within this time. It is enough for two deals in which an absent
// person's clock runs out at each turn.
constexpr absl::Duration kPeaceMax = absl::Minutes(30);
// Without faults, every table gets an entry within this time. It is the length of a turn, plus the
// time until a replica notices the end of the turn.
constexpr absl::Duration kStillMax = absl::Seconds(40);
// Without faults, every watcher sees a stored entry within this time. It is long enough to notice a
// dead host.
constexpr absl::Duration kBehindMax = absl::Seconds(12);
constexpr absl::Duration kLookEvery = absl::Seconds(5);

// Returns whether every person has played all matches.
bool Done(Cluster& cluster) {
  for (const int played : cluster.matches_played) {
    if (played < cluster.options.matches_each) return false;
  }
  return true;
}

void RunInPeace(Cluster& cluster) {
  SimulatedWorld& world = cluster.world;
  const absl::Time begin = world.now();
  while (world.failure().empty() && !Done(cluster)) {
    if (world.now() - begin > kPeaceMax)
      return world.Fail("some players have not played all matches");
    world.RunUntil(world.now() + kLookEvery, [&] { return Done(cluster); });
    if (world.now() - begin > kStillMax && !cluster.auditor.StandingStill(kStillMax).empty()) {
      return world.Fail("without faults, a table stands still");
    }
    if (world.now() - begin > kBehindMax && !cluster.auditor.LeftBehind(kBehindMax).empty()) {
      return world.Fail("without faults, a watcher does not see a stored entry");
    }
  }
}

// Runs until ratings and matchmaking have confirmed every finished match.
void Settle(Cluster& cluster) {
  SimulatedWorld& world = cluster.world;
  const absl::Time begin = world.now();
  while (world.failure().empty() && !cluster.auditor.EveryEndIsKnown(*cluster.table_store)) {
    if (world.now() - begin > absl::Minutes(1)) return world.Fail("the outbox is never empty");
    world.RunUntil(world.now() + kLookEvery, [] { return false; });
  }
}

}  // namespace

Report Simulate(const Options& options) {
  Cluster cluster(options);
  Nemesis nemesis(cluster);
  SimulatedWorld& world = cluster.world;
  for (Node* const server : cluster.Servers()) server->Boot();
  for (const std::unique_ptr<Node>& person : cluster.people) person->Boot();
  for (const std::unique_ptr<Node>& node : cluster.operators) node->Boot();
  nemesis.Start();
  world.RunUntil(world.now() + options.chaos, [] { return false; });
  nemesis.Stop();
  cluster.last_fault = world.now();
  world.Note("peace");
  RunInPeace(cluster);
  Settle(cluster);
  if (world.failure().empty()) {
    cluster.auditor.CheckStores(*cluster.table_store, *cluster.rating_store);
  }
  return {.failure = world.failure(),
          .notes = world.LastNotes(),
          .hash = world.hash(),
          .span = world.now() - world.start(),
          .matches = cluster.auditor.matches(),
          .entries = cluster.auditor.entries(),
          .acknowledged = cluster.auditor.acknowledged(),
          .views = cluster.auditor.views(),
          .clock_moves = cluster.auditor.clock_moves(),
          .claims = cluster.auditor.claims(),
          .talks = cluster.auditor.talks(),
          .voids = cluster.auditor.voids(),
          .cards_back = cluster.auditor.cards_back(),
          .breaks = cluster.auditor.breaks(),
          .ends_found = cluster.ends_found};
}

Options OptionsOf(std::uint64_t seed) {
  Rng rng(seed ^ 0x5117);
  Options options{.seed = seed};
  options.people = 4 + rng.Below(6);
  options.matches_each = 1 + rng.Below(2);
  options.chaos = absl::Seconds(30 + rng.Below(150));
  return options;
}

}  // namespace tarot::sim
