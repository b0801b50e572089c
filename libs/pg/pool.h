// A fixed number of connections to Postgres, prepared when they connect; waits are bounded.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pqxx/pqxx>
#include <prometheus/registry.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/status_macros.h"
#include "libs/pg/errors.h"
#include "libs/pg/statement.h"

namespace tarot::pg {

struct PoolOptions {
  std::string dsn;  // libpq's key=value form or URL. Secrets come from a passfile, never from here.
  int connections = 8;
  absl::Duration lease_wait_max = absl::Seconds(2);
  absl::Duration statement_timeout = absl::Seconds(5);
  std::string application_name = "tarot";
};

// Thread-safe. A connection that broke is thrown away and replaced at its next use, so the pool
// heals by itself when Postgres comes back.
class Pool {
 public:
  // Connects lazily. `statements` are prepared on every connection; latency of each goes to the
  // histogram tarot_pg_statement_seconds{statement}.
  Pool(PoolOptions options, std::vector<Statement> statements, prometheus::Registry& registry);
  ~Pool();

  // Calls `work(pqxx::connection&)`, which returns a Status or a StatusOr, and turns exceptions
  // into a Status. UNAVAILABLE STORAGE_AWAY when no connection is free or can be made in time.
  template <typename Work>
  auto With(const Statement& statement, Work work) -> decltype(work(std::declval<pqxx::connection&>())) {
    TAROT_ASSIGN_OR_RETURN(Lease lease, Acquire(statement));
    try {
      return work(lease.connection());
    } catch (...) {
      absl::Status status = StatusFromCurrentException();
      if (!absl::IsAlreadyExists(status) && !absl::IsAborted(status)) lease.Discard();
      return status;
    }
  }

  // True when Postgres answers now.
  bool Healthy();

 private:
  // Holds one connection and times its statement until destroyed.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<pqxx::connection> connection, const char* statement);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    pqxx::connection& connection() { return *connection_; }
    void Discard();

   private:
    Pool* pool_;
    std::unique_ptr<pqxx::connection> connection_;
    const char* statement_;
    long long start_ns_;
  };

  absl::StatusOr<Lease> Acquire(const Statement& statement);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tarot::pg
