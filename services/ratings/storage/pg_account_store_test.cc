#include "services/ratings/storage/pg_account_store.h"

#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "services/ratings/testing/account_store_contract.h"

namespace tarot::ratings_service {
namespace {

struct PgFactory {
  static std::unique_ptr<AccountStore> Make() {
    static auto& registry = *new prometheus::Registry;
    const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
    TAROT_CHECK(pg::Migrate(dsn, "ratings", Migrations()).ok());
    return MakePgAccountStore(dsn, 2, registry);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, AccountStoreContract, PgFactory);

TEST(PgAccountStoreTest, ADeletedPlayerHasNoAccountAndTheNameIsFree) {
  prometheus::Registry registry;
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_TRUE(pg::Migrate(dsn, "ratings", Migrations()).ok());
  const std::unique_ptr<AccountStore> accounts = MakePgAccountStore(dsn, 2, registry);
  prometheus::Registry other;
  const std::unique_ptr<RatingStore> ratings = MakePgRatingStore(dsn, 1, other);
  ASSERT_EQ(*accounts->Add(TestAccount(1, "Marie"), "look"), AddAccountOutcome::kAdded);
  ASSERT_THAT(ratings->DeletePlayer(TestPlayer(1), TestTime(5)), testkit::IsOk());
  EXPECT_FALSE(accounts->FindByPlayer(TestPlayer(1)).value());
  EXPECT_EQ(*accounts->Add(TestAccount(2, "Marie"), "look"), AddAccountOutcome::kAdded);
}

}  // namespace
}  // namespace tarot::ratings_service
