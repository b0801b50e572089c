#include "services/ratings/storage/fake_rating_store.h"

#include "tests/integration/rating_store_contract.h"

namespace tarot::ratings {
namespace {

TEST(FakeRatingStoreTest, KeepsTheContract) {
  FakeRatingStore store;
  CheckRatingStoreContract(store);
}

}  // namespace
}  // namespace tarot::ratings
