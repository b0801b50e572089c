#include "services/admin/testing/fake_admin_store.h"

#include "services/admin/testing/admin_store_contract.h"

namespace tarot::admin_service {
namespace {

struct FakeFactory {
  static std::unique_ptr<AdminStore> Make() { return std::make_unique<FakeAdminStore>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, AdminStoreContract, FakeFactory);

}  // namespace
}  // namespace tarot::admin_service
