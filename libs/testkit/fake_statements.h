// The base class of stores in memory, for tests. Each method of a store runs as one statement. A
// gate can delay a statement, make it fail, or lose its answer, as a database can. The methods need
// no code for this.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace tarot::testkit {

// Decides whether, when and with which result each statement runs.
class StatementGate {
 public:
  virtual ~StatementGate() = default;
  // Runs one statement or makes it fail. `commit` executes the statement. Pass() must run `commit`
  // before it returns OK. If Pass() returns an error, the caller of the statement gets this error.
  // In that case the gate may run `commit` before the return, later, or never.
  virtual absl::Status Pass(const std::function<void()>& commit) = 0;
};

// A store in memory derives from its interface and from this class. Its methods can reach the data
// only through Run() and RunNow(), so no method can forget the lock. Thread-safe.
template <typename Data>
class FakeStatements {
 public:
  // Sends every later statement through `gate`, which must outlive the store. Without a gate,
  // statements run at once.
  void set_gate(StatementGate& gate) { gate_ = &gate; }

  // Makes every later statement return `failure` and do nothing. After
  // set_failure(absl::OkStatus()), statements work again.
  void set_failure(absl::Status failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }

 protected:
  FakeStatements() = default;
  explicit FakeStatements(Data data) : data_(std::move(data)) {}
  ~FakeStatements() = default;

  // Runs `statement(data)`, which returns a Status or a StatusOr, as one atomic step. `statement`
  // must hold copies of its arguments, because the gate may run it after Run() has returned. If a
  // statement runs inside another statement, it is part of the outer statement and does not pass
  // the gate.
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

  // Runs `change(data)` under the lock. Ignores set_gate() and set_failure(). Stores use this
  // function for changes that only tests make.
  template <typename Change>
  std::invoke_result_t<Change, Data&> RunNow(const Change& change) {
    const std::lock_guard lock(mutex_);
    const Depth depth(depth_);
    return change(data_);
  }

 private:
  // Raises `depth` by one while this object exists.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }

   private:
    int& depth_;
  };

  // Returns whether this thread is inside a statement.
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
