// A fixed number of connections to Postgres, prepared when they connect; waits are bounded.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/status_macros.h"
#include "libs/base/stopwatch.h"
#include "libs/pg/errors.h"
#include "libs/pg/statement.h"

namespace tarot::pg {

struct PoolOptions {
  std::string dsn;  // libpq's key=value form or URL. Secrets come from a passfile, never from here.
  int connections = 8;
  absl::Duration lease_wait_max = absl::Seconds(2);
  absl::Duration statement_timeout = absl::Seconds(5);
  std::string application_name = "tarot";
  std::string session_sql;  // Run once on each connection, before statements are prepared.
};

// Thread-safe. A connection that broke is thrown away and replaced at its next use, so the pool
// heals by itself when Postgres comes back.
class Pool {
 public:
  // Connects lazily. `statements` are prepared on every connection; latency of each goes to the
  // histogram tarot_pg_statement_seconds{statement}. Sessions run in UTC.
  Pool(PoolOptions options, std::vector<Statement> statements, prometheus::Registry& registry);
  ~Pool();

  // Calls `work(pqxx::connection&)`, which returns a Status or a StatusOr, and turns exceptions
  // into a Status. `statement`, one of the pool's, names the time that this takes; work may run
  // others too. UNAVAILABLE STORAGE_AWAY when no connection is free or can be made in time.
  template <typename Work>
  auto With(const Statement& statement, Work work)
      -> decltype(work(std::declval<pqxx::connection&>())) {
    TAROT_ASSIGN_OR_RETURN(Lease lease, Acquire(statement));
    try {
      return work(lease.connection());
    } catch (...) {
      absl::Status status = StatusFromCurrentException();
      if (!absl::IsAlreadyExists(status) && !absl::IsAborted(status)) lease.Discard();
      return status;
    }
  }

 private:
  struct State;

  // Holds one connection and times its statement until destroyed.
  class Lease {
   public:
    Lease(State& state, std::unique_ptr<pqxx::connection> connection,
          prometheus::Histogram& seconds);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    pqxx::connection& connection() { return *connection_; }
    void Discard() { connection_.reset(); }

   private:
    State* state_;
    std::unique_ptr<pqxx::connection> connection_;
    prometheus::Histogram* seconds_;
    Stopwatch stopwatch_;
  };

  absl::StatusOr<Lease> Acquire(const Statement& statement);

  std::unique_ptr<State> state_;
};

}  // namespace tarot::pg
