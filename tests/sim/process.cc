#include "tests/sim/process.h"

#include <algorithm>

#include "libs/base/check.h"
#include "tests/sim/pool.h"

namespace tarot::sim {
namespace {

Life* current = nullptr;

// Marks `life` as the process whose code runs, until the end of the scope.
class Running {
 public:
  explicit Running(Life* life) : before_(std::exchange(current, life)) {}
  ~Running() { current = before_; }

 private:
  Life* const before_;
};

}  // namespace

Life* Life::Current() { return current; }

Life::Life(Node& node, std::uint64_t seed)
    : node_(node), start_(node.world.now()), entropy_(seed) {}

Life::~Life() {
  TAROT_CHECK(!alive_ && fibers_.empty());
  const Running running(this);
  parts.reset();
}

SimulatedWorld& Life::world() const { return node_.world; }

absl::Time Life::Now() { return node_.world.now(); }

std::uint64_t Life::Keep(absl::AnyInvocable<void()> task) {
  const std::uint64_t id = next_task_++;
  if (alive_) tasks_.emplace(id, std::move(task));
  return id;
}

void Life::Run(std::uint64_t task) {
  if (!alive_ || !tasks_.contains(task)) return;
  if (node_.paused()) return late_.push_back(task);
  const Running running(this);
  auto kept = tasks_.extract(task);
  kept.mapped()();
}

void Life::CatchUp() {
  while (!node_.paused() && alive_ && !late_.empty()) {
    const std::uint64_t task = late_.front();
    late_.pop_front();
    Run(task);
  }
}

void Life::After(absl::Duration delay, absl::AnyInvocable<void()> task) {
  if (!alive_) return;
  RunAfter(std::max(delay, absl::ZeroDuration()), Keep(std::move(task)));
}

void Life::RunAfter(absl::Duration delay, std::uint64_t task) {
  node_.world.After(delay, [weak = weak_from_this(), task] {
    if (const std::shared_ptr<Life> life = weak.lock()) life->Run(task);
  });
}

void Life::Spawn(absl::AnyInvocable<void()> task) {
  if (!alive_) return;
  fibers_.push_back(std::make_unique<Fiber>(std::move(task)));
  After(absl::ZeroDuration(), [this, fiber = fibers_.back().get()] { Go(fiber); });
}

void Life::Go(Fiber* fiber) {
  {
    const Running running(this);
    fiber->Resume();
  }
  if (!fiber->ended()) return;
  std::erase_if(fibers_, [fiber](const auto& owned) { return owned.get() == fiber; });
}

void Life::Sleep(absl::Duration delay) {
  if (!alive_) return;
  Await([this, delay](std::function<void()> go_on) { After(delay, std::move(go_on)); });
}

void Life::Await(const std::function<void(std::function<void()>)>& start) {
  Fiber* const fiber = Fiber::Current();
  TAROT_CHECK(fiber != nullptr && alive_);
  start([this, fiber] { Go(fiber); });
  Fiber::Wait();
}

void Life::Bury() {
  const Running running(this);
  while (!fibers_.empty()) Go(fibers_.front().get());
  // The destructors of queued jobs and tasks may run more code and add more tasks.
  for (Pool* const pool : pools_) pool->Drain();
  while (!tasks_.empty()) tasks_.extract(tasks_.begin());
}

Node::~Node() { End(); }

void Node::End() {
  if (life_ == nullptr) return;
  const std::shared_ptr<Life> last = std::exchange(life_, nullptr);
  last->alive_ = false;
  last->Bury();
}

void Node::Boot() {
  if (life_ != nullptr) return;
  world.Note(name, " starts");
  life_ = std::make_shared<Life>(*this, world.rng().Next() ^ ++lives_);
  const Running running(life_.get());
  life_->parts = start_(*life_);
}

void Node::Crash() {
  if (life_ == nullptr) return;
  world.Note(name, " dies");
  paused_until_ = absl::InfinitePast();
  const std::shared_ptr<Life> last = std::exchange(life_, nullptr);
  last->alive_ = false;
  world.After(absl::ZeroDuration(), [last] { last->Bury(); });
}

void Node::Pause(absl::Duration span) {
  if (life_ == nullptr) return;
  world.Note(name, " stands still for ", absl::FormatDuration(span));
  paused_until_ = std::max(paused_until_, world.now() + span);
  world.After(span, [this] {
    if (const std::shared_ptr<Life> life = life_) life->CatchUp();
  });
}

void Node::Resume() {
  paused_until_ = std::min(paused_until_, world.now());
  if (const std::shared_ptr<Life> life = life_) life->CatchUp();
}

}  // namespace tarot::sim
