#include "services/admin/storage/pg_admin_store.h"

#include <pqxx/pqxx>

#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/admin_migrations.h"
#include "services/admin/testing/admin_store_contract.h"

namespace tarot::admin_service {
namespace {

std::string NewDatabase() {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  TAROT_CHECK(pg::Migrate(dsn, "admin", Migrations()).ok());
  return dsn;
}

prometheus::Registry& Registry() {
  static auto& registry = *new prometheus::Registry;
  return registry;
}

struct PgFactory {
  static std::unique_ptr<AdminStore> Make() {
    return MakePgAdminStore(NewDatabase(), 2, Registry());
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, AdminStoreContract, PgFactory);

// The role of the test owns the schema and is a superuser. Even this role cannot change a row.
TEST(PgAdminStoreTest, NoRoleChangesARow) {
  const std::string dsn = NewDatabase();
  const auto store = MakePgAdminStore(dsn, 1, Registry());
  const OperatorCall call{.operator_name = "ada", .method = "BanPlayer", .why = "reports"};
  const std::int64_t id = store->BeginCall(call).value();
  ASSERT_THAT(store->EndCall(id, "OK"), testkit::IsOk());
  pqxx::connection connection(dsn);
  for (const char* const statement :
       {"UPDATE admin.calls SET why = 'another'", "DELETE FROM admin.calls", "TRUNCATE admin.calls",
        "UPDATE admin.outcomes SET outcome = 'OK'", "DELETE FROM admin.outcomes",
        "DELETE FROM admin.flags", "DELETE FROM admin.judgements"}) {
    EXPECT_THROW(pqxx::nontransaction(connection).exec(statement), pqxx::insufficient_privilege)
        << statement;
  }
  EXPECT_EQ(store->ListCalls(kAllIds, 10)->at(0).call, call);
}

TEST(PgAdminStoreTest, TheOwnersRightsAreInsertAndSelect) {
  pqxx::connection connection(NewDatabase());
  pqxx::nontransaction tx(connection);
  // has_table_privilege is always true for a superuser, so this test reads which rights were
  // granted.
  const pqxx::result rights = tx.exec(
      "SELECT DISTINCT privilege_type FROM information_schema.table_privileges"
      " WHERE table_schema = 'admin' AND table_name IN"
      "   ('calls', 'outcomes', 'flags', 'judgements')"
      " AND privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'DELETE', 'TRUNCATE') ORDER BY 1");
  ASSERT_EQ(rights.size(), 2u);
  EXPECT_EQ(rights[0][0].as<std::string>(), "INSERT");
  EXPECT_EQ(rights[1][0].as<std::string>(), "SELECT");
}

}  // namespace
}  // namespace tarot::admin_service
