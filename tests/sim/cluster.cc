#include "tests/sim/cluster.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/cluster/rendezvous.h"
#include "tests/sim/calls.h"
#include "tests/sim/operator_program.h"
#include "tests/sim/other_processes.h"
#include "tests/sim/person.h"
#include "tests/sim/rules_process.h"
#include "tests/sim/sabotage.h"

namespace tarot::sim {
namespace {

// Returns the catalog of the tests with shorter matches and clocks. All its bots may sit with
// people, so the last person in a ranked queue finds a table too.
matchmaking_service::Catalog CatalogFor(Rng& rng) {
  matchmaking_service::Catalog catalog = matchmaking_service::TestCatalog();
  for (matchmaking_service::Queue& queue : catalog.queues) {
    queue.terms.deal_count = 1 + rng.Below(2);
    queue.terms.move_limit = absl::Seconds(4);
    queue.terms.time_bank = absl::Seconds(6);
    queue.terms.take_back = queue.terms.breaks = !queue.terms.ranked;
  }
  std::erase_if(catalog.bots, [](const matchmaking_service::Bot& bot) {
    return !matchmaking_service::SitsWithPeople(bot.level);
  });
  return catalog;
}

}  // namespace

Cluster::Cluster(const Options& the_options)
    : options(the_options),
      world(options.seed),
      network(world),
      database(world),
      auditor(world),
      table_store(MakeTableStore(options.sabotage, auditor)),
      ticket_store(MakeTicketStore(options.sabotage)),
      rating_store(MakeRatingStore(options.sabotage)),
      catalog(CatalogFor(world.rng())),
      population(3 + world.rng().Below(3)),
      matches_played(static_cast<std::size_t>(options.people), 0) {
  table_store->set_gate(database);
  ticket_store->set_gate(database);
  rating_store->set_gate(database);
  rules_members.set_gate(database);
  matchmaking_members.set_gate(database);
  TAROT_CHECK(ticket_store->WriteCatalog(catalog).ok());
  const auto add = [this](auto& nodes, const char* kind, int count, const auto& make) {
    for (int i = 1; i <= count; ++i) {
      nodes.push_back(std::make_unique<Node>(world, absl::StrCat(kind, i),
                                             [make, i](Life& life) { return make(life, i); }));
    }
  };
  add(rules, "rules", options.rules_replicas, [this](Life& life, int) -> std::shared_ptr<void> {
    return std::make_shared<RulesProcess>(life, *this);
  });
  add(matchmaking, "matchmaking", options.matchmaking_replicas,
      [this](Life& life, int) -> std::shared_ptr<void> {
        return std::make_shared<MatchmakingProcess>(life, *this);
      });
  add(ratings, "ratings", 1, [this](Life& life, int) -> std::shared_ptr<void> {
    return std::make_shared<RatingsProcess>(life, *this);
  });
  add(bots, "bot", 2,
      [](Life& life, int) -> std::shared_ptr<void> { return std::make_shared<BotProcess>(life); });
  add(people, "person", options.people, [this](Life& life, int i) -> std::shared_ptr<void> {
    return std::make_shared<Person>(life, *this, i - 1);
  });
  add(operators, "operator", 1, [this](Life& life, int) -> std::shared_ptr<void> {
    return std::make_shared<OperatorProgram>(life, *this);
  });
}

Cluster::~Cluster() {
  // Ends all processes before the first machine is destroyed, because a dying process may call a
  // process on another machine.
  for (auto* nodes : {&rules, &matchmaking, &ratings, &bots, &people, &operators}) {
    for (const std::unique_ptr<Node>& node : *nodes) node->End();
  }
}

std::vector<Node*> Cluster::Servers() {
  std::vector<Node*> servers;
  for (auto* nodes : {&rules, &matchmaking, &ratings, &bots}) {
    for (const std::unique_ptr<Node>& node : *nodes) servers.push_back(node.get());
  }
  return servers;
}

Node& Cluster::RulesAt(const std::string& name) {
  return **std::find_if(rules.begin(), rules.end(),
                        [&](const auto& node) { return node->name == name; });
}

Node& Cluster::RulesFor(TableId table) {
  // Sometimes the gateway has an old list of members, or none. Then its call may go to a replica
  // that does not host the table.
  Node& any = AnyOf(rules);
  if (!any.up() || world.Chance(500)) return any;
  const std::string host =
      cluster::HostOf(table.uuid, *PartsOf<RulesProcess>(*any.life()).members.Current());
  return host.empty() ? any : RulesAt(host);
}

std::string Cluster::QueueOf(int person) const { return person % 3 == 2 ? "casual4" : "ranked4"; }

}  // namespace tarot::sim
