#include "services/rules/transport/connections.h"

#include <algorithm>
#include <utility>

namespace tarot::rules_service {

void Connections::Add(TableId table, const std::shared_ptr<Gateway>& gateway) {
  const std::lock_guard lock(mutex_);
  tables_[table].subscriptions.push_back({.id = gateway.get(), .gateway = gateway});
}

void Connections::Report(TableId table, const Gateway* gateway, std::vector<PlayerId> players) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  for (Subscription& subscription : found->second.subscriptions) {
    if (subscription.id != gateway) continue;
    subscription.players = std::move(players);
    return Tell(table, found->second, gateway);
  }
}

void Connections::Remove(TableId table, const Gateway* gateway) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  Entry& entry = found->second;
  const auto removed = std::erase_if(entry.subscriptions,
                                     [&](const Subscription& each) { return each.id == gateway; });
  if (entry.subscriptions.empty()) {
    tables_.erase(found);
  } else if (removed > 0) {
    Tell(table, entry, nullptr);
  }
}

void Connections::Tell(TableId table, Entry& entry, const Gateway* always) {
  std::vector<PlayerId> all;
  for (const Subscription& subscription : entry.subscriptions) {
    if (!subscription.players) return;
    all.insert(all.end(), subscription.players->begin(), subscription.players->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const bool changed = entry.told != all;
  entry.told = std::move(all);
  for (const Subscription& subscription : entry.subscriptions) {
    if (!changed && subscription.id != always) continue;
    const std::shared_ptr<Gateway> gateway = subscription.gateway.lock();
    if (gateway != nullptr) gateway->ShowConnected(table, *entry.told);
  }
}

}  // namespace tarot::rules_service
