#include "services/matchmaking/testing/fake_room_store.h"

#include "services/matchmaking/testing/room_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

struct FakeFactory {
  static TestStores Make() {
    const auto store = std::make_shared<FakeRoomStore>();
    return {.tickets = store, .rooms = store};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, RoomStoreContract, FakeFactory);

}  // namespace
}  // namespace tarot::matchmaking_service
