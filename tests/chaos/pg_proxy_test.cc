// Tests the proxy with an echo server in place of Postgres.
#include "tests/chaos/pg_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "tools/load/history.h"

namespace tarot::chaos {
namespace {

// An echo server: sends the bytes of each connection back, until the connection ends.
class Echo {
 public:
  explicit Echo(const std::string& path) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this] {
      while (true) {
        const int fd = accept(listener_, nullptr, nullptr);
        if (fd < 0) return;
        char byte;
        while (recv(fd, &byte, 1, 0) == 1) {
          received_ = byte;
          (void)send(fd, &byte, 1, MSG_NOSIGNAL);
        }
        close(fd);
      }
    });
  }
  ~Echo() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    unlink(path_.c_str());
  }
  char received() const { return received_; }

 private:
  const std::string path_;
  int listener_;
  std::atomic<char> received_ = 0;
  std::thread thread_;
};

class PgProxyTest : public testing::Test {
 protected:
  ~PgProxyTest() override { close(fd_); }

  void Connect() {
    fd_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(proxy_.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  // Sends `byte` and waits for at most `ms` milliseconds. Returns the byte that arrives, 0 if the
  // connection ends, or -1 if nothing arrives.
  int Ask(char byte, int ms = 5000) {
    EXPECT_EQ(send(fd_, &byte, 1, MSG_NOSIGNAL), 1);
    return Answer(ms);
  }
  int Answer(int ms = 5000) {
    pollfd poll_fd{fd_, POLLIN, 0};
    if (poll(&poll_fd, 1, ms) == 0) return -1;
    char byte = 0;
    return recv(fd_, &byte, 1, 0) == 1 ? byte : 0;
  }

  const std::string path_ = absl::StrCat("/tmp/tarot-echo-", getpid());
  Echo echo_{path_};
  PgProxy proxy_{"127.0.0.1", path_};
  int fd_ = -1;
};

TEST_F(PgProxyTest, ForwardsBytesInBothDirections) {
  Connect();
  for (const char byte : {'a', 'b', 'c'}) EXPECT_EQ(Ask(byte), byte);
}

TEST_F(PgProxyTest, DelaysAnswers) {
  Connect();
  proxy_.Delay(150);
  const std::int64_t start = load::NowMicros();
  EXPECT_EQ(Ask('a'), 'a');
  EXPECT_GE(load::NowMicros() - start, 150'000);
}

TEST_F(PgProxyTest, FreezesAndThaws) {
  Connect();
  EXPECT_EQ(Ask('a'), 'a');
  proxy_.Freeze(true);
  usleep(20'000);
  EXPECT_EQ(Ask('b', 200), -1);
  proxy_.Freeze(false);
  EXPECT_EQ(Answer(), 'b');
}

TEST_F(PgProxyTest, CutEndsTheConnectionAfterTheRequestArrived) {
  Connect();
  EXPECT_EQ(Ask('a'), 'a');
  proxy_.Cut(true);
  EXPECT_EQ(Ask('b'), 0);
  EXPECT_EQ(echo_.received(), 'b');
  proxy_.Cut(false);
  close(fd_);
  Connect();
  EXPECT_EQ(Ask('c'), 'c');
}

}  // namespace
}  // namespace tarot::chaos
