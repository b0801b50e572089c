// Knows which persons watch their own tables, at any gateway.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// Each gateway reports which persons of a table have an open stream of the table at this gateway.
// Connections joins these lists, and tells the joined list to every gateway that has subscribed to
// the table, as soon as each of them has reported its persons. Thread-safe.
class Connections {
 public:
  // The stream to one gateway. ShowConnected runs under the mutex of Connections, so it must not
  // call Connections. It may run on any thread. `players` are sorted.
  class Gateway {
   public:
    virtual ~Gateway() = default;
    virtual void ShowConnected(TableId table, const std::vector<PlayerId>& players) = 0;
  };

  // Call this function when the gateway has subscribed to the table, before its first report.
  void Add(TableId table, const std::shared_ptr<Gateway>& gateway);
  // Sets the persons who watch at this gateway. Does nothing before Add or after Remove. Tells the
  // joined list to this gateway, and if the list has changed, also to all other gateways.
  void Report(TableId table, const Gateway* gateway, std::vector<PlayerId> players);
  // Call this function when the subscription is over. It does nothing if there is none.
  void Remove(TableId table, const Gateway* gateway);

 private:
  struct Subscription {
    const Gateway* id;
    std::weak_ptr<Gateway> gateway;
    std::optional<std::vector<PlayerId>> players;  // Nullopt before the first report.
  };
  struct Entry {
    std::vector<Subscription> subscriptions;    // At most one for each gateway.
    std::optional<std::vector<PlayerId>> told;  // The joined list that gateways got last.
  };

  // If each gateway has reported, tells the joined list to `always`, unless it is null. If the list
  // has changed, tells it to all gateways.
  static void Tell(TableId table, Entry& entry, const Gateway* always);  // Needs mutex_.

  std::mutex mutex_;
  absl::flat_hash_map<TableId, Entry> tables_;
};

}  // namespace tarot::rules_service
