// What surrounds the processes of a cluster under faults: a network, a road to Postgres and a wall
// clock, all of which can be disturbed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/chaos/network.h"
#include "tests/chaos/pg_proxy.h"
#include "tests/e2e/surroundings.h"

namespace tarot::chaos {

class Place final : public e2e::Surroundings {
 public:
  // `network` may be nullptr: loopback, which cannot be cut. It outlives this.
  explicit Place(Network* network);
  ~Place() override;

  std::string HostOf(const std::string& process) override;
  std::string GatewayListensAt(const std::string& process) override;
  void Enter(const std::string& process) override;
  std::string DsnOf(const std::string& dsn) override;

  PgProxy& proxy() { return *proxy_; }
  // Puts the process's wall clock off by so much; 0 puts it right.
  void SetClock(const std::string& process, std::int64_t offset_ns);

 private:
  std::string ClockFile(const std::string& process) const;

  Network* const network_;
  std::string directory_;  // Of the files that hold the clocks' offsets.
  std::unique_ptr<PgProxy> proxy_;
};

}  // namespace tarot::chaos
