#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "libs/ai/arena.h"
#include "libs/rules/codec.h"
#include "libs/testkit/golden.h"

namespace tarot::ai {
namespace {

// The values of one line of the golden file. `hash` is the FNV-1a hash of the bytes of all actions.
struct Signature {
  std::uint64_t hash = 14695981039346656037u;
  std::uint64_t nodes = 0;
  int decisions = 0;
};

void AddDecision(void* context, const rules::View& /*view*/, const Decision& decision) {
  Signature& signature = *static_cast<Signature*>(context);
  for (const char byte : EncodeAction(decision.action)) {
    signature.hash = (signature.hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
  signature.nodes += decision.nodes;
  ++signature.decisions;
}

// Returns one line of the golden file for `deals` deals, in which `level` plays every seat. If
// `garde` is true, one seat bids Garde and the others pass, so every deal is played. The seat that
// bids changes from deal to deal. If `garde` is false, `level` chooses the bids, and in many deals
// all seats pass.
std::string Sign(const std::string& level, int players, bool garde, std::uint64_t deals,
                 std::uint64_t node_budget) {
  const std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindOpponent(level));
  Signature signature;
  for (std::uint64_t seed = 0; seed < deals; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    const rules::Seat taker = static_cast<rules::Seat>(seed) % players;
    while (garde && deal.phase == rules::Phase::kBidding) {
      const bool takes = deal.turn == taker;
      const auto contract = takes ? rules::Contract::kGarde : rules::Contract::kPass;
      EXPECT_TRUE(Apply(deal, deal.turn, rules::Action::Bid(contract)).ok());
    }
    PlayToEnd(deal, seats, rng, node_budget, AddDecision, &signature);
  }
  return absl::StrFormat("%s %d %s %d %d %016x\n", level, players, garde ? "garde" : "free",
                         signature.decisions, signature.nodes, signature.hash);
}

std::vector<std::string> WithFrozen(std::vector<std::string> levels) {
  levels.push_back("frozen_expert");
  return levels;
}

// The golden file has a hash of the decisions on a fixed set of deals. So every change of the bots
// also changes this file, and a reviewer sees it. The test also fails on a machine that computes
// differently.
TEST(SignatureTest, DecisionsMatchTheGoldenFile) {
  std::string actual = "level players bids decisions nodes hash\n";
  for (const std::string& level : WithFrozen(Levels())) {
    for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
      actual += Sign(level, players, false, 10, 3000);
    }
  }
  for (const std::string level : {"strong", "expert", "frozen_expert"}) {
    for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
      actual += Sign(level, players, true, 3, 20'000);
    }
  }
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/bot_signature.txt", actual));
}

}  // namespace
}  // namespace tarot::ai
