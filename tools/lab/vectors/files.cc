#include "tools/lab/vectors/files.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "libs/rules/cards.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/random_deals.h"
#include "tools/cli/program.h"
#include "tools/cli/text.h"
#include "tools/lab/vectors/check.h"

namespace tarot::lab {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Deal;
using rules::Phase;

template <typename Cards>
std::string CardList(const Cards& cards) {
  std::vector<std::string> texts;
  for (const Card card : cards) texts.push_back(absl::StrCat("\"", rules::CardText(card), "\""));
  return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
}

// How a random deal is dealt and played. A bias makes rare situations frequent.
enum class Bias {
  kNone,        // Random cards and actions.
  kKept,        // Each seat keeps the Excuse and the Petit as long as the rules allow.
  kStrong,      // The taker is strong enough for a slam, and plays for it.
  kStrongKept,  // Combines kStrong and kKept.
  kWeak,        // The taker has no high card, so the defence wins all tricks or nearly all.
};
constexpr std::array<const char*, 5> kBiasTags = {"random", "kept", "strong_hand",
                                                  "strong_hand_kept", "weak_hand"};

bool Keeps(Bias bias) { return bias == Bias::kKept || bias == Bias::kStrongKept; }
bool ChoosesTaker(Bias bias) {
  return bias == Bias::kStrong || bias == Bias::kStrongKept || bias == Bias::kWeak;
}

// Gives `seat` the `wanted` cards. The hands and the dog that had them get other cards of `seat`.
void Give(rules::DealtCards& cards, std::size_t seat, CardSet wanted, Rng& rng) {
  for (const Card card : wanted - cards.hands[seat]) {
    const CardSet spare = cards.hands[seat] - wanted;
    if (spare.Empty()) return;
    const Card given = rules::Pick(spare, rng);
    CardSet* holder = &cards.dog;
    for (CardSet& hand : cards.hands) {
      if (hand.Contains(card)) holder = &hand;
    }
    holder->Erase(card);
    holder->Insert(given);
    cards.hands[seat].Erase(given);
    cards.hands[seat].Insert(card);
  }
}

// Gives `seat` the Kings and all trumps above a random number from 9 to 14. Half of the calls also
// give the Petit, and half of the calls the Excuse.
void Strengthen(rules::DealtCards& cards, std::size_t seat, Rng& rng) {
  CardSet wanted = CardSet::Kings() | CardSet::TrumpsAbove(9 + rng.Below(6));
  if (rng.Below(2) == 0) wanted.Insert(rules::kPetit);
  if (rng.Below(2) == 0) wanted.Insert(rules::kExcuse);
  Give(cards, seat, wanted, rng);
}

// Gives `seat` only low cards of the suits, as far as its hand has room. Half of the calls also
// give the 1 and 2 of trumps, and half of the calls the Excuse.
void Weaken(rules::DealtCards& cards, std::size_t seat, Rng& rng) {
  CardSet wanted;
  for (const Card card : CardSet::All() - CardSet::AllTrumps()) {
    if (card != rules::kExcuse && rules::RankOf(card) <= 8) wanted.Insert(card);
  }
  if (rng.Below(2) == 0) wanted |= CardSet::AllTrumps() - CardSet::TrumpsAbove(2);
  if (rng.Below(2) == 0) wanted.Insert(rules::kExcuse);
  Give(cards, seat, wanted, rng);
}

// Chooses the action of the seat whose turn it is. In the auction, only the seat `taker` bids if
// the rules allow it; kNoSeat means any seat.
Action Choose(const Deal& deal, rules::Seat taker, Bias bias, Rng& rng) {
  const rules::LegalActions legal = rules::ListLegal(deal);
  if (deal.phase == Phase::kBidding && taker != rules::kNoSeat) {
    if (deal.turn == taker) return rules::FirstTakes(deal, rules::Contract::kGarde);
    return Action::Bid(legal.bids[0] ? rules::Contract::kPass : rules::Contract::kGarde);
  }
  if (deal.phase == Phase::kSlam && taker != rules::kNoSeat) return Action::Slam(rng.Below(2) == 0);
  if (deal.phase != Phase::kPlaying) return rules::RandomAction(deal, rng);
  const bool strong = taker != rules::kNoSeat && bias != Bias::kWeak && deal.turn == taker;
  CardSet cards = legal.cards;
  if (Keeps(bias)) {
    // Before its first card, a seat may show a handful. RandomAction() decides whether it does.
    const Action action = rules::RandomAction(deal, rng);
    if (action.kind != Action::Kind::kPlay) return action;
    const CardSet spare = cards - CardSet{rules::kExcuse, rules::kPetit};
    if (!spare.Empty()) cards = spare;
    return Action::Play(strong ? cards.Last() : rules::Pick(cards, rng));
  }
  if (strong && rng.Below(20) > 0) {
    if (cards.Size() > 1) cards.Erase(rules::kExcuse);
    if (cards.Size() > 1) cards.Erase(rules::kPetit);
    return Action::Play(cards.Last());
  }
  return rules::RandomAction(deal, rng);
}

// Returns a deal that was played to its end.
Deal PlayedDeal(const rules::RuleSet& rules, int players, Bias bias, Rng& rng) {
  for (;;) {
    const rules::Seat dealer = rng.Below(players);
    rules::DealtCards cards = rules::DealOut(rules, players, dealer, rules::RandomPack(rng));
    const rules::Seat first = (dealer + 1) % players;
    if (bias == Bias::kWeak) {
      Weaken(cards, static_cast<std::size_t>(first), rng);
    } else if (ChoosesTaker(bias)) {
      Strengthen(cards, static_cast<std::size_t>(first), rng);
    }
    const bool board = rules.taker_by == rules::TakerBy::kBoard;
    const rules::Seat taker =
        board ? (ChoosesTaker(bias) ? first : (dealer + 1 + rng.Below(players)) % players)
              : rules::kNoSeat;
    Deal deal = rules::StartDeal(rules, players, dealer, cards.hands, cards.dog, taker);
    while (deal.phase != Phase::kDone) {
      const Action action = Choose(deal, ChoosesTaker(bias) ? first : rules::kNoSeat, bias, rng);
      TAROT_CHECK(rules::Apply(deal, deal.turn, action).ok());
    }
    if (deal.result.outcome == rules::Outcome::kScored) return deal;
  }
}

// Returns the line of deal `number`, played under `rules`. `text` names the rules. The deal has the
// bias `number % 5`. The same arguments give the same line.
std::string RandomPlayLine(const rules::RuleSet& rules, const std::string& text, int players,
                           std::uint64_t seed, int number) {
  Rng rng(seed * 1000003 + static_cast<std::uint64_t>(number));
  const std::size_t kind = static_cast<std::size_t>(number) % kBiasTags.size();
  const Deal deal = PlayedDeal(rules, players, static_cast<Bias>(kind), rng);
  std::vector<std::string> hands, tricks, handfuls;
  for (rules::Seat seat = 0; seat < players; ++seat) {
    CardSet hand = deal.dealt[static_cast<std::size_t>(seat)];
    if (seat == deal.taker && !deal.discard.Empty()) hand = (hand | deal.dog) - deal.discard;
    hands.push_back(CardList(hand));
  }
  for (int i = 0; i < deal.trick_count; ++i) {
    const rules::Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    const std::vector<Card> cards(trick.cards.begin(), trick.cards.begin() + trick.size);
    tricks.push_back(
        absl::StrCat("{\"leader\":", trick.leader, ",\"cards\":", CardList(cards), "}"));
  }
  for (int i = 0; i < deal.handful_count; ++i) {
    const rules::ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    handfuls.push_back(absl::StrCat("{\"seat\":", shown.seat, ",\"level\":", shown.level, "}"));
  }
  const std::string called = deal.called_card == rules::kNoCard
                                 ? "null"
                                 : absl::StrCat("\"", rules::CardText(deal.called_card), "\"");
  return absl::StrCat(
      "{\"id\":\"", text, "-", players, "p-", seed, "-", number, "\",\"tag\":\"", kBiasTags[kind],
      "\",\"preset\":\"", text, "\",\"n\":", players, ",\"taker\":", deal.taker,
      ",\"partner\":", deal.partner, ",\"called\":", called, ",\"contract\":\"",
      rules::ContractText(deal.contract), "\",\"dog_dealt\":", CardList(deal.dog),
      ",\"counted_apart\":", CardList(deal.discard.Empty() ? deal.dog : deal.discard),
      ",\"hands_at_play\":[", absl::StrJoin(hands, ","), "],\"tricks\":[",
      absl::StrJoin(tricks, ","), "],\"slam_announced\":", deal.slam_announced ? "true" : "false",
      ",\"handles\":[", absl::StrJoin(handfuls, ","), "]}");
}

using google::protobuf::Value;

// Prints the result of one vector and counts it.
void Report(const std::string& where, const Checked& checked, Tally& tally, std::ostream& out) {
  if (checked.problems.empty()) {
    ++tally.passed;
    return;
  }
  ++tally.failed;
  for (const std::string& problem : checked.problems) {
    out << cli::Safe(absl::StrCat(where, checked.id.empty() ? "" : " ", checked.id, ": ", problem))
        << "\n";
  }
}

// Parses `text` into `value`. The result has a problem if the text is not JSON. The problem has
// only the first line of the parser's message, which does not quote the text.
Checked Parse(absl::string_view text, Value* value) {
  const auto status =
      google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, value);
  if (status.ok()) return {};
  const std::string why = status.message().as_string();
  return {.problems = {absl::StrCat("is not JSON: ", why.substr(0, why.find('\n')))}};
}

absl::StatusOr<std::string> ReadAll(const std::string& file) {
  return cli::ReadFile(file == "-" ? "/dev/stdin" : file);
}

bool IsList(absl::string_view text) {
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "[");
}

// Writes `line` with the referee's result to `out`. If the line cannot be read or the referee
// refuses it, reports the line as failed on `err`.
void Answer(const std::string& where, absl::string_view line, const std::string& rules,
            Referee& referee, Tally& tally, std::ostream& out, std::ostream& err) {
  Value entry;
  Checked checked = Parse(line, &entry);
  if (checked.problems.empty() && !entry.has_struct_value()) {
    checked.problems = {"is not an object"};
  }
  if (checked.problems.empty()) {
    const auto answer = AnswerPlay(entry.struct_value(), rules, referee);
    if (answer.ok()) {
      out << *answer << "\n";
    } else {
      checked.problems = {std::string(answer.status().message())};
    }
  }
  Report(where, checked, tally, err);
}

Tally CheckScoreList(const std::string& file, const std::string& text, Referee& referee,
                     std::ostream& out) {
  Tally tally;
  Value list;
  if (const Checked parsed = Parse(text, &list); !parsed.problems.empty()) {
    Report(file, parsed, tally, out);
    return tally;
  }
  int index = 0;
  for (const Value& entry : list.list_value().values()) {
    const std::string where = absl::StrCat(file, "[", index++, "]");
    Report(where,
           entry.has_struct_value() ? CheckScore(entry.struct_value(), referee)
                                    : Checked{.problems = {"is not an object"}},
           tally, out);
  }
  return tally;
}

Tally CheckPlayLines(const std::string& file, const std::string& text, const std::string& rules,
                     Referee& referee, std::ostream& out) {
  Tally tally;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::string where = absl::StrCat(file, ":", number);
    Value entry;
    Checked checked = Parse(line, &entry);
    if (checked.problems.empty()) {
      checked = entry.has_struct_value() ? CheckPlay(entry.struct_value(), rules, referee)
                                         : Checked{.problems = {"is not an object"}};
    }
    Report(where, checked, tally, out);
  }
  return tally;
}

}  // namespace

Tally CheckText(const std::string& file, const std::string& text, const std::string& rules,
                Referee& referee, std::ostream& out) {
  Tally tally = IsList(text) ? CheckScoreList(file, text, referee, out)
                             : CheckPlayLines(file, text, rules, referee, out);
  if (tally.passed + tally.failed == 0) Report(file, {.problems = {"holds no vector"}}, tally, out);
  return tally;
}

Tally CheckFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                 std::ostream& out) {
  Tally sum;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadAll(file);
    if (!text.ok()) {
      Report(file, {.problems = {std::string(text.status().message())}}, sum, out);
      continue;
    }
    const Tally tally = CheckText(file, *text, rules, referee, out);
    sum.passed += tally.passed;
    sum.failed += tally.failed;
  }
  out << sum.passed << " passed, " << sum.failed << " failed\n";
  return sum;
}

Tally AnswerFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                  std::ostream& out, std::ostream& err) {
  Tally tally;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadAll(file);
    if (!text.ok() || IsList(*text)) {
      const std::string why = text.ok() ? "is a list of scores, not one deal per line"
                                        : std::string(text.status().message());
      Report(file, {.problems = {why}}, tally, err);
      continue;
    }
    int number = 0;
    for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
      ++number;
      if (absl::StripAsciiWhitespace(line).empty()) continue;
      Answer(absl::StrCat(file, ":", number), line, rules, referee, tally, out, err);
    }
  }
  return tally;
}

Tally MakePlays(const std::string& rules, int players, int count, std::uint64_t seed,
                Referee& referee, std::ostream& out, std::ostream& err) {
  Tally tally;
  const auto parsed = rules::ParseRuleSet(rules);
  if (!parsed.ok() || players < parsed->players_min || players > parsed->players_max) {
    const std::string why = parsed.ok() ? absl::StrCat("not for ", players, " players")
                                        : std::string(parsed.status().message());
    Report(rules, {.problems = {why}}, tally, err);
    return tally;
  }
  for (int number = 0; number < count; ++number) {
    const std::string line = RandomPlayLine(*parsed, rules, players, seed, number);
    Answer(absl::StrCat(rules, ":", number), line, rules, referee, tally, out, err);
  }
  return tally;
}

}  // namespace tarot::lab
