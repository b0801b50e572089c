#include "services/ratings/testing/fake_account_store.h"

#include "services/ratings/testing/account_store_contract.h"

namespace tarot::ratings_service {
namespace {

struct FakeFactory {
  static std::unique_ptr<AccountStore> Make() { return std::make_unique<FakeAccountStore>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, AccountStoreContract, FakeFactory);

}  // namespace
}  // namespace tarot::ratings_service
