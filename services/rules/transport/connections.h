// Knows which persons watch their own tables, at any gateway.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// Each gateway names the persons of a table who have an open stream of it at this gateway. This
// class tells all gateways of the table the union. The union is unknown until each gateway that has
// subscribed to the table has named its persons. Thread-safe.
class Connections {
 public:
  // The stream to one gateway. ShowConnected runs under the mutex of Connections, so it must not
  // call Connections. It may run on any thread. `players` are sorted.
  class Gateway {
   public:
    virtual ~Gateway() = default;
    virtual void ShowConnected(TableId table, const std::vector<PlayerId>& players) = 0;
  };

  // The gateway has subscribed to the table, and has not named its persons yet.
  void Add(TableId table, const std::shared_ptr<Gateway>& gateway);
  // Sets the persons who watch at this gateway. Does nothing before Add or after Remove. Tells the
  // union to this gateway, and to all others if the union has changed.
  void Report(TableId table, const Gateway* gateway, std::vector<PlayerId> players);
  // The subscription is over. Does nothing if there is none.
  void Remove(TableId table, const Gateway* gateway);

 private:
  struct Subscription {
    const Gateway* id;
    std::weak_ptr<Gateway> gateway;
    std::optional<std::vector<PlayerId>> players;  // Nullopt before the first report.
  };
  struct Entry {
    std::vector<Subscription> subscriptions;    // At most one for each gateway, so it is short.
    std::optional<std::vector<PlayerId>> told;  // The union that all gateways have got.
  };

  // Tells the union if it is known and has changed. Also tells it to `always`, unless it is null.
  static void Tell(TableId table, Entry& entry, const Gateway* always);  // Needs mutex_.

  std::mutex mutex_;
  absl::flat_hash_map<TableId, Entry> tables_;
};

}  // namespace tarot::rules_service
