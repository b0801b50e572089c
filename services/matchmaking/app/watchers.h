// Defines a class that calls functions, the watchers, when a value changes, for example a ticket. A
// watcher gets a new view only if the view differs from the last view that this watcher got.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tarot::matchmaking_service {

// A key names the value that a watcher watches. Thread-safe.
template <typename Key, typename View>
class Watchers {
 public:
  using Watcher = std::function<void(const View&)>;

  // As long as the function `watcher` exists, Show calls it with each new view that differs from
  // the last view of this watcher. `first` is the view that the watcher already has. The watcher
  // runs on any thread, and must not block or throw.
  void Watch(const Key& key, View first, std::weak_ptr<const Watcher> watcher) {
    const std::lock_guard lock(mutex_);
    subscriptions_.push_back({key, std::move(first), std::move(watcher)});
  }

  // Returns the keys whose watchers still exist, sorted.
  std::vector<Key> Watched() {
    const std::lock_guard lock(mutex_);
    std::erase_if(subscriptions_,
                  [](const Subscription& subscription) { return subscription.watcher.expired(); });
    std::vector<Key> keys;
    for (const Subscription& subscription : subscriptions_) keys.push_back(subscription.key);
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }

  // `view_of(key, last)` returns the present view. `last` is the view that the watcher already has.
  // If `view_of` knows no view that is as new as `last`, it returns nullopt. `view_of` must not
  // call this object.
  template <typename ViewOf>
  void Show(const ViewOf& view_of) {
    std::vector<std::pair<std::shared_ptr<const Watcher>, View>> calls;
    {
      const std::lock_guard lock(mutex_);
      for (Subscription& subscription : subscriptions_) {
        std::optional<View> view = view_of(subscription.key, subscription.last);
        if (!view || *view == subscription.last) continue;
        subscription.last = *view;
        if (auto watcher = subscription.watcher.lock()) {
          calls.emplace_back(std::move(watcher), *std::move(view));
        }
      }
    }
    // Calls the watchers without the lock, because a call may take time. If `calls` has the last
    // reference to a watcher, the watcher is destroyed here, also without the lock.
    for (const auto& [watcher, view] : calls) (*watcher)(view);
  }

 private:
  struct Subscription {
    Key key;
    View last;
    std::weak_ptr<const Watcher> watcher;
  };

  std::mutex mutex_;
  std::vector<Subscription> subscriptions_;
};

}  // namespace tarot::matchmaking_service
