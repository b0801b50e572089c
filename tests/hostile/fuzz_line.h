// The connections of tarot-fuzz-door: one kind calls with gRPC, as programs do, and one kind with
// gRPC-Web, as browsers do.
#pragma once

#include <google/protobuf/descriptor.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/base/rng.h"
#include "tests/hostile/random_message.h"

namespace tarot::hostile {

struct FuzzAnswer {
  absl::Status status;
  std::vector<std::string> messages;  // Encoded. A stream may have several.
  // True if the line ended the call itself, because its own deadline was short.
  bool ended_here = false;
};

// Not thread-safe.
class FuzzLine {
 public:
  virtual ~FuzzLine() = default;

  // Opens a new connection in place of the present one.
  virtual void Connect() = 0;
  // Makes one call and waits for its answer. Reads only the first messages of a stream.
  virtual FuzzAnswer Call(const google::protobuf::MethodDescriptor& method,
                          const std::string& request, const std::string& token) = 0;
  // Sends bytes that may break the rules of HTTP/1.1, and ignores the answer. Without gRPC-Web this
  // function does nothing, because gRPC's client sends only right frames.
  virtual void SendDamaged(const google::protobuf::MethodDescriptor& /*method*/,
                           const std::string& /*request*/, const std::string& /*token*/,
                           Memory& /*memory*/) {}
};

// `address` is HAProxy's port for programs. `rng` must outlive the line.
std::unique_ptr<FuzzLine> MakeGrpcLine(const std::string& address, Rng& rng);

// `address` is HAProxy's port for browsers. `gateway` is the Unix socket of the gateway's HTTP
// door. Damaged requests go there, because HAProxy does not forward them.
std::unique_ptr<FuzzLine> MakeWebLine(const std::string& address, const std::string& gateway,
                                      Rng& rng);

}  // namespace tarot::hostile
