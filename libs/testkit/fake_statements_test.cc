#include "libs/testkit/fake_statements.h"

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::testkit {
namespace {

class Counter final : public FakeStatements<int> {
 public:
  absl::StatusOr<int> Add(int number) {
    return Run([=](int& sum) -> absl::StatusOr<int> { return sum += number; });
  }
  absl::Status AddTwice(int number) {
    return Run([=, this](int&) {
      const absl::Status first = Add(number).status();
      return first.ok() ? Add(number).status() : first;
    });
  }
  int sum() {
    return RunNow([](int& sum) { return sum; });
  }
};

class ManualGate final : public StatementGate {
 public:
  absl::Status Pass(const std::function<void()>& commit) override {
    ++passed;
    if (run) commit();
    last = commit;
    return answer;
  }
  int passed = 0;
  bool run = true;
  absl::Status answer;
  std::function<void()> last;
};

TEST(FakeStatementsTest, RunsAtOnceWithoutAGate) {
  Counter counter;
  EXPECT_EQ(counter.Add(2).value(), 2);
  EXPECT_EQ(counter.sum(), 2);
}

TEST(FakeStatementsTest, AnswersTheFailureThatIsSet) {
  Counter counter;
  counter.set_failure(absl::UnavailableError("away"));
  EXPECT_THAT(counter.Add(2), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(counter.sum(), 0);
  counter.set_failure(absl::OkStatus());
  EXPECT_EQ(counter.Add(3).value(), 3);
}

TEST(FakeStatementsTest, GateCanFailBeforeAndAfterTheCommit) {
  Counter counter;
  ManualGate gate;
  counter.set_gate(gate);
  EXPECT_EQ(counter.Add(1).value(), 1);
  gate.answer = absl::UnavailableError("lost");
  EXPECT_THAT(counter.Add(10), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(counter.sum(), 11) << "the answer is lost after the commit";
  gate.run = false;
  EXPECT_THAT(counter.Add(100), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(counter.sum(), 11);
  gate.last();
  EXPECT_EQ(counter.sum(), 111) << "the commit comes after the answer";
}

TEST(FakeStatementsTest, StatementInsideAStatementIsPartOfIt) {
  Counter counter;
  ManualGate gate;
  counter.set_gate(gate);
  EXPECT_THAT(counter.AddTwice(4), IsOk());
  EXPECT_EQ(gate.passed, 1);
  EXPECT_EQ(counter.sum(), 8);
}

}  // namespace
}  // namespace tarot::testkit
