#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/ai/arena.h"
#include "libs/rules/codec.h"
#include "libs/testkit/golden.h"

namespace tarot::ai {
namespace {

// FNV-1a over the bytes of every action.
struct Signature {
  std::uint64_t hash = 14695981039346656037u;
  std::uint64_t nodes = 0;
  int decisions = 0;
};

void Sign(void* context, const rules::View& /*view*/, const Decision& decision) {
  Signature& signature = *static_cast<Signature*>(context);
  for (const char byte : EncodeAction(decision.action)) {
    signature.hash = (signature.hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  }
  signature.nodes += decision.nodes;
  ++signature.decisions;
}

// What the bots do on a fixed set of deals: any change of theirs is seen in review, and a machine
// that computes otherwise is found out.
TEST(SignatureTest, TheBotsAreTheOnesReviewed) {
  std::string actual = "level players decisions nodes hash\n";
  for (const std::string& level : Levels()) {
    for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
      const std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindPolicy(level));
      Signature signature;
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Rng rng(seed);
        rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
        PlayToEnd(deal, seats, rng, 3000, Sign, &signature);
      }
      absl::StrAppend(&actual, level, " ", players, " ", signature.decisions, " ", signature.nodes,
                      " ", absl::StrFormat("%016x", signature.hash), "\n");
    }
  }
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/bot_signature.txt", actual));
}

}  // namespace
}  // namespace tarot::ai
