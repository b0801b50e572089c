// A server stream that lives on after a loss: re-opens itself with backoff until the server ends
// it.
#pragma once

namespace tarot::client {

// Destroying it ends the stream and waits for a callback that runs; nothing is called afterwards.
// So never destroy it in its own callback.
class Watch {
 public:
  virtual ~Watch() = default;
};

}  // namespace tarot::client
