#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "libs/base/check.h"
#include "libs/pg/watchdog.h"

namespace tarot::pg {
namespace {

// Two connected sockets.
class SocketPair {
 public:
  SocketPair() { TAROT_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()) == 0); }
  ~SocketPair() {
    for (const int socket : sockets_) ::close(socket);
  }
  int watched() const { return sockets_[0]; }
  // Waits for a byte that the other side never sends, like a statement on a frozen server. Returns
  // when the watchdog shuts the socket down.
  void WaitUntilCut() const {
    char byte = 0;
    EXPECT_EQ(::recv(watched(), &byte, 1, 0), 0);
  }

 private:
  std::array<int, 2> sockets_{};
};

TEST(WatchdogTest, CutsEachSocketThatIsWatchedTooLong) {
  std::atomic<int> cuts = 0;
  const SocketPair first;
  const SocketPair second;
  {
    Watchdog watchdog(absl::Milliseconds(10), [&] { ++cuts; });
    const Watchdog::Guard guard(watchdog, first.watched());
    first.WaitUntilCut();
    // The guard of the first socket still exists when the second statement begins.
    const Watchdog::Guard another(watchdog, second.watched());
    second.WaitUntilCut();
  }  // The destructor waits until the thread and its calls of on_cut have ended.
  EXPECT_EQ(cuts, 2);
}

TEST(WatchdogTest, LeavesSocketsAloneThatAreNoLongerWatched) {
  std::atomic<int> cuts = 0;
  const SocketPair slow;
  const SocketPair quick;
  Watchdog watchdog(absl::Milliseconds(500), [&] { ++cuts; });
  { const Watchdog::Guard guard(watchdog, quick.watched()); }
  const Watchdog::Guard guard(watchdog, slow.watched());
  slow.WaitUntilCut();
  char byte = 0;
  EXPECT_EQ(::recv(quick.watched(), &byte, 1, MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace tarot::pg
