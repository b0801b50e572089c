#include "services/matchmaking/testing/fake_ticket_store.h"

#include "services/matchmaking/testing/ticket_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

struct FakeFactory {
  static std::unique_ptr<TicketStore> Make() { return std::make_unique<FakeTicketStore>(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, TicketStoreContract, FakeFactory);

TEST(FakeTicketStoreTest, ReturnsTheFailureThatWasSet) {
  FakeTicketStore store;
  store.set_failure(absl::UnavailableError("away"));
  EXPECT_THAT(store.ReadChanges(0), testkit::StatusIs(absl::StatusCode::kUnavailable));
  store.set_failure(absl::OkStatus());
  EXPECT_THAT(store.ReadChanges(0), testkit::IsOk());
}

}  // namespace
}  // namespace tarot::matchmaking_service
