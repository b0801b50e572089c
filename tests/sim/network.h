// The network between simulated machines. It can delay, repeat and drop messages, and cut two
// machines off from each other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "tests/sim/process.h"

namespace tarot::sim {

class Network {
 public:
  explicit Network(SimulatedWorld& world) : world_(world) {}

  // Sets whether messages may be late, repeated or dropped. Before the first call, no message is
  // late, repeated or dropped.
  void set_bad(bool bad) { bad_ = bad; }
  void Cut(const Node& a, const Node& b) { cut_.insert(Key(a, b)); }
  void Heal(const Node& a, const Node& b) { cut_.erase(Key(a, b)); }
  void HealAll() { cut_.clear(); }
  bool Connected(const Node& a, const Node& b) const { return !cut_.contains(Key(a, b)); }

  // Delivers `message` to another machine: in time, late, twice, or not at all.
  void Send(const Node& from, const Node& to, std::function<void()> message) {
    if (!Connected(from, to) || (bad_ && world_.Chance(150))) return;
    const int copies = bad_ && world_.Chance(150) ? 2 : 1;
    for (int copy = 0; copy < copies; ++copy) world_.After(Delay(), message);
  }

  // Returns the delay of one message. Streams use this function instead of Send, because a stream
  // keeps the order of its messages and loses none until it breaks.
  absl::Duration Delay() {
    if (bad_ && world_.Chance(300)) {
      return world_.Between(absl::Milliseconds(1), absl::Milliseconds(1500));
    }
    return world_.Between(absl::Microseconds(100), absl::Milliseconds(2));
  }

 private:
  static std::pair<std::string, std::string> Key(const Node& a, const Node& b) {
    return std::minmax(a.name, b.name);
  }

  SimulatedWorld& world_;
  bool bad_ = false;
  std::set<std::pair<std::string, std::string>> cut_;
};

// Sends the answer of a call from the server to the caller, who ignores a second answer.
template <typename Answer>
using Reply = std::function<void(absl::StatusOr<Answer>)>;

// Makes a unary call from one process to the process that runs on `to`. `serve` runs there in an
// event, once for each copy of the request, and may use a pool for the work. If the caller lives,
// `done` is called exactly once. It gets the answer, UNAVAILABLE or DEADLINE_EXCEEDED.
template <typename Answer>
void Call(Network& network, Life& from, Node& to, absl::Duration timeout,
          std::function<void(Life&, Reply<Answer>)> serve,
          absl::AnyInvocable<void(absl::StatusOr<Answer>)> done) {
  using Result = absl::StatusOr<Answer>;
  const auto result = std::make_shared<Result>(absl::DeadlineExceededError("No answer in time."));
  const std::weak_ptr<Life> caller = from.weak_from_this();
  Node& home = from.node();
  // This task runs once: at the answer, or at the end of `timeout` if no answer has come.
  const std::uint64_t task =
      from.Keep([result, done = std::move(done)]() mutable { done(std::move(*result)); });
  home.world.After(timeout, [caller, task] {
    if (const std::shared_ptr<Life> life = caller.lock()) life->Run(task);
  });
  const auto deliver = [caller, task, result](Result answer) {
    const std::shared_ptr<Life> life = caller.lock();
    if (life == nullptr || !life->Waits(task)) return;
    *result = std::move(answer);
    life->Run(task);
  };
  network.Send(home, to, [&network, &home, &to, serve = std::move(serve), deliver] {
    if (!to.up()) {
      const Result refused = absl::UnavailableError("Connection refused.");
      return network.Send(to, home, [deliver, refused] { deliver(refused); });
    }
    Life& server = *to.life();
    const std::weak_ptr<Life> served_by = server.weak_from_this();
    Reply<Answer> reply = [&network, &home, &to, served_by, deliver](Result answer) {
      const std::shared_ptr<Life> life = served_by.lock();
      if (life == nullptr || !life->alive()) return;
      network.Send(to, home, [deliver, answer = std::move(answer)] { deliver(answer); });
    };
    server.After(absl::ZeroDuration(), [&server, serve, reply = std::move(reply)]() mutable {
      serve(server, std::move(reply));
    });
  });
}

// Makes a call as Call() does, and waits for the answer on a thread of the calling process. If the
// process dies, returns UNAVAILABLE.
template <typename Answer>
absl::StatusOr<Answer> CallAndWait(Network& network, Life& from, Node& to, absl::Duration timeout,
                                   std::function<void(Life&, Reply<Answer>)> serve) {
  const auto result =
      std::make_shared<absl::StatusOr<Answer>>(absl::UnavailableError("The caller is dead."));
  if (!from.alive()) return *result;
  from.Await([&](std::function<void()> go_on) {
    Call<Answer>(network, from, to, timeout, std::move(serve),
                 [result, go_on = std::move(go_on)](absl::StatusOr<Answer> answer) {
                   *result = std::move(answer);
                   go_on();
                 });
  });
  return *result;
}

}  // namespace tarot::sim
