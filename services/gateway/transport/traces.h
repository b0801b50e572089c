// Gives every call of a player its trace, tells the client the trace's id, and logs calls that the
// gateway answers itself.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/entropy.h"

namespace tarot::gateway_service {

// Thread-safe.
class Traces {
 public:
  // One of `one_in` calls is sampled.
  Traces(int one_in, Entropy& entropy) : one_in_(one_in), entropy_(entropy) {}

  // Returns the traceparent of `call`, and puts the trace's id into the metadata of its answer.
  // Keeps the id that the client has sent, if it is well formed. Ignores whether the client wants
  // the call to be sampled, because each sampled call writes lines in the logs of all processes.
  std::string Begin(grpc::CallbackServerContext& call);

 private:
  const int one_in_;
  Entropy& entropy_;
  std::atomic<std::uint64_t> calls_ = 0;
};

// Logs a call that the gateway has answered itself, if the call needs a line (rpc::LogCall). The
// call ran from `start` to `now`.
void LogAnswered(absl::string_view method, const absl::Status& status,
                 const std::string& traceparent, absl::Time start, absl::Time now);

}  // namespace tarot::gateway_service
