// The platform as it runs in production, for tests: every service a process of its own, with a real
// Postgres, on free ports of loopback. Processes can be killed and started again.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "libs/testkit/pg_fixture.h"
#include "tests/e2e/eventually.h"

namespace tarot::e2e {

// A port of loopback that was free a moment ago, and so was the next one.
int FreePort();

struct ClusterOptions {
  int population = 8;
  std::vector<std::string> rules_flags = {"--bot_delay=10ms", "--bots_only_delay=10ms",
                                          "--deal_pause=50ms"};
  std::vector<std::string> gateway_flags = {};
};

class Cluster {
 public:
  explicit Cluster(const ClusterOptions& options = {});
  ~Cluster();  // Kills what runs and removes its files.

  // "rules", "matchmaking", "bot", "ratings", "gateway". Start waits until it serves.
  void Start(const std::string& service);
  // And waits for its end: what waitpid(2) says of it.
  int Kill(const std::string& service, int signal);

  int port(const std::string& service) const { return ports_.at(service); }
  int metrics_port(const std::string& service) const { return ports_.at(service) + 1; }
  const std::map<std::string, pid_t>& pids() const { return pids_; }
  const std::string& dsn() const { return dsn_; }
  const std::string& directory() const { return directory_; }
  testkit::PgCluster& postgres() { return postgres_; }

  // A player at the gateway, signed in.
  std::unique_ptr<client::Client> SignIn(const std::string& name);

  // Everything that `service` has written so far.
  std::string LogOf(const std::string& service) const;

 private:
  std::vector<std::string> Arguments(const std::string& service) const;

  const ClusterOptions options_;
  std::string directory_;
  testkit::PgCluster postgres_;
  std::string dsn_;
  std::map<std::string, int> ports_;
  std::map<std::string, pid_t> pids_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
};

}  // namespace tarot::e2e

#include "tests/e2e/eventually.h"
