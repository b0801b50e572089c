#include "services/matchmaking/testing/fake_player_store.h"

#include "services/matchmaking/testing/player_store_contract.h"
#include "services/matchmaking/testing/room_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

struct FakeFactory {
  static TestStores Make() {
    const auto store = std::make_shared<FakePlayerStore>();
    return {.tickets = store, .rooms = store, .players = store};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fake, RoomStoreContract, FakeFactory);
INSTANTIATE_TYPED_TEST_SUITE_P(Fake, PlayerStoreContract, FakeFactory);

}  // namespace
}  // namespace tarot::matchmaking_service
