#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/ai/analysis/analyzer.h"
#include "libs/ai/arena.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "services/bot/transport/analysis_service.h"
#include "tools/cli/analysis_report.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

// Returns the deal before the bid of the seat with `hand`. `bids` are the bids of the seats before
// it. The other hands are random, but no decision depends on them.
absl::StatusOr<ai::History> DealWith(rules::CardSet hand, int players,
                                     const std::vector<std::string>& bids) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  if (hand.Size() != rules.HandSize(players)) {
    return BadRequest("HAND", absl::StrCat("must have ", rules.HandSize(players), " cards"));
  }
  // Each earlier seat has bid once, so the number of bids is the number of the seat.
  const auto seat = static_cast<std::size_t>(bids.size());
  if (seat >= static_cast<std::size_t>(players)) {
    return BadRequest("--bids", "has too many bids: the seat of HAND has not bid");
  }
  ai::History history;
  Rng rng(1);
  do {
    const rules::Deal random = ai::RandomDeal(rules, players, rng);
    // Takes the cards of HAND out of all hands and the dog, and fills the gaps with other cards.
    rules::CardSet left = rules::CardSet::All() - hand;
    std::array<rules::CardSet, rules::kPlayersMax> hands;
    for (std::size_t i = 0; i < static_cast<std::size_t>(players); ++i) {
      hands[i] = i == seat ? hand : random.hands[i] - hand;
      left -= hands[i];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(players); ++i) {
      while (hands[i].Size() < rules.HandSize(players)) {
        hands[i].Insert(left.First());
        left.Erase(left.First());
      }
    }
    history.start = StartDeal(rules, players, players - 1, hands, left);
    // A petit sec of another seat cancels the deal, and then the next deal is tried.
  } while (history.start.phase == rules::Phase::kDone &&
           history.start.result.petit_sec_seat != static_cast<int>(seat));
  rules::Deal deal = history.start;
  if (deal.phase == rules::Phase::kDone) {
    return BadRequest("HAND", "has the Petit as its only trump: the deal is cancelled");
  }
  const auto bid = [&](rules::Contract contract) {
    const auto action = rules::Action::Bid(contract);
    history.entries.emplace_back(deal.turn, action);
    return Apply(deal, deal.turn, action).ok() && deal.phase == rules::Phase::kBidding;
  };
  for (const std::string& text : bids) {
    const auto contract = notation::ParseContractName(text);
    if (!contract || !bid(*contract)) return BadRequest("--bids", "is not an auction");
  }
  bid(rules::Contract::kPass);
  return history;
}

cli::ExitCode RunBid(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  const auto hand = notation::ParseHandName(line.words[0]);
  if (!hand) return run.Fail("HAND is not a hand such as X,21,8/KQ5/-/T98/-", cli::kUsage);
  const auto language = cli::ParseLanguage(line.Get("lang", "en"));
  if (!language) return run.Fail("--lang is en or fr", cli::kUsage);
  int players = 0;
  if (!absl::SimpleAtoi(line.Get("players", "4"), &players) || players < rules::kPlayersMin ||
      players > rules::kPlayersMax) {
    return run.Fail("--players is 3, 4 or 5", cli::kUsage);
  }
  const std::vector<std::string> bids = absl::StrSplit(line.Get("bids"), ',', absl::SkipEmpty());
  const auto history = DealWith(*hand, players, bids);
  if (!history.ok()) return run.Fail(history.status().message(), cli::kUsage);
  ai::Analyzer analyzer(*history, {.policy = ai::FindPolicy("expert"), .open_node_budget = 1});
  bot::v1::DecisionAnalysis decision;
  while (!analyzer.Done()) {
    decision.Clear();
    bot_service::EncodeDecision(
        *analyzer.Next({}), [](rules::Seat seat) { return seat; }, &decision);
  }
  run.out() << cli::HandText(decision.hand(), *language) << "\n"
            << cli::BidLines(decision, *language);
  return cli::kOk;
}

}  // namespace

cli::Command BidCommand() {
  return {
      .name = "bid",
      .usage = "bid HAND",
      .summary = "what each bid can expect with a hand",
      .help =
          "  tarot-lab bid X,21,19,18,15,12,9,6,3/KQ52/K4/T98/-\n"
          "  tarot-lab bid HAND --bids -,P              after a pass and a Prise\n"
          "  tarot-lab bid HAND --players 5 --lang fr   five players, in French\n\n"
          "Prints the facts of the hand, and for each bid the expected points, the chance of\n"
          "the contract, and the range of eight of ten likely results, best bid first\n"
          "(docs/analysis.md). HAND has trumps, spades, hearts, diamonds and clubs, as in TDN.\n\n"
          "  --bids B,B     the earlier bids, in order: - (pass), P, G, GS or GC\n"
          "  --players N    3, 4 or 5 (4)\n"
          "  --lang L       the language: en or fr (en)\n",
      .options = {{"bids"}, {"players"}, {"lang"}},
      .words_min = 1,
      .words_max = 1,
      .run = RunBid};
}

}  // namespace tarot::lab
