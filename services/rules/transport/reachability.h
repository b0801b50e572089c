// Whether anybody reaches this replica: one that is cut off from gateways and from its fellows must
// not go on as the host of tables, though it still reaches the database.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "libs/cluster/membership.h"

namespace tarot::rules_service {

// Asks the others each second whether they are there. Not thread-safe.
class Reachability {
 public:
  // Asks the replica at the address whether it is there; the function runs on any thread when it
  // says so, maybe after this object's end. Does not wait.
  using Ping = std::function<void(const std::string& address, std::function<void()> answered)>;

  explicit Reachability(Ping ping) : ping_(std::move(ping)) {}

  // Call it once a beat, about each second. `heard`: something has come from a gateway since the
  // last time; a gateway older than this sign never says anything. `nodes`: all of them. False
  // after four calls in a row without a word from anybody, while there are others who might have
  // said one. A fellow's answer alone is enough: a dead fellow leaves the list before that.
  bool Reached(bool heard, const cluster::NodeList& nodes, const std::string& own_address);

 private:
  static constexpr int kSilentMax = 3;

  const Ping ping_;
  const std::shared_ptr<std::atomic<bool>> answered_ = std::make_shared<std::atomic<bool>>(true);
  int silent_ = 0;
};

}  // namespace tarot::rules_service
