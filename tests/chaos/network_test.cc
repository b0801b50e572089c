// Tests that Network cuts, loses and delays datagrams, which an echo server sends back. Needs root.
#include "tests/chaos/network.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "absl/time/clock.h"

namespace tarot::chaos {
namespace {

constexpr int kPort = 7007;

sockaddr_in AddressOf(const std::string& host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

[[noreturn]] void EchoForEver() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in here = AddressOf("0.0.0.0");
  if (bind(fd, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) _exit(1);
  while (true) {
    int number;
    sockaddr_in from{};
    socklen_t size = sizeof from;
    auto* address = reinterpret_cast<sockaddr*>(&from);
    if (recvfrom(fd, &number, sizeof number, 0, address, &size) > 0) {
      (void)sendto(fd, &number, sizeof number, 0, address, size);
    }
  }
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Network::Possible()) << "needs root and the kernel features that network.h names";
    network_ = std::make_unique<Network>(std::vector<std::string>{"rules", "gateway"});
    for (const std::string& process : network_->processes()) {
      echoes_.push_back(fork());
      if (echoes_.back() != 0) continue;
      network_->Enter(process);
      EchoForEver();
    }
    const absl::Time start = absl::Now();
    while (Answers("rules", 1) + Answers("gateway", 1) < 2) {
      ASSERT_LT(absl::Now() - start, absl::Seconds(10)) << "no echo";
    }
  }
  void TearDown() override {
    for (const pid_t echo : echoes_) {
      kill(echo, SIGKILL);
      waitpid(echo, nullptr, 0);
    }
  }

  // Sends `sent` datagrams at once and returns how many come back. Sets `took_` to the time until
  // the last datagram came back. Use at most about 200 datagrams, because more datagrams do not fit
  // into a socket buffer.
  int Answers(const std::string& process, int sent) {
    return AnswersFrom(network_->HostOf(process), sent);
  }
  int AnswersFrom(const std::string& host, int sent) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    const sockaddr_in there = AddressOf(host);
    const auto* address = reinterpret_cast<const sockaddr*>(&there);
    const absl::Time start = absl::Now();
    for (int number = 0; number < sent; ++number) {
      (void)sendto(fd, &number, sizeof number, 0, address, sizeof there);
    }
    int answers = 0, last = -1;
    pollfd polled = {fd, POLLIN, 0};
    while (answers < sent && poll(&polled, 1, 1000) > 0) {
      int number;
      if (recv(fd, &number, sizeof number, 0) <= 0) break;
      EXPECT_GT(number, last) << "out of order";
      last = number;
      ++answers;
      took_ = absl::Now() - start;
    }
    close(fd);
    return answers;
  }

  std::unique_ptr<Network> network_;
  std::vector<pid_t> echoes_;
  absl::Duration took_;
};

TEST_F(NetworkTest, CutsOneProcessUntilHealed) {
  network_->Cut("rules", "");
  EXPECT_EQ(Answers("rules", 3), 0);
  EXPECT_EQ(Answers("gateway", 3), 3);
  network_->Heal("rules", "");
  EXPECT_EQ(Answers("rules", 3), 3);
}

TEST_F(NetworkTest, CutSecondLeavesTheFirstAddress) {
  network_->CutSecond("gateway");
  EXPECT_EQ(AnswersFrom(network_->SecondHostOf("gateway"), 3), 0);
  EXPECT_EQ(Answers("gateway", 3), 3);
  network_->HealSecond("gateway");
  EXPECT_EQ(AnswersFrom(network_->SecondHostOf("gateway"), 3), 3);
}

// Three quarters of the packets pass each way. So 84 of 150 come back, with a standard deviation of
// 6.
TEST_F(NetworkTest, LosesItsShareOfPacketsUntilReset) {
  network_->Lose("rules", 25);
  EXPECT_NEAR(Answers("rules", 150), 84, 36);
  EXPECT_EQ(Answers("gateway", 100), 100);
  network_->LoseNothing("rules");
  EXPECT_EQ(Answers("rules", 100), 100);
}

TEST_F(NetworkTest, DelaysPacketsToAProcessUntilReset) {
  network_->Delay("rules", absl::Milliseconds(400));
  EXPECT_EQ(Answers("rules", 20), 20);
  EXPECT_GE(took_, absl::Milliseconds(400));
  EXPECT_EQ(Answers("gateway", 20), 20);
  EXPECT_LT(took_, absl::Milliseconds(400));
  network_->DelayNothing("rules");
  EXPECT_EQ(Answers("rules", 20), 20);
  EXPECT_LT(took_, absl::Milliseconds(400));
}

TEST_F(NetworkTest, LosesDelayedPackets) {
  network_->Delay("rules", absl::Milliseconds(50));
  network_->Lose("rules", 25);
  EXPECT_NEAR(Answers("rules", 150), 84, 36);
  EXPECT_GE(took_, absl::Milliseconds(50));
}

}  // namespace
}  // namespace tarot::chaos
