#include "libs/pg/pool.h"

#include <poll.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <typeinfo>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"

namespace tarot::pg {
namespace {

// A server should end a statement after statement_timeout. If a lease lasts longer than
// statement_timeout + kSilenceMax, the server counts as frozen.
constexpr absl::Duration kSilenceMax = absl::Seconds(2);

// Returns the upper bounds of the histogram's buckets, in seconds.
prometheus::Histogram::BucketBoundaries Buckets() {
  return {.0001, .0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5};
}

// Adds time limits for a dead server to the DSN. Without these limits, TCP would wait about 15
// minutes. tcp_user_timeout is for a server that does not acknowledge a statement. The keepalives
// (probes on an idle connection) are for a server that dies later, while this process waits for the
// answer.
std::string FullDsn(const PoolOptions& options) {
  const auto milliseconds = absl::ToInt64Milliseconds(options.statement_timeout + kSilenceMax);
  const bool url = absl::StrContains(options.dsn, "://");
  const char* separator = url ? "&" : " ";
  const char* first = !url ? " " : absl::StrContains(options.dsn, "?") ? "&" : "?";
  return absl::StrCat(options.dsn, first, "connect_timeout=2", separator,
                      "tcp_user_timeout=", milliseconds, separator, "keepalives_idle=2", separator,
                      "keepalives_interval=2", separator,
                      "application_name=", options.application_name);
}

// Returns false if the server has closed the connection. An open idle session gets no data from the
// server. So if there is something to read on an idle connection, the server has closed it.
bool StillOpen(const pqxx::connection& connection) {
  if (!connection.is_open()) return false;
  pollfd socket{.fd = connection.sock(), .events = POLLIN, .revents = 0};
  return ::poll(&socket, 1, 0) == 0;
}

}  // namespace

struct Pool::State {
  State(PoolOptions o, std::vector<Statement> s, prometheus::Registry& registry)
      : options(std::move(o)),
        dsn(FullDsn(options)),
        statements(std::move(s)),
        in_use(prometheus::BuildGauge()
                   .Name("tarot_pg_connections_in_use")
                   .Help("Connections to Postgres leased now.")
                   .Register(registry)
                   .Add({})),
        lease_wait(prometheus::BuildHistogram()
                       .Name("tarot_pg_lease_wait_seconds")
                       .Help("Time that a statement waited for a connection.")
                       .Register(registry)
                       .Add({}, Buckets())),
        cut(prometheus::BuildCounter()
                .Name("tarot_pg_connections_cut_total")
                .Help("Connections cut because Postgres did not answer.")
                .Register(registry)
                .Add({})),
        watchdog(options.statement_timeout + kSilenceMax, [this] {
          cut.Increment();
          obs::Log(obs::Level::kError, "connection cut, because the database does not answer");
        }) {
    auto& family = prometheus::BuildHistogram()
                       .Name("tarot_pg_statement_seconds")
                       .Help("Time that a statement held its connection.")
                       .Register(registry);
    for (const Statement& statement : statements) {
      seconds[statement.name] = &family.Add({{"statement", statement.name}}, Buckets());
    }
    prometheus::BuildGauge()
        .Name("tarot_pg_connections_capacity")
        .Help("The most connections to Postgres that this process leases at once.")
        .Register(registry)
        .Add({})
        .Set(options.connections);
  }

  // Waits until a connection is idle or the pool may open one more. Returns the idle connection, or
  // null if the caller must open a new one. In both cases the caller must call GiveBack().
  absl::StatusOr<std::unique_ptr<pqxx::connection>> TakePlace() {
    const Stopwatch stopwatch;
    std::unique_lock lock(mutex);
    const bool free =
        freed.wait_for(lock, absl::ToChronoMilliseconds(options.lease_wait_max),
                       [this] { return !idle.empty() || open < options.connections; });
    lease_wait.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
    if (!free) {
      return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "No connection is free.");
    }
    in_use.Increment();
    if (idle.empty()) {
      ++open;
      return nullptr;
    }
    auto connection = std::move(idle.back());
    idle.pop_back();
    return connection;
  }

  void GiveBack(std::unique_ptr<pqxx::connection> connection) {
    {
      const std::lock_guard lock(mutex);
      in_use.Decrement();
      if (connection && connection->is_open()) {
        idle.push_back(std::move(connection));
      } else {
        --open;
      }
    }
    freed.notify_one();
  }

  // Opens a connection. The caller must not hold `mutex`, because this may take seconds.
  absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect() {
    try {
      auto connection = std::make_unique<pqxx::connection>(dsn);  // The DSN sets connect_timeout,
                                                                  // so this wait ends.
      const Watchdog::Guard guard(watchdog, connection->sock());
      const auto timeout = absl::ToInt64Milliseconds(options.statement_timeout);
      pqxx::nontransaction(*connection)
          .exec0(absl::StrCat("SET statement_timeout = ", timeout, "; SET TimeZone = 'UTC'; ",
                              options.session_sql));
      for (const Statement& statement : statements) {
        connection->prepare(statement.name, statement.sql);
        connection->prepare_now(statement.name);
      }
      NoteReachable(true, "");
      return connection;
    } catch (const std::exception& e) {
      NoteReachable(false, e.what());
      return StatusFromCurrentException();
    }
  }

  // Logs one line when the database goes away and one line when it is back, even if many callers
  // notice.
  void NoteReachable(bool now, absl::string_view why) {
    {
      const std::lock_guard lock(mutex);
      if (std::exchange(reachable, now) == now) return;
    }
    if (now) {
      obs::Log(obs::Level::kInfo, "database is back");
    } else {
      obs::Log(obs::Level::kError, "database cannot be used", {{"why", why}});
    }
  }

  const PoolOptions options;
  const std::string dsn;
  const std::vector<Statement> statements;
  std::map<std::string, prometheus::Histogram*, std::less<>> seconds;
  prometheus::Gauge& in_use;
  prometheus::Histogram& lease_wait;
  prometheus::Counter& cut;

  std::mutex mutex;
  std::condition_variable freed;
  std::vector<std::unique_ptr<pqxx::connection>> idle;
  int open = 0;  // Number of connections that are leased, idle or being opened.
  bool reachable = true;

  Watchdog watchdog;
};

Pool::Pool(PoolOptions options, std::vector<Statement> statements, prometheus::Registry& registry)
    : state_(std::make_unique<State>(std::move(options), std::move(statements), registry)) {}

Pool::~Pool() = default;

absl::StatusOr<Pool::Lease> Pool::Acquire(const Statement& statement) {
  const auto seconds = state_->seconds.find(statement.name);
  TAROT_CHECK(seconds != state_->seconds.end());
  TAROT_ASSIGN_OR_RETURN(std::unique_ptr<pqxx::connection> connection, state_->TakePlace());
  if (connection && !StillOpen(*connection)) connection.reset();
  if (!connection) {
    auto made = state_->Connect();
    if (!made.ok()) {
      state_->GiveBack(nullptr);
      return made.status();
    }
    connection = *std::move(made);
  }
  Watchdog::Guard guard(state_->watchdog, connection->sock());
  return Lease(*state_, std::move(connection), std::move(guard), *seconds->second);
}

Pool::Lease::Lease(State& state, std::unique_ptr<pqxx::connection> connection,
                   Watchdog::Guard guard, prometheus::Histogram& seconds)
    : state_(&state),
      connection_(std::move(connection)),
      guard_(std::move(guard)),
      seconds_(&seconds) {}

Pool::Lease::Lease(Lease&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      connection_(std::move(other.connection_)),
      guard_(std::move(other.guard_)),
      seconds_(other.seconds_),
      stopwatch_(other.stopwatch_) {}

Pool::Lease::~Lease() {
  if (state_ == nullptr) return;  // The lease was moved to another object.
  seconds_->Observe(absl::ToDoubleSeconds(stopwatch_.Elapsed()));
  guard_.reset();
  state_->GiveBack(std::move(connection_));
}

namespace {

absl::Status Away() {
  return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away.");
}

absl::Status Conflict() {
  return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT", "Another transaction was first.");
}

absl::Status Bug(const std::string& what) {
  return Error(absl::StatusCode::kInternal, "BUG", absl::StrCat("Storage: ", what));
}

// Returns a text about the error that contains no value of a row. It has the SQLSTATE and, in the
// SQLSTATE classes 23 and 42, the first line of the message. In these classes, only the later lines
// (DETAIL) contain values of rows. In other classes, the first line may also contain them.
std::string SafeText(const pqxx::sql_error& e) {
  const std::string state = absl::StrCat("SQLSTATE ", e.sqlstate());
  if (!absl::StartsWith(e.sqlstate(), "23") && !absl::StartsWith(e.sqlstate(), "42")) return state;
  const std::string text = e.what();
  return absl::StrCat(state, ": ", text.substr(0, text.find('\n')));
}

absl::Status FromSqlError(const pqxx::sql_error& e) {
  const std::string& state = e.sqlstate();
  // The database is away if the SQLSTATE is one of the following. An empty SQLSTATE means that the
  // connection ended during the statement. 25006 means a read-only standby, and 57P a server that
  // starts or stops. Class 08 is an error of the connection. Class 53 is a lack of resources such
  // as disk space. Class 58 is a system error, for example of the disk.
  if (state.empty() || state == "25006" || absl::StartsWith(state, "08") ||
      absl::StartsWith(state, "53") || absl::StartsWith(state, "57P") ||
      absl::StartsWith(state, "58")) {
    return Away();
  }
  if (state == "40001" || state == "40P01" || state == "55P03") return Conflict();
  if (state == "57014") {  // The SQLSTATE of a statement that reached statement_timeout.
    return Error(absl::StatusCode::kUnavailable, "STORAGE_SLOW", "The database was too slow.");
  }
  return Bug(SafeText(e));
}

}  // namespace

absl::Status StatusFromCurrentException() {
  try {
    throw;
  } catch (const pqxx::in_doubt_error&) {
    // The transaction may have committed, so a repeat needs a request id.
    return Away();
  } catch (const pqxx::statement_completion_unknown&) {
    // statement_completion_unknown derives from transaction_rollback, so this handler must come
    // before the handler of transaction_rollback.
    return Away();
  } catch (const pqxx::broken_connection&) {
    return Away();
  } catch (const pqxx::transaction_rollback&) {  // A serialization failure or a deadlock.
    return Conflict();
  } catch (const pqxx::unique_violation&) {
    return Error(absl::StatusCode::kAlreadyExists, "ALREADY_STORED", "It is stored already.");
  } catch (const pqxx::sql_error& e) {
    return FromSqlError(e);
  } catch (const std::exception& e) {  // The exception's text may contain a value of a row.
    return Bug(typeid(e).name());
  } catch (...) {
    return Bug("unknown exception");
  }
}

}  // namespace tarot::pg
