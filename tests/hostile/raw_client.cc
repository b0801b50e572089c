#include "tests/hostile/raw_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"

namespace tarot::hostile {
namespace {

std::string BigEndian(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}

// Returns `text` as a string of HPACK (RFC 7541): its length in one or more bytes, then the text.
std::string HpackText(absl::string_view text) {
  std::string out;
  std::size_t rest = text.size();
  if (rest < 127) {
    out.push_back(static_cast<char>(rest));
  } else {
    out.push_back(127);
    for (rest -= 127; rest >= 128; rest /= 128) {
      out.push_back(static_cast<char>(rest % 128 + 128));
    }
    out.push_back(static_cast<char>(rest));
  }
  return absl::StrCat(out, text);
}

int ConnectSocket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  TAROT_CHECK(path.size() < sizeof address.sun_path);
  std::copy(path.begin(), path.end(), address.sun_path);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

int ConnectPort(const Target& target, int source) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 +
                               static_cast<std::uint32_t>(target.source + source % target.sources));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(target.port));
  if (bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from) == 0 &&
      connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}

bool Wait(int fd, short events, absl::Duration timeout) {
  pollfd poll_fd{.fd = fd, .events = events, .revents = 0};
  return poll(&poll_fd, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout))) > 0;
}

// Returns the value of the header grpc-status in `bytes`, or nullopt. HAProxy and gRPC write this
// header as plain text in the first answer of a connection.
std::optional<int> StatusIn(absl::string_view bytes) {
  constexpr absl::string_view kName = "grpc-status";
  for (std::size_t at = bytes.find(kName); at != absl::string_view::npos;
       at = bytes.find(kName, at + 1)) {
    const absl::string_view rest = bytes.substr(at + kName.size());
    int status = 0;
    if (rest.empty()) continue;
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(rest[0]));
    if (size <= 2 && rest.size() > size && absl::SimpleAtoi(rest.substr(1, size), &status)) {
      return status;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string Frame(FrameType type, std::uint8_t flags, unsigned stream, absl::string_view payload) {
  return absl::StrCat(BigEndian(static_cast<std::uint32_t>(payload.size()), 3),
                      std::string(1, static_cast<char>(type)),
                      std::string(1, static_cast<char>(flags)), BigEndian(stream, 4), payload);
}

std::string Preface(const std::vector<std::pair<int, std::uint32_t>>& settings) {
  std::string payload;
  for (const auto& [number, value] : settings) {
    absl::StrAppend(&payload, BigEndian(static_cast<std::uint32_t>(number), 2),
                    BigEndian(value, 4));
  }
  return absl::StrCat("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Frame(kSettings, 0, 0, payload));
}

std::string Header(absl::string_view name, absl::string_view value, bool indexed) {
  return absl::StrCat(std::string(1, indexed ? '\x40' : '\0'), HpackText(name), HpackText(value));
}

std::string HeaderBlock(absl::string_view path, const Headers& more) {
  std::string block =
      absl::StrCat(Header(":method", "POST"), Header(":scheme", "http"), Header(":path", path),
                   Header(":authority", "tarot"), Header("te", "trailers"),
                   Header("content-type", "application/grpc"));
  for (const auto& [name, value] : more) block += Header(name, value);
  return block;
}

std::string HeadersOf(unsigned stream, absl::string_view path, const Headers& more) {
  return Frame(kHeaders, kEndHeaders, stream, HeaderBlock(path, more));
}

std::string MessageOf(unsigned stream, absl::string_view message) {
  return Frame(kData, kEndStream, stream,
               absl::StrCat(std::string(1, '\0'),
                            BigEndian(static_cast<std::uint32_t>(message.size()), 4), message));
}

std::string ResetOf(unsigned stream) { return Frame(kReset, 0, stream, BigEndian(8, 4)); }

RawConnection::RawConnection(const Target& target, int source)
    : fd_(target.socket.empty() ? ConnectPort(target, source) : ConnectSocket(target.socket)) {
  if (fd_ >= 0) fcntl(fd_, F_SETFL, O_NONBLOCK);
}

RawConnection::~RawConnection() {
  if (fd_ >= 0) close(fd_);
}

bool RawConnection::Open() {
  if (fd_ < 0) return false;
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got > 0) continue;
    return got < 0 && (errno == EAGAIN || errno == EINTR);
  }
}

bool RawConnection::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN || !Wait(fd_, POLLOUT, absl::Seconds(1))) {
      return false;
    }
  }
  return true;
}

bool RawConnection::Push(absl::string_view bytes) {
  absl::StrAppend(&rest_, bytes);
  std::size_t done = 0;
  while (done < rest_.size()) {
    const ssize_t sent = send(fd_, rest_.data() + done, rest_.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent < 0) break;
    done += static_cast<std::size_t>(sent);
  }
  rest_.erase(0, done);
  return true;
}

void RawConnection::ShrinkBuffers() {
  const int bytes = 1;  // The kernel uses its smallest buffer size, because this number is smaller.
  setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

Answer RawConnection::Call(absl::string_view path, absl::string_view message, const Headers& more,
                           absl::Duration timeout) {
  Answer answer;
  if (fd_ < 0 || !Send(absl::StrCat(Preface(), HeadersOf(1, path, more), MessageOf(1, message)))) {
    return answer;
  }
  std::string all;
  std::array<char, 65536> bytes;
  const Stopwatch watch;
  while (answer.status < 0 && watch.Elapsed() < timeout) {
    if (!Wait(fd_, POLLIN, timeout - watch.Elapsed())) break;
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    all.append(bytes.data(), static_cast<std::size_t>(got));
    answer.status = StatusIn(all).value_or(-1);
  }
  // The message is in one DATA frame, after the five bytes of its length.
  for (std::size_t at = 0; at + 9 <= all.size();) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 3; ++i) size = size << 8 | static_cast<unsigned char>(all[at + i]);
    if (all[at + 3] == kData && size > 5) answer.message = all.substr(at + 14, size - 5);
    at += 9 + size;
  }
  return answer;
}

}  // namespace tarot::hostile
