#include "tools/tarotctl/play/answer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/rules/cards.h"
#include "tools/cli/card_face.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::Action;
using rules::v1::Contract;
using rules::v1::DealView;
using rules::v1::Phase;

using Words = std::vector<std::string>;

Typed Problem(std::string text) { return {.problem = std::move(text)}; }

std::uint32_t Number(rules::Card card) { return static_cast<std::uint32_t>(rules::Index(card)); }

Typed ParseBid(absl::string_view text) {
  static constexpr std::pair<absl::string_view, Contract> kWords[] = {
      {"p", Contract::PASS},
      {"pass", Contract::PASS},
      {"passe", Contract::PASS},
      {"prise", Contract::PRISE},
      {"petite", Contract::PRISE},
      {"g", Contract::GARDE},
      {"garde", Contract::GARDE},
      {"s", Contract::GARDE_SANS},
      {"sans", Contract::GARDE_SANS},
      {"garde sans", Contract::GARDE_SANS},
      {"c", Contract::GARDE_CONTRE},
      {"contre", Contract::GARDE_CONTRE},
      {"garde contre", Contract::GARDE_CONTRE}};
  for (const auto& [word, contract] : kWords) {
    if (text != word) continue;
    Action action;
    action.mutable_bid()->set_contract(contract);
    return {.action = action};
  }
  return Problem(absl::StrCat("'", text, "' is not a bid: pass, prise, garde, sans or contre."));
}

// Adds the cards of `words` to `cards`. Returns the first word that is not a card, or nullopt if
// there is none.
std::optional<std::string> ParseCards(const Words& words, cli::CardNumbers* cards) {
  for (const std::string& word : words) {
    const auto card = cli::ParseTypedCard(word);
    if (!card) return word;
    cards->Add(Number(*card));
  }
  return std::nullopt;
}

Typed NoCard(const std::string& word) {
  return Problem(absl::StrCat("'", word, "' is no card: ? shows how cards are written."));
}

Typed ParseHandful(const DealView& deal, const Words& words) {
  const auto& sizes = deal.legal().handful_sizes();
  if (sizes.empty()) return Problem("You cannot show a handful now.");
  Action action;
  cli::CardNumbers* cards = action.mutable_handful()->mutable_cards();
  std::uint32_t size = *std::max_element(sizes.begin(), sizes.end());
  if (words.size() > 1) {
    if (const auto wrong = ParseCards(words, cards)) return NoCard(*wrong);
    return {.action = action};
  }
  if (words.size() == 1 && !absl::SimpleAtoi(words[0], &size)) return NoCard(words[0]);
  // Shows the lowest trumps, so that the high ones stay hidden. The Excuse comes last, so it is
  // shown only if there are too few trumps.
  for (const rules::Card card : cli::ToSet(deal.legal().handful_cards())) {
    if (static_cast<std::uint32_t>(cards->size()) < size) cards->Add(Number(card));
  }
  return {.action = action};
}

Typed ParsePlay(const DealView& deal, const Words& words) {
  Action action;
  if (words.empty()) {
    if (deal.legal().cards_size() != 1) return Problem("Which card? ? helps.");
    action.mutable_play()->set_card(deal.legal().cards(0));
    return {.action = action};
  }
  if (absl::StartsWith("handful", words[0]) && words[0].size() >= 4) {
    return ParseHandful(deal, Words(words.begin() + 1, words.end()));
  }
  const auto card = cli::ParseTypedCard(words[0]);
  if (!card || words.size() > 1) return NoCard(absl::StrJoin(words, " "));
  action.mutable_play()->set_card(Number(*card));
  return {.action = action};
}

// Returns whether `text` says that the taker calls no card.
bool IsNoCall(absl::string_view text) {
  return text == "nobody" || text == "no card" || text == "none" || text == "-";
}

// Returns the cards that may be called, in words: "a King", "a King or a Queen", "any card".
std::string CallWords(const DealView& deal) {
  static constexpr std::pair<int, absl::string_view> kRanks[] = {
      {14, "a King"}, {13, "a Queen"}, {12, "a Knight"}, {11, "a Jack"}};
  const rules::CardSet calls = cli::ToSet(deal.legal().calls());
  if (RulesOf(deal).call == rules::Call::kAnyCard) return "any card";
  Words words;
  for (const auto& [rank, word] : kRanks) {
    const auto has = [&calls, rank = rank](rules::Suit suit) {
      return calls.Contains(rules::SuitCard(suit, rank));
    };
    if (has(rules::Suit::kSpades) || has(rules::Suit::kHearts) || has(rules::Suit::kDiamonds) ||
        has(rules::Suit::kClubs)) {
      words.emplace_back(word);
    }
  }
  return words.empty() ? "a card" : absl::StrJoin(words, " or ");
}

// Says which tricks a slam needs under these rules.
std::string SlamWords(const DealView& deal) {
  const int lost = RulesOf(deal).slam_lost_tricks_max;
  if (lost == 0) return "every trick";
  return lost == 1 ? "every trick except one" : absl::StrCat("all tricks except ", lost);
}

std::string BidWords(const DealView& deal) {
  static constexpr std::pair<rules::Contract, absl::string_view> kBids[] = {
      {rules::Contract::kPrise, "prise"},
      {rules::Contract::kGarde, "garde (g)"},
      {rules::Contract::kGardeSans, "sans (s)"},
      {rules::Contract::kGardeContre, "contre (c)"}};
  const rules::RuleSet rules = RulesOf(deal);
  Words words;
  if (rules.pass_allowed) words.emplace_back("pass (p)");
  for (const auto& [bid, word] : kBids) {
    if (rules.AllowsBid(bid)) words.emplace_back(word);
  }
  return absl::StrJoin(words, ", ");
}

Typed ParseSlam(absl::string_view text) {
  Action action;
  if (text.empty() || text == "n" || text == "no" || text == "non") {
    action.mutable_slam()->set_announce(false);
  } else if (text == "y" || text == "yes" || text == "o" || text == "oui") {
    action.mutable_slam()->set_announce(true);
  } else {
    return Problem("Answer y (announce a slam) or n (go on without).");
  }
  return {.action = action};
}

}  // namespace

Typed ParseTyped(const DealView& deal, absl::string_view line) {
  const std::string text =
      absl::AsciiStrToLower(absl::StripAsciiWhitespace(absl::string_view(line)));
  const Words words = absl::StrSplit(text, absl::ByAnyChar(" ,"), absl::SkipEmpty());
  Action action;
  switch (deal.phase()) {
    case Phase::BIDDING:
      return ParseBid(text);
    case Phase::CALLING: {
      if (IsNoCall(text)) {
        if (!deal.legal().call_nobody()) return Problem("These rules ask for a call: name a card.");
        action.mutable_call();
        return {.action = action};
      }
      const auto card = cli::ParseTypedCard(text);
      if (!card) return NoCard(text);
      action.mutable_call()->set_card(Number(*card));
      return {.action = action};
    }
    case Phase::DISCARDING: {
      if (const auto wrong = ParseCards(words, action.mutable_discard()->mutable_cards())) {
        return NoCard(*wrong);
      }
      if (words.empty()) return Problem("Which cards? ? helps.");
      return {.action = action};
    }
    case Phase::SLAM:
      return ParseSlam(text);
    case Phase::PLAYING:
      return ParsePlay(deal, words);
    default:
      return Problem("There is nothing to decide now.");
  }
}

std::string PromptText(const DealView& deal, const cli::TextStyle& style) {
  const rules::v1::LegalActions& legal = deal.legal();
  switch (deal.phase()) {
    case Phase::BIDDING: {
      std::vector<std::string> bids;
      for (const int bid : legal.bids()) bids.push_back(ContractWord(static_cast<Contract>(bid)));
      return absl::StrCat("Your bid (", absl::StrJoin(bids, ", "), "): ");
    }
    case Phase::CALLING:
      return absl::StrCat(
          "Call ", CallWords(deal),
          legal.calls_size() > 16 ? "" : absl::StrCat(" (", cli::Faces(legal.calls(), style), ")"),
          legal.call_nobody() ? ", or no card: " : ": ");
    case Phase::DISCARDING: {
      const std::uint32_t trumps = legal.discard_trump_count();
      return absl::StrCat(trumps == 0 ? ""
                                      : absl::StrCat("Too few other cards: ", trumps,
                                                     trumps == 1 ? " trump must go and is"
                                                                 : " trumps must go and are",
                                                     " shown to all.\n"),
                          "Your écart, ", legal.discard_count(), " of the cards in brackets: ");
    }
    case Phase::SLAM:
      return absl::StrCat("Announce a slam, ", SlamWords(deal), "? [y/N] ");
    case Phase::PLAYING: {
      std::string out;
      for (const std::uint32_t size : legal.handful_sizes()) {
        absl::StrAppend(&out, "You may show a handful of ", size, ": handful ", size, "\n");
      }
      return absl::StrCat(
          out, legal.cards_size() == 1 ? "Your card (Enter plays the only one): " : "Your card: ");
    }
    default:
      return "";
  }
}

std::string HelpText(const DealView& deal) {
  std::string out =
      "Cards: suit then rank. s h d c for ♠ ♥ ♦ ♣; 1 to 10, v c d r for Valet, Cavalier, Dame, "
      "Roi\n"
      "(or j n q k). Trumps t1 to t21, or the number alone; ex is the Excuse. A star marks a "
      "bout.\n"
      "  hr  ♥ Roi      s10  ♠ 10      t21 or 21  the 21      ex  the Excuse\n";
  switch (deal.phase()) {
    case Phase::BIDDING:
      absl::StrAppend(&out, "Bids: ", BidWords(deal), "; above every earlier bid.\n");
      break;
    case Phase::CALLING:
      absl::StrAppend(&out, "Call ", CallWords(deal),
                      " that you would play with, for instance: hr\n",
                      deal.legal().call_nobody() ? "no card: you play alone.\n" : "");
      break;
    case Phase::DISCARDING:
      absl::StrAppend(
          &out, "Name all cards of the écart in one line, for instance: s1 s4 h2",
          deal.legal().discard_count() > 3 ? " h3 c5 c6\n" : "\n",
          RulesOf(deal).trump_discard == rules::TrumpDiscard::kFree
              ? "Kings and bouts never go; other trumps may go, and no other player sees them.\n"
              : "Kings and bouts never go; trumps only when nothing else is left, and then all see "
                "them.\n");
      break;
    case Phase::SLAM:
      absl::StrAppend(&out, "y announces the slam, ", SlamWords(deal), ": ",
                      Signed(RulesOf(deal).slam_announced_points), " made, ",
                      Signed(RulesOf(deal).slam_failed_points), " failed. n or Enter: no.\n");
      break;
    default:
      if (!deal.legal().handful_sizes().empty()) {
        out +=
            "handful shows a handful before your first card: handful, handful 10, or its "
            "cards.\n";
      }
      out +=
          "claim claims all tricks that are left; the server accepts it if it can prove that you "
          "win them.\n";
      break;
  }
  out += "say 2 says a phrase to the table, say lists them; mute NAME hides what a player says.\n";
  return out + "q leaves the program; your seat stays: come back with tarotctl play --resume\n";
}

namespace {

Contract Bid(const rules::v1::DealView& deal) {
  const auto& bids = deal.legal().bids();
  const bool may_pass = std::find(bids.begin(), bids.end(), Contract::PASS) != bids.end();
  const bool strong = (cli::ToSet(deal.hand()) & rules::CardSet::Bouts()).Size() >= 2;
  for (const int bid : bids) {
    if ((strong || !may_pass) && bid != Contract::PASS) return static_cast<Contract>(bid);
  }
  return Contract::PASS;
}

// Chooses exactly the number of trumps that the rules demand. The other cards are not trumps.
void Discard(const rules::v1::LegalActions& legal, rules::v1::Action::Discard& out) {
  std::uint32_t trumps = legal.discard_trump_count();
  std::uint32_t others = legal.discard_count() - trumps;
  const rules::CardSet all_trumps = rules::CardSet::OfSuit(rules::Suit::kTrumps);
  for (const std::uint32_t card : legal.discards()) {
    const bool is_trump = all_trumps.Contains(rules::CardAt(static_cast<int>(card)));
    std::uint32_t& left = is_trump ? trumps : others;
    if (left == 0) continue;
    --left;
    out.add_cards(card);
  }
}

}  // namespace

rules::v1::Action SimplestAction(const rules::v1::DealView& deal) {
  const rules::v1::LegalActions& legal = deal.legal();
  rules::v1::Action action;
  switch (deal.phase()) {
    case rules::v1::BIDDING:
      action.mutable_bid()->set_contract(Bid(deal));
      break;
    case rules::v1::CALLING:
      action.mutable_call();
      if (legal.calls_size() > 0) action.mutable_call()->set_card(legal.calls(0));
      break;
    case rules::v1::DISCARDING:
      Discard(legal, *action.mutable_discard());
      break;
    case rules::v1::SLAM:
      action.mutable_slam()->set_announce(false);
      break;
    default:
      if (legal.cards_size() > 0) action.mutable_play()->set_card(legal.cards(0));
      break;
  }
  return action;
}

}  // namespace tarot::tarotctl
