#include "services/ratings/testing/fake_rating_store.h"

#include "services/ratings/testing/ladder_contract.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {
namespace {

struct FakeFactory {
  static std::unique_ptr<RatingStore> Make() { return std::make_unique<FakeRatingStore>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, RatingStoreContract, FakeFactory);
INSTANTIATE_TYPED_TEST_SUITE_P(Fake, LadderContract, FakeFactory);

}  // namespace
}  // namespace tarot::ratings_service
