// Shows friends as text. The function is pure.
#pragma once

#include <string>

#include "tarot/matchmaking/v1/friend_service.pb.h"

namespace tarot::tarotctl {

// Returns one line for each friend, request and block, under a title for each relation, and at the
// end the id of `me`, which others need to ask this player.
std::string RenderFriends(const matchmaking::v1::ListFriendsResponse& list, const std::string& me);

}  // namespace tarot::tarotctl
