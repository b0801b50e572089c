// Defines a private Postgres cluster for tests. The cluster stops when the process that started it
// ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "libs/testkit/reaper.h"

namespace tarot::testkit {

struct PgClusterOptions {
  bool fsync = false;  // Turns fsync on, for tests that measure or break durability.
  // The directory() of another cluster. If it is set, this cluster is a hot standby of the other
  // cluster, with the cluster name "standby".
  std::string standby_of;
  // The size, in MB, of a tmpfs in which this cluster keeps its data; 0 means no tmpfs. To mount
  // it, the test must run as root.
  int disk_mb = 0;
};

// A Postgres 15 in a temporary directory, on a Unix socket. If Postgres is missing or cannot start,
// this process aborts with a message, so that no test is skipped silently. A reaper process stops
// the cluster and removes the directory, also after a crash or a kill -9 of the test.
class PgCluster {
 public:
  // Returns the cluster of this process. The first call starts it, which takes about a second.
  static PgCluster& Shared();

  explicit PgCluster(const PgClusterOptions& options = {});
  ~PgCluster();
  PgCluster(const PgCluster&) = delete;
  PgCluster& operator=(const PgCluster&) = delete;

  // Makes an empty database and returns its DSN. Each test should use its own database.
  std::string NewDatabase();

  const std::string& directory() const { return directory_; }

  // Promotes this standby to a primary.
  void Promote();

  // These functions are for fault tests. Stop() stops Postgres in a `mode` of pg_ctl. Kill() sends
  // kill -9 to the postmaster. After Stop() or Kill(), Start() starts Postgres again and recovers
  // the database. Each function returns when its work is done.
  void Start();
  void Stop(const std::string& mode = "fast");
  void Kill();

  // Freeze() stops all processes of the cluster by SIGSTOP: the kernel still accepts connections
  // and acknowledges data, but no statement gets an answer. Thaw() lets the processes continue.
  void Freeze();
  void Thaw();

 private:
  void MakeData(const std::string& log);
  pid_t PostmasterPid() const;
  void SignalAll(int signal) const;  // Signals the postmaster and its children.

  const PgClusterOptions options_;
  std::string directory_;
  int databases_ = 0;
  std::optional<Reaper> reaper_;
};

}  // namespace tarot::testkit
