// Gives every call of a player a trace, sends the trace's id to the client, and logs the calls that
// the gateway answers itself.
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

  // Returns the traceparent of `call`, and puts the trace's id into the metadata of the answer.
  // Keeps the id of the client's traceparent if it is well formed. The gateway decides whether the
  // call is sampled, because each sampled call writes lines in the logs of all processes.
  std::string Begin(grpc::CallbackServerContext& call);

 private:
  const int one_in_;
  Entropy& entropy_;
  std::atomic<std::uint64_t> calls_ = 0;
};

// Logs a call that the gateway itself has answered, if rpc::LogCall() writes a line for such a
// call. The call ran from `start` to `now`.
void LogAnswered(absl::string_view method, const absl::Status& status,
                 const std::string& traceparent, absl::Time start, absl::Time now);

}  // namespace tarot::gateway_service
