// A simulated process of the rules service: its application layer, wired as in service.cc.
#pragma once

#include <prometheus/registry.h>

#include "libs/cluster/membership.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/outbox_relay.h"
#include "services/rules/app/table_registry.h"
#include "services/rules/app/takeover.h"
#include "services/rules/app/turn_driver.h"
#include "tests/sim/calls.h"
#include "tests/sim/cluster.h"
#include "tests/sim/pool.h"

namespace tarot::sim {

class SimBotClient final : public rules_service::BotClient {
 public:
  SimBotClient(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void Choose(const rules_service::BotQuestion& question,
              absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

class SimRatingSink final : public rules_service::MatchSink {
 public:
  SimRatingSink(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void Deliver(const rules_service::OutboxItem& item,
               const std::vector<rules_service::FinishedDeal>& deals,
               absl::AnyInvocable<void(absl::Status)> done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

class SimMatchmakingSink final : public rules_service::MatchSink {
 public:
  SimMatchmakingSink(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void Deliver(const rules_service::OutboxItem& item,
               const std::vector<rules_service::FinishedDeal>& deals,
               absl::AnyInvocable<void(absl::Status)> done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

struct RulesProcess {
  RulesProcess(Life& life, Cluster& cluster);

  // Acts like SIGTERM: other replicas acquire the tables, then the process ends.
  void Drain();

  Life& life;
  Clock& clock;  // The clock for the tables in memory.
  prometheus::Registry registry;
  rules_service::Metrics metrics{registry};
  rules_service::TableStore& store;
  Pool heartbeats;
  cluster::Membership members;
  rules_service::MemberHosting hosting;
  rules_service::TableRegistry tables_in_memory;
  Pool append_threads;
  rules_service::GroupAppender appender;
  Pool workers;
  rules_service::TableService tables;
  SimBotClient bots;
  SimRatingSink ratings;
  SimMatchmakingSink matchmaking;
  rules_service::TurnDriver driver;
  rules_service::Takeover takeover;
  rules_service::OutboxRelay relay;
  rules_service::Housekeeping housekeeping;
  bool started = false;  // True when the replica has joined the list of members.
};

// Serves a call about `table` as the transport does: at this replica, or at the table's host, to
// which the call is forwarded at most once.
template <typename Answer>
std::function<void(Life&, Reply<Answer>)> AtHost(
    Cluster& cluster, TableId table,
    const std::function<void(RulesProcess&, const Reply<Answer>&)>& call) {
  const auto serve = OnWorker<RulesProcess, Answer>(call);
  return [&cluster, table, serve](Life& life, const Reply<Answer>& reply) {
    const std::string host = PartsOf<RulesProcess>(life).hosting.HostOf(table);
    if (host.empty()) return serve(life, reply);
    Call<Answer>(cluster.network, life, cluster.RulesAt(host), absl::Seconds(2), serve, reply);
  };
}

}  // namespace tarot::sim
