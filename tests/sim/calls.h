// Replaces a service's transport: runs calls on worker threads and sends the answers.
#pragma once

#include <functional>

#include "tests/sim/network.h"
#include "tests/sim/process.h"

namespace tarot::sim {

// The answer of a call that returns only a status.
struct Done {};

// Returns the objects that make up the process `life`. Their type must be `Process`.
template <typename Process>
Process& PartsOf(Life& life) {
  return *static_cast<Process*>(life.parts.get());
}

// Returns a function that runs `call` on a worker of the serving process. If the workers' queue is
// full, the function answers UNAVAILABLE.
template <typename Process, typename Answer>
std::function<void(Life&, Reply<Answer>)> OnWorker(
    std::function<void(Process&, const Reply<Answer>&)> call) {
  return [call](Life& life, const Reply<Answer>& reply) {
    auto& process = PartsOf<Process>(life);
    if (!process.workers.TryRun([&process, call, reply] { call(process, reply); })) {
      reply(absl::UnavailableError("OVERLOADED"));
    }
  };
}

// Returns a function that sends a status as the answer.
inline std::function<void(const absl::Status&)> StatusReply(const Reply<Done>& reply) {
  return [reply](const absl::Status& status) { status.ok() ? reply(Done{}) : reply(status); };
}

// Turns a callback that takes a Status into a callback that takes a StatusOr<Done>.
inline absl::AnyInvocable<void(absl::StatusOr<Done>)> StatusDone(
    absl::AnyInvocable<void(absl::Status)> done) {
  return [done = std::move(done)](const absl::StatusOr<Done>& answer) mutable {
    done(answer.status());
  };
}

}  // namespace tarot::sim
