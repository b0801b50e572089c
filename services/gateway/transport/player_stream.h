// A server stream that a player holds open, whoever serves it.
#pragma once

#include "libs/base/ids.h"

namespace tarot::gateway {

class PlayerStream {
 public:
  virtual ~PlayerStream() = default;
  // Ends it with UNAVAILABLE SERVICE_AWAY: the player opens another elsewhere. Any thread, any time
  // until StreamDone.
  virtual void SendAway() = 0;
};

class CallOwner {
 public:
  virtual ~CallOwner() = default;
  // It is over, and gone when this returns.
  virtual void StreamDone(PlayerStream& stream, const PlayerId& player) = 0;
  virtual void UnaryDone(const PlayerId& player) = 0;
};

}  // namespace tarot::gateway
