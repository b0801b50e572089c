// Shows friends as text. The function is pure.
#pragma once

#include <string>

#include "tarot/matchmaking/v1/friend_service.pb.h"

namespace tarot::tarotctl {

// Returns one line for each friend, request and block, under a title for each relation. The last
// line has the id of `me`: another player needs this id to send a friend request.
std::string RenderFriends(const matchmaking::v1::ListFriendsResponse& list, const std::string& me);

}  // namespace tarot::tarotctl
