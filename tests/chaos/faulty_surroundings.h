// The surroundings of a cluster under test: a network, a proxy before Postgres, and wall clocks.
// Faults can disturb each of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/chaos/network.h"
#include "tests/chaos/pg_proxy.h"
#include "tests/e2e/surroundings.h"

namespace tarot::chaos {

class FaultySurroundings final : public e2e::Surroundings {
 public:
  // `network` must outlive this object. If it is nullptr, all processes use loopback, which faults
  // cannot cut.
  explicit FaultySurroundings(Network* network);
  ~FaultySurroundings() override;

  std::string HostOf(const std::string& process) override;
  std::string GatewayListensAt(const std::string& process) override;
  void Enter(const std::string& process) override;
  std::string DsnOf(const std::string& dsn) override;

  PgProxy& proxy() { return *proxy_; }
  // Sets the offset of the process's wall clock; 0 corrects the clock.
  void SetClock(const std::string& process, std::int64_t offset_ns);

 private:
  std::string ClockFile(const std::string& process) const;

  Network* const network_;
  std::string directory_;  // Holds the files with the clocks' offsets.
  std::unique_ptr<PgProxy> proxy_;
};

}  // namespace tarot::chaos
