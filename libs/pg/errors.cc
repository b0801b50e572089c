#include "libs/pg/errors.h"

#include <pqxx/pqxx>
#include <string>
#include <typeinfo>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::pg {
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

// Postgres puts values of rows into the later lines of a message (DETAIL). In the first line they
// appear only for classes of errors for which this function does not use the message.
std::string SafeText(const pqxx::sql_error& e) {
  const std::string state = absl::StrCat("SQLSTATE ", e.sqlstate());
  if (!absl::StartsWith(e.sqlstate(), "23") && !absl::StartsWith(e.sqlstate(), "42")) return state;
  const std::string text = e.what();
  return absl::StrCat(state, ": ", text.substr(0, text.find('\n')));
}

absl::Status FromSqlError(const pqxx::sql_error& e) {
  const std::string& state = e.sqlstate();
  // These states mean that the database is away. An empty state: the connection ended during the
  // statement. 08: connection. 25006: a read-only standby. 53: full. 57P0x: shutting down or
  // starting up. 58: a system error, for example of the disk.
  if (state.empty() || state == "25006" || absl::StartsWith(state, "08") ||
      absl::StartsWith(state, "53") || absl::StartsWith(state, "57P") ||
      absl::StartsWith(state, "58")) {
    return Away();
  }
  if (state == "40001" || state == "40P01" || state == "55P03") return Conflict();
  if (state == "57014") {  // The state of a statement that reached statement_timeout.
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
    // This class derives from transaction_rollback, so it must come first.
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
