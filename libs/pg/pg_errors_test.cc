#include <gmock/gmock.h>

#include <pqxx/pqxx>
#include <string>

#include "libs/pg/pool.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::pg {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::HasReason;
using testkit::StatusIs;

// Runs `sql` on a real Postgres and returns the exception as a Status, or OK if there is none.
absl::Status Provoke(pqxx::connection& connection, const std::string& sql) {
  try {
    pqxx::nontransaction(connection).exec(sql);
    return absl::OkStatus();
  } catch (...) {
    return StatusFromCurrentException();
  }
}

template <typename Exception>
absl::Status From(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return StatusFromCurrentException();
  }
}

class ErrorsTest : public testing::Test {
 protected:
  pqxx::connection connection_{testkit::PgCluster::Shared().NewDatabase()};
};

TEST_F(ErrorsTest, UniqueViolationRevealsNoValueOfTheRow) {
  ASSERT_TRUE(Provoke(connection_, "CREATE TABLE t (x text UNIQUE CHECK (x <> 'queen'))").ok());
  ASSERT_TRUE(Provoke(connection_, "INSERT INTO t VALUES ('excuse')").ok());
  const absl::Status twice = Provoke(connection_, "INSERT INTO t VALUES ('excuse')");
  EXPECT_THAT(twice, AllOf(StatusIs(StatusCode::kAlreadyExists), HasReason("ALREADY_STORED")));
  EXPECT_THAT(twice.ToString(), Not(HasSubstr("excuse")));
  const absl::Status check = Provoke(connection_, "INSERT INTO t VALUES ('queen')");
  EXPECT_THAT(check, AllOf(StatusIs(StatusCode::kInternal), HasReason("BUG")));
  EXPECT_THAT(check.ToString(), AllOf(HasSubstr("t_x_check"), Not(HasSubstr("queen"))));
}

TEST_F(ErrorsTest, BugReportsItsPlaceWithoutData) {
  EXPECT_THAT(Provoke(connection_, "SELECT colour FROM pg_class").ToString(), HasSubstr("colour"));
  const absl::Status bad_text = Provoke(connection_, "SELECT 'excuse'::uuid");
  EXPECT_THAT(bad_text, HasReason("BUG"));
  EXPECT_THAT(bad_text.ToString(), AllOf(HasSubstr("22P02"), Not(HasSubstr("excuse"))));
}

TEST_F(ErrorsTest, SlowStatementIsUnavailable) {
  EXPECT_THAT(Provoke(connection_, "SET statement_timeout = 20; SELECT pg_sleep(5)"),
              AllOf(StatusIs(StatusCode::kUnavailable), HasReason("STORAGE_SLOW")));
}

TEST_F(ErrorsTest, SerializationFailureIsAborted) {
  EXPECT_THAT(Provoke(connection_, "DO $$BEGIN RAISE SQLSTATE '40001'; END$$"),
              AllOf(StatusIs(StatusCode::kAborted), HasReason("STORAGE_CONFLICT")));
  EXPECT_THAT(Provoke(connection_, "DO $$BEGIN RAISE SQLSTATE '40P01'; END$$"),
              StatusIs(StatusCode::kAborted));
}

// The last two exceptions report unknown commits. libpqxx derives statement_completion_unknown from
// transaction_rollback, although the transaction may have committed.
TEST_F(ErrorsTest, TemporaryFailuresAndUnknownCommitsAreUnavailable) {
  for (const char* state : {"53100", "53200", "25006", "57P03", "58030", "40003"}) {
    EXPECT_THAT(
        Provoke(connection_, std::string("DO $$BEGIN RAISE SQLSTATE '") + state + "'; END$$"),
        AllOf(StatusIs(StatusCode::kUnavailable), HasReason("STORAGE_AWAY")))
        << state;
  }
  EXPECT_THAT(From(pqxx::in_doubt_error("commit")), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(From(pqxx::statement_completion_unknown("x")), StatusIs(StatusCode::kUnavailable));
}

TEST_F(ErrorsTest, CutConnectionIsUnavailable) {
  EXPECT_THAT(Provoke(connection_, "SELECT pg_terminate_backend(pg_backend_pid())"),
              AllOf(StatusIs(StatusCode::kUnavailable), HasReason("STORAGE_AWAY")));
}

TEST_F(ErrorsTest, OtherExceptionsAreBugsWithoutTheirText) {
  const absl::Status status = From(pqxx::conversion_error("Could not convert 'excuse'"));
  EXPECT_THAT(status, HasReason("BUG"));
  EXPECT_THAT(status.ToString(), Not(HasSubstr("excuse")));
}

}  // namespace
}  // namespace tarot::pg
