#include "tests/sim/nemesis.h"

#include "tests/sim/calls.h"
#include "tests/sim/operator_program.h"
#include "tests/sim/rules_process.h"

namespace tarot::sim {

void Nemesis::Start() {
  active_ = true;
  cluster_.network.set_bad(true);
  cluster_.database.set_bad(true);
  Strike();
  Watch();
}

void Nemesis::Stop() {
  active_ = false;
  cluster_.network.set_bad(false);
  cluster_.network.HealAll();
  cluster_.database.set_bad(false);
  cluster_.database.Heal();
  for (Node* const server : cluster_.Servers()) server->Resume();
  for (const std::unique_ptr<Node>& person : cluster_.people) person->Resume();
}

void Nemesis::Strike() {
  SimulatedWorld& world = cluster_.world;
  world.After(world.Between(absl::Milliseconds(200), absl::Seconds(8)), [this] {
    if (!active_) return;
    StrikeServer();
    if (cluster_.world.Chance(1000)) {
      PartsOf<OperatorProgram>(*cluster_.operators[0]->life()).CancelADeal();
    }
    Strike();
  });
}

void Nemesis::StrikeServer() {
  SimulatedWorld& world = cluster_.world;
  const std::vector<Node*> servers = cluster_.Servers();
  const auto any = [&]() -> Node& {
    return *servers[static_cast<std::size_t>(world.rng().Below(static_cast<int>(servers.size())))];
  };
  switch (world.rng().Below(10)) {
    case 0:
    case 1:
      return any().Crash();
    case 2:
      return cluster_.AnyOf(cluster_.rules).Crash();
    case 9: {
      Node& node = cluster_.AnyOf(cluster_.rules);
      if (!node.up()) return;
      world.Note(node.name, " gets SIGTERM");
      return PartsOf<RulesProcess>(*node.life()).Drain();
    }
    case 3:
      return cluster_.database.CrashInStatement(any());
    case 4:
      return any().Pause(world.Between(absl::Milliseconds(100), absl::Seconds(12)));
    case 5:
      world.Note("the database is away");
      return cluster_.database.Away(world.Between(absl::Milliseconds(100), absl::Seconds(12)));
    case 6:
      world.Note("the database is slow");
      return cluster_.database.Slow(world.Between(absl::Seconds(1), absl::Seconds(12)));
    case 7: {
      Node& person = cluster_.AnyOf(cluster_.people);
      return world.Chance(5000) ? person.Crash()
                                : person.Pause(world.Between(absl::Seconds(1), absl::Seconds(30)));
    }
    default: {
      Node& one = any();
      Node& other = world.Chance(5000) ? any() : cluster_.AnyOf(cluster_.people);
      if (&one == &other) return;
      world.Note(one.name, " and ", other.name, " are cut off from each other");
      cluster_.network.Cut(one, other);
      world.After(world.Between(absl::Milliseconds(100), absl::Seconds(12)),
                  [this, &one, &other] { cluster_.network.Heal(one, other); });
    }
  }
}

void Nemesis::Watch() {
  SimulatedWorld& world = cluster_.world;
  world.After(world.Between(absl::Milliseconds(500), absl::Seconds(5)), [this] {
    for (Node* const server : cluster_.Servers()) server->Boot();
    for (const std::unique_ptr<Node>& person : cluster_.people) person->Boot();
    Watch();
  });
}

}  // namespace tarot::sim
