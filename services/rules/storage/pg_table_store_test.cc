#include "services/rules/storage/pg_table_store.h"

#include <gtest/gtest.h>

#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/rules_migrations.h"
#include "services/rules/storage/append_batch.h"
#include "services/rules/storage/fake_table_store.h"
#include "tests/integration/table_store_contract.h"

namespace tarot::rules_service {
namespace {

TEST(FakeTableStoreTest, KeepsTheContract) {
  FakeTableStore store;
  TableStoreContract(store).All();
}

TEST(PgTableStoreTest, KeepsTheContract) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .connections = 4}, PgTableStore::Statements(), registry);
  pg::Pool append_pool({.dsn = dsn, .connections = 4, .session_sql = kAppendSession},
                       AppendStatements(), registry);
  PgTableStore store(pool, append_pool);
  TableStoreContract(store).All();
}

}  // namespace
}  // namespace tarot::rules_service
