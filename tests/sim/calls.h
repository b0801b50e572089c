// What a service's transport does with a call, in the simulation.
#pragma once

#include <functional>

#include "tests/sim/network.h"
#include "tests/sim/process.h"

namespace tarot::sim {

// The answer where only the status matters.
struct Done {};

// What runs on a machine.
template <typename Process>
Process& PartsOf(Life& life) {
  return *static_cast<Process*>(life.parts.get());
}

// A worker of the process that serves the call runs `call`, or the call is refused.
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

// A Reply that takes a bare status.
inline std::function<void(const absl::Status&)> StatusReply(const Reply<Done>& reply) {
  return [reply](const absl::Status& status) { status.ok() ? reply(Done{}) : reply(status); };
}

// A `done` that wants a bare status.
inline absl::AnyInvocable<void(absl::StatusOr<Done>)> StatusDone(
    absl::AnyInvocable<void(absl::Status)> done) {
  return [done = std::move(done)](const absl::StatusOr<Done>& answer) mutable {
    done(answer.status());
  };
}

}  // namespace tarot::sim
