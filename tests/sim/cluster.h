// The platform and its players in one simulated world, as one seed makes them: who there is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/cluster/fake_member_store.h"
#include "tests/sim/auditor.h"
#include "tests/sim/database.h"
#include "tests/sim/network.h"
#include "tests/sim/process.h"
#include "tests/sim/sabotage.h"
#include "tests/sim/world.h"

namespace tarot::sim {

struct Options {
  std::uint64_t seed = 1;
  int rules_replicas = 3;
  int matchmaking_replicas = 2;
  int people = 6;
  int matches_each = 1;  // That every person plays.
  absl::Duration chaos = absl::Minutes(2);
  Sabotage sabotage = Sabotage::kNone;
};

// What every process may reach: the network, the database and what is stored in it.
struct Cluster {
  explicit Cluster(const Options& options);
  ~Cluster();

  // Any of these.
  Node& AnyOf(std::vector<std::unique_ptr<Node>>& nodes) {
    return *nodes[static_cast<std::size_t>(world.rng().Below(static_cast<int>(nodes.size())))];
  }
  // Every machine of the platform; those of the players are not.
  std::vector<Node*> Servers();
  // The machine of that name.
  Node& RulesAt(const std::string& name);
  // Where a player's gateway sends calls about a table: to its host as far as the gateway knows.
  Node& RulesFor(TableId table);
  std::string QueueOf(int person) const;

  const Options options;
  World world;
  Network network;
  Database database;
  Auditor auditor;
  cluster::FakeMemberStore rules_members;
  cluster::FakeMemberStore matchmaking_members;
  std::unique_ptr<rules_service::TableStore> table_memory;
  std::unique_ptr<matchmaking::TicketStore> ticket_memory;
  std::unique_ptr<ratings::RatingStore> rating_memory;
  std::vector<matchmaking::Queue> queues;
  std::vector<matchmaking::Bot> roster;
  int population = 0;  // Bots of the roster that queue by themselves: enough for a last person.

  std::vector<std::unique_ptr<Node>> rules;
  std::vector<std::unique_ptr<Node>> matchmaking;
  std::vector<std::unique_ptr<Node>> ratings;
  std::vector<std::unique_ptr<Node>> bots;
  std::vector<std::unique_ptr<Node>> people;
  std::vector<int> matches_played;  // By person.
};

}  // namespace tarot::sim
