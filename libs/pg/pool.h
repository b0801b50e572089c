// A pool of connections to Postgres with prepared statements. It turns errors of Postgres into a
// Status. Every wait has a time limit, even the wait for a frozen server.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/pg/watchdog.h"

namespace tarot::pg {

// An SQL statement with a name. The prepared statement and the metric's label have this name.
struct Statement {
  const char* name;  // In the form <service>_<verb>_<noun>.
  const char* sql;
};

struct PoolOptions {
  // A key=value text or a URL for libpq. Passwords come from a passfile.
  std::string dsn;
  int connections = 8;
  absl::Duration lease_wait_max = absl::Seconds(2);
  // The server ends a statement after this time. If a lease lasts two seconds longer than this
  // time, the watchdog closes its connection.
  absl::Duration statement_timeout = absl::Seconds(5);
  std::string application_name = "tarot";
  // SQL that runs once on each new connection, before statements are prepared.
  std::string session_sql;
};

// Turns the current exception into a Status. Call it inside a catch block. The message contains no
// value of a row. The Status is one of these:
// - UNAVAILABLE STORAGE_AWAY: a lost connection, an unknown commit, a server that starts or stops,
//   a read-only standby, a lack of resources such as disk space, or a system error of the server.
// - UNAVAILABLE STORAGE_SLOW: a statement that took too long.
// - ABORTED STORAGE_CONFLICT: a serialization failure, a deadlock, or a lock that is not available.
// - ALREADY_EXISTS ALREADY_STORED: a unique violation.
// - INTERNAL BUG: any other exception.
absl::Status StatusFromCurrentException();

// The pool drops a connection after most errors of a statement, and later opens a new connection
// when a caller needs one. So the pool recovers by itself when Postgres is back. Thread-safe.
class Pool {
 public:
  // The constructor does not connect; the pool opens a connection when it needs one. It prepares
  // all `statements` on every connection. The time zone of all sessions is UTC. The histogram
  // tarot_pg_statement_seconds{statement} gets the time of each lease.
  Pool(PoolOptions options, std::vector<Statement> statements, prometheus::Registry& registry);
  ~Pool();

  // Calls `work(pqxx::connection&)`, which returns a Status or a StatusOr, and turns its exceptions
  // into a Status. `statement` must be one of the pool's statements. The metric records the time of
  // the lease under the name of `statement`, even if `work` also runs other statements.
  //
  // Returns UNAVAILABLE STORAGE_AWAY if no connection becomes free in time. If a new connection
  // cannot be opened, returns the error of StatusFromCurrentException(). If `work` takes longer
  // than statement_timeout plus two seconds, the watchdog cuts the connection, and `work` fails
  // with STORAGE_AWAY.
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

  // Holds one connection of the pool. The destructor gives the connection back and records the time
  // for which the lease held it.
  class Lease {
   public:
    Lease(State& state, std::unique_ptr<pqxx::connection> connection, Watchdog::Guard guard,
          prometheus::Histogram& seconds);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    pqxx::connection& connection() { return *connection_; }
    void Discard() {
      guard_.reset();
      connection_.reset();
    }

   private:
    State* state_;
    std::unique_ptr<pqxx::connection> connection_;
    // The guard is declared after the connection, so that it ends before the socket closes.
    std::optional<Watchdog::Guard> guard_;
    prometheus::Histogram* seconds_;
    Stopwatch stopwatch_;
  };

  absl::StatusOr<Lease> Acquire(const Statement& statement);

  std::unique_ptr<State> state_;
};

}  // namespace tarot::pg
