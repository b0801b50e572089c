// Speaks HTTP/2 in raw frames, so that a test can break the rules of HTTP/2 in ways that no library
// allows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::hostile {

// The server under attack: a port of loopback, or a Unix socket.
struct Target {
  int port = 0;
  int page_port = 0;        // The port for browsers.
  int source = 1;           // The attacker's first address on loopback: 127.0.0.SOURCE.
  int sources = 1;          // The number of the attacker's addresses.
  pid_t door = 0;           // HAProxy's master process.
  std::string socket = {};  // If not empty: a Unix socket, in place of the port.
};

using Headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr absl::string_view kSignIn = "/tarot.gateway.v1.SessionService/CreateGuestSession";

// The frames of HTTP/2 (RFC 9113).
enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kWindowUpdate = 8,
  kContinuation = 9
};
inline constexpr std::uint8_t kEndStream = 1, kEndHeaders = 4;
std::string Frame(FrameType type, std::uint8_t flags, unsigned stream, absl::string_view payload);

// Returns the bytes that a client sends first. `settings` are pairs of numbers.
std::string Preface(const std::vector<std::pair<int, std::uint32_t>>& settings = {});
// Returns the headers of a call in HPACK (RFC 7541). They add nothing to HPACK's dynamic table.
std::string HeaderBlock(absl::string_view path, const Headers& more = {});
// Returns one header in HPACK. If `indexed`, the header enters the dynamic table.
std::string Header(absl::string_view name, absl::string_view value, bool indexed = false);
// Returns the frame of the headers of one call, without a message.
std::string HeadersOf(unsigned stream, absl::string_view path, const Headers& more = {});
// Returns the frame of one complete message. With this frame, the client also ends its side of the
// stream.
std::string MessageOf(unsigned stream, absl::string_view message);
std::string ResetOf(unsigned stream);

struct Answer {
  int status = -1;      // The grpc-status, or -1 if none came.
  std::string message;  // The bytes of the answer's message.
};

// One connection. Not thread-safe.
class RawConnection {
 public:
  // The connection comes from the attacker's address number `source`.
  explicit RawConnection(const Target& target, int source = 0);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Returns false if the other end has closed the connection. Discards the bytes that the other end
  // has sent.
  bool Open();
  // Returns false if the bytes could not be sent within a second.
  bool Send(absl::string_view bytes);
  // Sends what the socket takes now, and keeps the rest for the next call. Returns false if the
  // connection is lost.
  bool Push(absl::string_view bytes);
  // Returns true if Push has sent all its bytes.
  bool pushed() const { return rest_.empty(); }
  // Makes the socket's receive buffer so small that the other end soon cannot send more.
  void ShrinkBuffers();

  // Sends one complete call as the first call of this connection, and waits for the answer.
  Answer Call(absl::string_view path, absl::string_view message, const Headers& more,
              absl::Duration timeout);

 private:
  int fd_ = -1;
  std::string rest_;
};

}  // namespace tarot::hostile
