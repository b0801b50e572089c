// A pool with a fixed number of prepared connections to Postgres, and the Status of their errors.
// Every wait has a time limit.
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
#include "libs/base/clock.h"
#include "libs/base/error.h"

namespace tarot::pg {

// A named SQL statement. The prepared statement and the metric's label have the same name.
struct Statement {
  const char* name;  // Has the form <service>_<verb>_<noun>.
  const char* sql;
};

struct PoolOptions {
  std::string dsn;  // In libpq's key=value form, or a URL. Secrets come from a passfile.
  int connections = 8;
  absl::Duration lease_wait_max = absl::Seconds(2);
  absl::Duration statement_timeout = absl::Seconds(5);
  std::string application_name = "tarot";
  std::string session_sql;  // Runs once on each connection, before statements are prepared.
};

// Turns the current libpqxx exception into a Status; no other function does this. Call it inside
// `catch (...)`. Lost connections, unknown commits, a full or read-only database give UNAVAILABLE
// STORAGE_AWAY. Serialization failures and deadlocks give ABORTED. Unique violations give
// ALREADY_EXISTS. Timeouts of a statement give DEADLINE_EXCEEDED. All others give INTERNAL BUG. The
// message contains no value of a row.
absl::Status StatusFromCurrentException();

// The pool drops a broken connection and replaces it at the next use, so it recovers by itself when
// Postgres returns. Thread-safe.
class Pool {
 public:
  // The pool connects when a connection is first needed, and prepares `statements` on every
  // connection. The histogram tarot_pg_statement_seconds{statement} gets the time of each
  // statement. Sessions run in UTC.
  Pool(PoolOptions options, std::vector<Statement> statements, prometheus::Registry& registry);
  ~Pool();

  // Calls `work(pqxx::connection&)`, which returns a Status or a StatusOr, and turns exceptions
  // into a Status. The metric records the time under `statement`, which must be one of the pool's.
  // `work` may run other statements too. Returns UNAVAILABLE STORAGE_AWAY if it gets no connection
  // in time.
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

  // Holds one connection, and measures the time of its statement until the lease is destroyed.
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
