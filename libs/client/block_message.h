// A message that lies in one block of memory with all its parts: a view of a table has some hundred
// of them, and to ask for each and give it back was a third of a client's time.
#pragma once

#include <google/protobuf/arena.h>

#include <array>

namespace tarot::client {

// Not thread-safe.
template <typename Message>
class BlockMessage {
 public:
  BlockMessage() { Renew(); }
  BlockMessage(const BlockMessage&) = delete;
  BlockMessage& operator=(const BlockMessage&) = delete;

  // Makes an empty one in the place of the one before, which is gone.
  void Renew() {
    arena_.Reset();
    message_ = google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

  Message& operator*() const { return *message_; }
  Message* operator->() const { return message_; }

 private:
  google::protobuf::ArenaOptions Options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    return options;
  }

  alignas(8) std::array<char, 8 << 10> block_;  // A table in play; what is larger asks for more.
  google::protobuf::Arena arena_{Options()};
  Message* message_;
};

}  // namespace tarot::client
