#include "tools/lab/testing/fault_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tarot::lab {
namespace {

std::string SuiteText() {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/data/faults/positions.txt", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns whether the seat may commit the fault of the position.
bool CanCommit(const FaultPosition& position) {
  const auto knowledge = ai::Know(position.view);
  const rules::LegalActions& legal = position.view.legal;
  std::vector<rules::Action> actions;
  for (int bid = 0; bid < 5; ++bid) {
    if (!legal.bids[static_cast<std::size_t>(bid)]) continue;
    actions.push_back(rules::Action::Bid(static_cast<rules::Contract>(bid)));
  }
  for (const rules::Card card : legal.calls) actions.push_back(rules::Action::Call(card));
  for (const rules::Card card : legal.cards) actions.push_back(rules::Action::Play(card));
  return std::any_of(actions.begin(), actions.end(), [&](const rules::Action& action) {
    return FaultOf(position.view, *knowledge, action) == position.fault;
  });
}

// In every position of the suite, the fault is possible, the right actions are legal and without a
// fault, and writing the position gives its text again.
TEST(FaultSuiteTest, ReadsAndWritesThePositionsOfTheSuite) {
  const std::string text = SuiteText();
  const auto positions = ReadFaultPositions(text);
  ASSERT_TRUE(positions.ok()) << positions.status();
  EXPECT_GE(positions->size(), 60u);
  std::string written;
  for (const FaultPosition& position : *positions) {
    written += WriteFaultPosition(position);
    const auto knowledge = ai::Know(position.view);
    ASSERT_TRUE(knowledge.has_value());
    EXPECT_EQ(ai::ValidateView(position.view), "");
    EXPECT_FALSE(position.right.empty());
    EXPECT_TRUE(CanCommit(position));
    for (const rules::Action& action : position.right) {
      EXPECT_EQ(FaultOf(position.view, *knowledge, action), std::nullopt);
    }
  }
  const std::size_t comment_end = text.find("\nfault ") + 1;
  EXPECT_EQ(text.substr(comment_end), written);
}

TEST(FaultSuiteTest, RefusesATextThatIsNoSuite) {
  EXPECT_FALSE(ReadFaultPositions("fault petit_led club\n*\n").ok());
  EXPECT_FALSE(ReadFaultPositions("fault no_fault club play T2\n*\n").ok());
  EXPECT_FALSE(ReadFaultPositions("fault petit_led club play T22\n*\n").ok());
  EXPECT_FALSE(ReadFaultPositions("fault petit_led club play T2\nno view\n*\n").ok());
}

TEST(FaultSuiteTest, ExpertPlaysTheSuiteRight) {
  const auto positions = ReadFaultPositions(SuiteText());
  ASSERT_TRUE(positions.ok()) << positions.status();
  std::size_t right = 0;
  for (const FaultPosition& position : *positions) {
    const bool plays_right = PlaysRight(*ai::FindPolicy("expert"), position);
    right += plays_right ? 1 : 0;
    if (!plays_right) std::printf("%s", WriteFaultPosition(position).c_str());
  }
  EXPECT_GE(100 * right, 95 * positions->size());
}

TEST(FaultSuiteTest, StrongCommitsFewerFaultsThanTheFrozenExpert) {
  int strong = 0;
  int frozen = 0;
  for (int players = 4; players <= 5; ++players) {
    for (const FaultCount& count : CountFaults(*ai::FindPolicy("strong"), players, 12, 1, 2000)) {
      strong += count.faults;
      EXPECT_LE(count.faults, count.chances);
    }
    for (const FaultCount& count :
         CountFaults(*ai::FindOpponent("frozen_expert"), players, 12, 1, 2000)) {
      frozen += count.faults;
    }
  }
  EXPECT_LT(2 * strong, frozen);
}

}  // namespace
}  // namespace tarot::lab
