// Speaks HTTP/2 in raw frames, so that a test can break its rules in ways that no library allows.
#pragma once

#include <sys/types.h>

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
  int source = 1;           // The attacker's own address on loopback: 127.0.0.SOURCE.
  pid_t door = 0;           // HAProxy's master process.
  std::string socket = {};  // The path of a Unix socket; then the others do not count.
};

inline constexpr absl::string_view kSignIn = "/tarot.gateway.v1.SessionService/CreateGuestSession";

// Returns the bytes that a client sends first.
std::string Preface();
// Returns the frames of the headers of one call, without a message.
std::string HeadersOf(unsigned stream, absl::string_view path,
                      const std::vector<std::pair<std::string, std::string>>& more = {});
// Returns a HEADERS frame that announces more headers, and a CONTINUATION frame with `bytes` of
// them that announces more again.
std::string UnfinishedHeaders(unsigned stream, absl::string_view path);
std::string MoreHeaders(unsigned stream, absl::string_view bytes);
// Returns the frame of one whole message, with which the client ends its side.
std::string MessageOf(unsigned stream, absl::string_view message);
std::string ResetOf(unsigned stream);

// One connection. Not thread-safe.
class RawConnection {
 public:
  explicit RawConnection(const Target& target);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Returns false if the other end has closed the connection. Throws away what it has sent.
  bool Open();
  // Returns false if the bytes could not be sent within a second.
  bool Send(absl::string_view bytes);
  // Sends one whole call as the first one of this connection. Returns its grpc-status, or nothing
  // if there is no answer within `timeout`.
  std::optional<int> Call(absl::string_view path, absl::string_view message,
                          const std::vector<std::pair<std::string, std::string>>& more,
                          absl::Duration timeout);

 private:
  int fd_ = -1;
};

}  // namespace tarot::hostile
