#include "services/matchmaking/replica.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/cluster/rendezvous.h"
#include "libs/obs/log.h"

namespace tarot::matchmaking_service {
namespace {

cluster::Membership::Callbacks CountInto(Metrics& metrics) {
  return {.on_heartbeat =
              [&metrics](const cluster::HeartbeatNews& news) {
                metrics.heartbeats.Increment();
                metrics.nodes.Set(static_cast<double>(news.nodes->size()));
                if (!news.changed) return;
                obs::Log(obs::Level::kInfo, "replicas changed",
                         {{"count", absl::StrCat(news.nodes->size())}});
              },
          .on_failed = [&metrics](const absl::Status&) { metrics.heartbeats_failed.Increment(); }};
}

}  // namespace

Replica::Replica(const std::string& dsn, std::string address, Clock& clock, Scheduler& scheduler,
                 Entropy& entropy, Metrics& metrics, prometheus::Registry& registry)
    : store_(dsn, "matchmaking", registry),
      worker_(1, 4),
      scheduler_(scheduler),
      membership_(store_, worker_, clock, scheduler_, std::move(address), entropy.NewUuid(),
                  CountInto(metrics)) {}

bool Replica::Hosts(const std::string& key) const {
  return membership_.Fresh() &&
         cluster::HostOf(key, *membership_.Current()) == membership_.address();
}

void Replica::Stop() {
  scheduler_.Stop();
  worker_.Stop();
}

}  // namespace tarot::matchmaking_service
