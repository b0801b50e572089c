// Messages in one block of memory of a known size, so that as long as they fit nothing is asked
// for.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>

namespace tarot::rpc {

// What is larger than the block asks for more. Nothing made in it outlives it. Not thread-safe.
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
  // All that was made is gone.
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

}  // namespace tarot::rpc
