// Cuts connections whose server does not answer. A frozen server never answers, but its kernel
// still acknowledges TCP. So keepalives and tcp_user_timeout see no fault, and libpq waits for
// ever. Only a shutdown of the socket ends this wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "libs/base/clock.h"

namespace tarot::pg {

// A thread that shuts down each socket that is watched for longer than `limit`. It looks at the
// sockets every 0.1 s. Thread-safe.
class Watchdog {
  struct Watched {
    int socket = -1;
    Stopwatch age;
    bool cut = false;
  };

 public:
  // Watches a socket until the guard is destroyed. The socket must stay open until then.
  class Guard {
   public:
    Guard(Watchdog& watchdog, int socket);
    Guard(Guard&& other) noexcept;
    Guard& operator=(Guard&&) = delete;
    ~Guard();

   private:
    Watchdog* watchdog_;
    std::list<Watched>::iterator watched_;
  };

  // After each shutdown of a socket, calls `on_cut` on the thread of the watchdog. The steady clock
  // measures `limit`.
  Watchdog(absl::Duration limit, std::function<void()> on_cut);
  ~Watchdog();

 private:
  void Run();

  const absl::Duration limit_;
  const std::function<void()> on_cut_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  std::list<Watched> watched_;  // The oldest socket is first.
  bool stopping_ = false;
  std::jthread thread_;  // The thread uses the members above, so this member is last.
};

}  // namespace tarot::pg
