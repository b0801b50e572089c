#include "tests/chaos/delay_line.h"

#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "libs/base/check.h"
#include "tools/load/history.h"

namespace tarot::chaos {
namespace {

int OpenTap(const std::string& name) {
  const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  TAROT_CHECK(fd >= 0 && ioctl(fd, TUNSETIFF, &request) == 0);
  return fd;
}

int OpenDevice(const std::string& name) {
  const int fd =
      socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // With protocol 0, the socket only sends.
  const unsigned mark = DelayLine::kMark;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
  TAROT_CHECK(fd >= 0 && address.sll_ifindex > 0 &&
              bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
              setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark) == 0);
  return fd;
}

}  // namespace

DelayLine::DelayLine(const std::string& device, const std::string& tap)
    : tap_(OpenTap(tap)), out_(OpenDevice(device)), over_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this] { Run(); });
}

DelayLine::~DelayLine() {
  eventfd_write(over_, 1);
  thread_.join();
  for (const int fd : {tap_, out_, over_}) close(fd);
}

void DelayLine::Run() {
  std::array<pollfd, 2> polled = {{{tap_, POLLIN, 0}, {over_, POLLIN, 0}}};
  while (true) {
    timespec wait{};
    if (!frames_.empty()) {
      const std::int64_t us = std::max<std::int64_t>(frames_.front().due_us - load::NowMicros(), 0);
      wait = {us / 1'000'000, us % 1'000'000 * 1000};
    }
    ppoll(polled.data(), polled.size(), frames_.empty() ? nullptr : &wait, nullptr);
    if (polled[1].revents != 0) return;
    Receive();
    SendDue();
  }
}

void DelayLine::Receive() {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t size = read(tap_, buffer.data(), buffer.size());
    if (size <= 0) return;
    // Keeps the order of packets even if the delay has just become shorter.
    const std::int64_t before = frames_.empty() ? 0 : frames_.back().due_us;
    frames_.push_back({std::max(before, load::NowMicros() + delay_us_),
                       std::string(buffer.data(), static_cast<std::size_t>(size))});
  }
}

void DelayLine::SendDue() {
  while (!frames_.empty() && frames_.front().due_us <= load::NowMicros()) {
    // If the device does not take a packet, the packet is lost, as in any network.
    const std::string& bytes = frames_.front().bytes;
    (void)!send(out_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    frames_.pop_front();
  }
}

}  // namespace tarot::chaos
