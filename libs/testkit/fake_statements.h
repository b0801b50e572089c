// The base of stores in memory. It runs their methods as statements. A gate can make every
// statement fail as a database does; the methods need no code for this.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace tarot::testkit {

// Decides the fate of each statement.
class StatementGate {
 public:
  virtual ~StatementGate() = default;
  // Runs `commit` before it returns, later, or never. If it returns OK, `commit` has run. If it
  // returns any other status, the caller of the statement gets this status and cannot know whether
  // `commit` runs.
  virtual absl::Status Pass(const std::function<void()>& commit) = 0;
};

// A store in memory derives from its interface and from this class. Only Run and RunNow reach the
// data, so no method can forget the gate or the lock. Thread-safe.
template <typename Data>
class FakeStatements {
 public:
  // Every later statement passes `gate`, which must outlive this object. Without a gate, statements
  // run at once.
  void set_gate(StatementGate& gate) { gate_ = &gate; }

  // Every later statement returns `failure` and does nothing. OK ends the failure.
  void set_failure(absl::Status failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }

 protected:
  FakeStatements() = default;
  explicit FakeStatements(Data data) : data_(std::move(data)) {}
  ~FakeStatements() = default;

  // Runs `statement(data)`, which returns a Status or a StatusOr, as one atomic step. `statement`
  // holds copies of its arguments, because it may run after the caller has got its answer. A
  // statement inside a statement is part of the outer one.
  template <typename Statement>
  std::invoke_result_t<Statement, Data&> Run(Statement statement) {
    using Result = std::invoke_result_t<Statement, Data&>;
    const auto execute = [this, statement = std::move(statement)]() -> Result {
      return RunNow([&](Data& data) { return failure_.ok() ? statement(data) : Result(failure_); });
    };
    if (gate_ == nullptr || Inside()) return execute();
    const auto result = std::make_shared<std::optional<Result>>();
    const absl::Status passed = gate_->Pass([execute, result] { result->emplace(execute()); });
    if (!passed.ok()) return Result(passed);
    return **std::move(result);
  }

  // Runs `change(data)` without gate and failure. It is for changes that a test makes itself.
  template <typename Change>
  std::invoke_result_t<Change, Data&> RunNow(const Change& change) {
    const std::lock_guard lock(mutex_);
    const Depth depth(depth_);
    return change(data_);
  }

 private:
  // Counts the statements that run, one inside the other.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }

   private:
    int& depth_;
  };

  // Returns whether this thread runs a statement.
  bool Inside() {
    const std::lock_guard lock(mutex_);
    return depth_ > 0;
  }

  std::recursive_mutex mutex_;
  int depth_ = 0;
  Data data_{};
  absl::Status failure_;
  StatementGate* gate_ = nullptr;
};

}  // namespace tarot::testkit
