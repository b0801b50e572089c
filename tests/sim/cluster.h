// The processes, stores and players of one simulated run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/cluster/testing/fake_member_store.h"
#include "tests/sim/auditor.h"
#include "tests/sim/database.h"
#include "tests/sim/network.h"
#include "tests/sim/process.h"
#include "tests/sim/sabotage.h"
#include "tests/sim/simulated_world.h"

namespace tarot::sim {

struct Options {
  std::uint64_t seed = 1;
  int rules_replicas = 3;
  int matchmaking_replicas = 2;
  int people = 6;
  int matches_each = 1;  // Matches per person.
  absl::Duration chaos = absl::Minutes(2);
  Sabotage sabotage = Sabotage::kNone;
};

// The objects that all processes share: network, database, stored data, machines.
struct Cluster {
  explicit Cluster(const Options& options);
  ~Cluster();

  // Returns a random one of `nodes`.
  Node& AnyOf(std::vector<std::unique_ptr<Node>>& nodes) {
    return *nodes[static_cast<std::size_t>(world.rng().Below(static_cast<int>(nodes.size())))];
  }
  // Returns every machine of the platform, without the players' machines.
  std::vector<Node*> Servers();
  // Returns the machine with this name.
  Node& RulesAt(const std::string& name);
  // Returns the machine to which a player's gateway sends calls about a table. The gateway takes
  // the table's host from its own list.
  Node& RulesFor(TableId table);
  std::string QueueOf(int person) const;

  const Options options;
  SimulatedWorld world;
  Network network;
  Database database;
  Auditor auditor;
  cluster::FakeMemberStore rules_members{[this] { return world.now(); }};
  cluster::FakeMemberStore matchmaking_members{[this] { return world.now(); }};
  std::unique_ptr<rules_service::FakeTableStore> table_store;
  std::unique_ptr<matchmaking_service::FakeTicketStore> ticket_store;
  std::unique_ptr<ratings_service::FakeRatingStore> rating_store;
  const matchmaking_service::Catalog catalog;
  // Number of bots that queue by themselves. With them, even the last person who queues finds a
  // table.
  int population = 0;

  std::vector<std::unique_ptr<Node>> rules;
  std::vector<std::unique_ptr<Node>> matchmaking;
  std::vector<std::unique_ptr<Node>> ratings;
  std::vector<std::unique_ptr<Node>> bots;
  std::vector<std::unique_ptr<Node>> people;
  // The list has exactly one machine. This machine never dies and is never cut off, but its
  // messages may be lost.
  std::vector<std::unique_ptr<Node>> operators;
  std::vector<int> matches_played;  // Indexed by person.
  // Number of times that matchmaking found the end of a match by itself, because a person queued
  // before rules had reported the end.
  int ends_found = 0;
  absl::Time last_fault = absl::InfiniteFuture();  // The time when the faults ended.
};

}  // namespace tarot::sim
