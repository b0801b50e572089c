#include "libs/pg/watchdog.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace tarot::pg {

Watchdog::Guard::Guard(Watchdog& watchdog, int socket) : watchdog_(&watchdog) {
  const std::lock_guard lock(watchdog.mutex_);
  watched_ = watchdog.watched_.insert(watchdog.watched_.end(), {.socket = socket});
  // The thread waits for the limit of the oldest socket. Wake it if this new socket is the oldest.
  if (watched_ == watchdog.watched_.begin()) watchdog.changed_.notify_one();
}

Watchdog::Guard::Guard(Guard&& other) noexcept
    : watchdog_(std::exchange(other.watchdog_, nullptr)), watched_(other.watched_) {}

Watchdog::Guard::~Guard() {
  // Another guard watches the socket now, because this guard was moved.
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
  changed_.notify_one();
}

void Watchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto next = std::find_if(watched_.begin(), watched_.end(),
                                   [](const Watched& watched) { return !watched.cut; });
    if (next == watched_.end()) {
      changed_.wait(lock);
      continue;
    }
    const absl::Duration left = limit_ - next->age.Elapsed();
    if (left > absl::ZeroDuration()) {
      changed_.wait_for(lock, absl::ToChronoMilliseconds(left + absl::Milliseconds(1)));
      continue;
    }
    // The guard's destructor waits for this lock, so the connection still owns the socket here.
    ::shutdown(next->socket, SHUT_RDWR);
    next->cut = true;
    lock.unlock();
    on_cut_();
    lock.lock();
  }
}

}  // namespace tarot::pg
