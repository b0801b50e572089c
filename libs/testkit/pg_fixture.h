// A throw-away Postgres cluster for tests: real, private, gone with the process that made it.
#pragma once

#include <sys/types.h>

#include <string>

namespace tarot::testkit {

struct PgClusterOptions {
  bool fsync = false;  // True where a test measures or breaks durability.
  // Another cluster's directory(): this one becomes its hot standby, of the name "standby".
  std::string standby_of;
  // Its disk: a tmpfs of this size, which needs root. 0: no disk of its own.
  int disk_mb = 0;
};

// A Postgres 15 in a temporary directory, on a Unix socket. Whatever goes wrong in making it ends
// the process with a message: a missing Postgres is a failure, never a skip. A reaper process
// stops the cluster and removes the directory, also after a crash or a kill -9 of the test.
class PgCluster {
 public:
  // The one of this process, started at its first use (about a second).
  static PgCluster& Shared();

  explicit PgCluster(const PgClusterOptions& options = {});
  ~PgCluster();
  PgCluster(const PgCluster&) = delete;
  PgCluster& operator=(const PgCluster&) = delete;

  // Makes an empty database and returns its dsn. One for each test.
  std::string NewDatabase();

  const std::string& directory() const { return directory_; }

  // Of a standby: makes it a primary.
  void Promote();

  // For fault tests. Kill is kill -9 of the postmaster, `mode` is pg_ctl's; Start works after all
  // of them, and recovers where it must. All return when it is done.
  void Start();
  void Stop(const std::string& mode = "fast");
  void Kill();

 private:
  void StartReaper();
  void MakeData(const std::string& log);
  pid_t PostmasterPid() const;

  const PgClusterOptions options_;
  std::string directory_;
  int databases_ = 0;
  pid_t reaper_ = 0;
  int reaper_pipe_ = -1;  // The reaper acts when its other end sees this closed.
};

}  // namespace tarot::testkit
