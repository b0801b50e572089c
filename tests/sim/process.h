// A simulated process and its machine. A process can die, start again and pause.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "tests/sim/fiber.h"
#include "tests/sim/simulated_world.h"

namespace tarot::sim {

class Node;
class Pool;

// One process from its start to its death. After its death, running tasks still run to their end,
// but other processes do not see their effects. The last task ends before `parts` is destroyed.
class Life final : public Clock,
                   public Scheduler,
                   public Entropy,
                   public std::enable_shared_from_this<Life> {
 public:
  Life(Node& node, std::uint64_t seed);
  ~Life() override;

  // The process whose code runs now, or nullptr.
  static Life* Current();

  bool alive() const { return alive_; }
  Node& node() const { return node_; }
  SimulatedWorld& world() const;
  absl::Time start() const { return start_; }

  absl::Time Now() override;
  void After(absl::Duration delay, absl::AnyInvocable<void()> task) override;
  void Fill(absl::Span<std::uint8_t> out) override { entropy_.Fill(out); }

  // Keeps a task and returns its number. Run(number) starts the task, at most once, and only if the
  // process lives. A paused process runs the task after the pause.
  std::uint64_t Keep(absl::AnyInvocable<void()> task);
  void Run(std::uint64_t task);
  bool Waits(std::uint64_t task) const { return tasks_.contains(task); }

  // Starts a thread that runs `task`.
  void Spawn(absl::AnyInvocable<void()> task);
  // Waits for `delay`. Call this function only on a thread (Spawn, Pool), because a timer's task
  // must not wait. A dead process does not wait.
  void Sleep(absl::Duration delay);
  // Waits until a task calls the function that `start` gets, or until the process dies. `start`
  // must not call this function itself. Call Await only on a thread, and only while the process
  // lives.
  void Await(const std::function<void(std::function<void()> go_on)>& start);

  // All objects that make up the process.
  std::shared_ptr<void> parts;

 private:
  friend class Node;
  friend class Pool;

  void RunAfter(absl::Duration delay, std::uint64_t task);
  void CatchUp();
  void Go(Fiber* fiber);
  void Bury();  // Ends all tasks of a dead process. A fiber must not call it.

  Node& node_;
  const absl::Time start_;
  SeededEntropy entropy_;
  bool alive_ = true;
  std::uint64_t next_task_ = 0;
  std::map<std::uint64_t, absl::AnyInvocable<void()>> tasks_;
  std::deque<std::uint64_t> late_;  // The tasks that became due during a pause.
  std::list<std::unique_ptr<Fiber>> fibers_;
  std::vector<Pool*> pools_;
};

// A machine with a name. At most one process runs on it.
class Node {
 public:
  // A function that makes the objects of a new process. It may spawn threads.
  using Start = std::function<std::shared_ptr<void>(Life&)>;

  Node(SimulatedWorld& of_world, std::string of_name, Start start)
      : world(of_world), name(std::move(of_name)), start_(std::move(start)) {}
  ~Node();

  void Boot();                      // Does nothing if a process runs.
  void Crash();                     // Does nothing if no process runs.
  void Pause(absl::Duration span);  // Acts like SIGSTOP now and SIGCONT after `span`.
  void Resume();                    // Acts like SIGCONT now.
  void End();                       // Kills the process and ends its tasks before it returns.
  bool up() const { return life_ != nullptr; }
  bool paused() const { return world.now() < paused_until_; }
  // Returns the process that runs, or nullptr.
  const std::shared_ptr<Life>& life() const { return life_; }

  SimulatedWorld& world;
  const std::string name;

 private:
  friend class Life;

  const Start start_;
  std::shared_ptr<Life> life_;
  std::uint64_t lives_ = 0;
  absl::Time paused_until_ = absl::InfinitePast();
};

}  // namespace tarot::sim
