// A message that lies in one block of memory with all its parts: a view of a table has some hundred
// of them, and to ask for each and give it back was a sixth of a client's instructions.
#pragma once

#include "libs/rpc/block_arena.h"

namespace tarot::client {

// Not thread-safe.
template <typename Message>
class BlockMessage {
 public:
  BlockMessage() { Renew(); }

  // Makes an empty one in the place of the one before, which is gone.
  void Renew() {
    arena_.Reset();
    message_ = arena_.template Make<Message>();
  }

  Message& operator*() const { return *message_; }
  Message* operator->() const { return message_; }

 private:
  rpc::BlockArena<8 << 10> arena_;  // A table in play fits.
  Message* message_;
};

}  // namespace tarot::client
