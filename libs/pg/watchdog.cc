#include "libs/pg/watchdog.h"

#include <sys/socket.h>

#include <utility>

namespace tarot::pg {

namespace {

// How often the thread looks at the sockets. Guards do not wake the thread, because this would cost
// each statement two switches between threads.
constexpr absl::Duration kInterval = absl::Milliseconds(100);

}  // namespace

Watchdog::Guard::Guard(Watchdog& watchdog, int socket) : watchdog_(&watchdog) {
  const std::lock_guard lock(watchdog.mutex_);
  watched_ = watchdog.watched_.insert(watchdog.watched_.end(), {.socket = socket});
}

Watchdog::Guard::Guard(Guard&& other) noexcept
    : watchdog_(std::exchange(other.watchdog_, nullptr)), watched_(other.watched_) {}

Watchdog::Guard::~Guard() {
  // If this guard was moved, another guard watches the socket now.
  if (watchdog_ == nullptr) return;
  const std::lock_guard lock(watchdog_->mutex_);
  watchdog_->watched_.erase(watched_);
}

Watchdog::Watchdog(absl::Duration limit, std::function<void()> on_cut)
    : limit_(limit), on_cut_(std::move(on_cut)), thread_([this] { Run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_one();
}

void Watchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, absl::ToChronoMilliseconds(kInterval),
                            [this] { return stopping_; })) {
    int cuts = 0;
    for (Watched& watched : watched_) {
      if (watched.age.Elapsed() < limit_) break;  // All later sockets are younger.
      if (watched.cut) continue;
      // The guard's destructor waits for this lock, so the connection still owns the socket here.
      ::shutdown(watched.socket, SHUT_RDWR);
      watched.cut = true;
      ++cuts;
    }
    lock.unlock();
    for (; cuts > 0; --cuts) on_cut_();
    lock.lock();
  }
}

}  // namespace tarot::pg
