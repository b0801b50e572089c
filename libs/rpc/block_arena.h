// Keeps protobuf messages in one block of memory. Messages that fit into the block need no
// allocation. A view of a table has many parts, so separate allocations of all parts would cost
// much CPU time.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace tarot::rpc {

// An arena that starts with a block of `kBytes` bytes. If the messages need more, it allocates more
// memory. The arena must outlive its messages. Not thread-safe.
template <std::size_t kBytes>
class BlockArena {
 public:
  BlockArena() = default;
  BlockArena(const BlockArena&) = delete;
  BlockArena& operator=(const BlockArena&) = delete;

  template <typename Message>
  Message* Make() {
    return google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }
  // Destroys every message.
  void Reset() { arena_.Reset(); }

 private:
  google::protobuf::ArenaOptions Options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    return options;
  }

  alignas(8) std::array<char, kBytes> block_;
  google::protobuf::Arena arena_{Options()};
};

// One message in its own BlockArena. Not thread-safe.
template <typename Message>
class BlockMessage {
 public:
  BlockMessage() { Renew(); }

  // Destroys the message. Returns a new, empty message.
  Message* Renew() {
    arena_.Reset();
    return message_ = arena_.template Make<Message>();
  }

  Message& operator*() const { return *message_; }

 private:
  BlockArena<8 << 10> arena_;  // The view of a table in play fits into this block.
  Message* message_;
};

}  // namespace tarot::rpc
