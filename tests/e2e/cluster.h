// The platform as it runs in production, for tests: every service a process of its own, with a real
// Postgres, on free ports of loopback. Processes can be killed and started again.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "libs/testkit/pg_fixture.h"
#include "tests/e2e/eventually.h"
#include "tests/e2e/surroundings.h"

namespace tarot::e2e {

// The first of `count` ports of loopback in a row that were all free a moment ago.
int FreePorts(int count);

struct ClusterOptions {
  int population = 8;
  std::vector<std::string> rules_flags = {"--bot_delay=10ms", "--bots_only_delay=10ms",
                                          "--deal_pause=50ms"};
  std::vector<std::string> gateway_flags = {};
  std::map<std::string, int> replicas = {};          // By service; one if not named.
  std::map<std::string, std::string> binaries = {};  // By service; "tarot-rules" and so on.
  Surroundings* surroundings = nullptr;              // Loopback. Outlives the cluster.
  // Of Postgres. False where it is not killed and seconds count: they must not hang on the disk,
  // which may still be writing what has just been built.
  bool fsync = true;
};

class Cluster {
 public:
  explicit Cluster(const ClusterOptions& options = {});
  ~Cluster();  // Kills what runs and removes its files.

  // A process is "rules", "matchmaking", "bot", "ratings" or "gateway"; further replicas are
  // "rules.2", "rules.3". Start waits until it serves, and tries again when it gave up.
  void Start(const std::string& process);
  // And waits for its end: what waitpid(2) says of it.
  int Kill(const std::string& process, int signal);
  // SIGTERM; the same. Nothing when it had to be killed after `grace`.
  std::optional<int> Stop(const std::string& process, absl::Duration grace);
  // For SIGSTOP and SIGCONT: does not wait.
  void Signal(const std::string& process, int signal);

  // "rules", "rules.2", ...
  std::vector<std::string> Replicas(const std::string& service) const;
  // Their addresses, host:port, with commas between them.
  std::string Addresses(const std::string& service) const;

  // host:port
  std::string AddressOf(const std::string& process) const;
  std::string MetricsAddressOf(const std::string& process) const;
  int port(const std::string& process) const { return ports_.at(process); }
  int metrics_port(const std::string& process) const { return ports_.at(process) + 1; }
  const std::map<std::string, pid_t>& pids() const { return pids_; }
  // As this process reaches it.
  const std::string& dsn() const { return dsn_; }
  const std::string& directory() const { return directory_; }
  testkit::PgCluster& postgres() { return postgres_; }

  // A player at that gateway, signed in.
  std::unique_ptr<client::Client> SignIn(const std::string& name,
                                         const std::string& gateway = "gateway");

  // Everything that `process` has written so far.
  std::string LogOf(const std::string& process) const;

 private:
  std::vector<std::string> Arguments(const std::string& process) const;
  std::string HostOf(const std::string& process) const;
  void Fork(const std::string& process);
  // True when it ended by itself.
  bool Reap(const std::string& process);

  const ClusterOptions options_;
  Surroundings loopback_;
  Surroundings& surroundings_;
  std::string directory_;
  testkit::PgCluster postgres_;
  std::string dsn_;
  std::string dsn_of_processes_;
  std::map<std::string, int> ports_;
  std::map<std::string, pid_t> pids_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
};

}  // namespace tarot::e2e
