// A real, private Postgres cluster for tests. It ends with the process that started it.
#pragma once

#include <sys/types.h>

#include <string>

namespace tarot::testkit {

struct PgClusterOptions {
  bool fsync = false;  // True for a test that measures or breaks durability.
  // The directory() of another cluster. If set, this cluster is its hot standby with the name
  // "standby".
  std::string standby_of;
  // The size of a tmpfs that only this cluster uses. A tmpfs needs root. 0 means no tmpfs.
  int disk_mb = 0;
};

// A Postgres 15 in a temporary directory, on a Unix socket. If it cannot start, the process ends
// with a message: a missing Postgres is a failure, never a skipped test. A reaper process stops the
// cluster and removes the directory, also after a crash or a kill -9 of the test.
class PgCluster {
 public:
  // Returns the cluster of this process. The first call starts it, which takes about a second.
  static PgCluster& Shared();

  explicit PgCluster(const PgClusterOptions& options = {});
  ~PgCluster();
  PgCluster(const PgCluster&) = delete;
  PgCluster& operator=(const PgCluster&) = delete;

  // Makes an empty database and returns its DSN. Each test uses a database of its own.
  std::string NewDatabase();

  const std::string& directory() const { return directory_; }

  // Makes a standby a primary.
  void Promote();

  // These functions are for fault tests. Stop uses the `mode` of pg_ctl; Kill is kill -9 of the
  // postmaster. Start works after both and recovers the database. Each function returns when its
  // work is done.
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
  int reaper_pipe_ = -1;  // The reaper acts when this end of its pipe closes.
};

}  // namespace tarot::testkit
