#include "tools/lab/vectors/files.h"

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

// Gives `seat` the Kings and high trumps in exchange for its other cards. It also gets the Petit in
// half of the calls, and the Excuse in half of the calls.
void Strengthen(rules::DealtCards& cards, std::size_t seat, Rng& rng) {
  CardSet wanted = CardSet::Kings() | CardSet::TrumpsAbove(9 + rng.Below(6));
  if (rng.Below(2) == 0) wanted.Insert(rules::kPetit);
  if (rng.Below(2) == 0) wanted.Insert(rules::kExcuse);
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

// Chooses actions that often make a slam: the strong hand bids high, announces slams and plays its
// highest cards first.
Action Choose(const Deal& deal, rules::Seat strong, Rng& rng) {
  const rules::LegalActions legal = rules::ListLegal(deal);
  if (deal.phase == Phase::kBidding && strong != rules::kNoSeat) {
    if (deal.turn == strong) return rules::FirstTakes(deal, rules::Contract::kGarde);
    return Action::Bid(legal.bids[0] ? rules::Contract::kPass : rules::Contract::kGarde);
  }
  if (deal.phase == Phase::kSlam && strong != rules::kNoSeat)
    return Action::Slam(rng.Below(2) == 0);
  if (deal.phase == Phase::kPlaying && deal.turn == strong && rng.Below(20) > 0) {
    CardSet cards = legal.cards;
    if (cards.Size() > 1) cards.Erase(rules::kExcuse);
    if (cards.Size() > 1) cards.Erase(rules::kPetit);
    return Action::Play(cards.Last());
  }
  return rules::RandomAction(deal, rng);
}

// Returns a deal that was played to its end.
Deal PlayedDeal(const rules::RuleSet& rules, int players, bool slam, Rng& rng) {
  for (;;) {
    const rules::Seat dealer = rng.Below(players);
    rules::DealtCards cards = rules::DealOut(rules, players, dealer, rules::RandomPack(rng));
    const rules::Seat first = (dealer + 1) % players;
    if (slam) Strengthen(cards, static_cast<std::size_t>(first), rng);
    const bool board = rules.taker_by == rules::TakerBy::kBoard;
    const rules::Seat taker =
        board ? (slam ? first : (dealer + 1 + rng.Below(players)) % players) : rules::kNoSeat;
    Deal deal = rules::StartDeal(rules, players, dealer, cards.hands, cards.dog, taker);
    while (deal.phase != Phase::kDone) {
      const Action action = Choose(deal, slam ? first : rules::kNoSeat, rng);
      TAROT_CHECK(rules::Apply(deal, deal.turn, action).ok());
    }
    if (deal.result.outcome == rules::Outcome::kScored) return deal;
  }
}

// Returns the line of deal `number`, played at random under `rules`. One deal in three has a hand
// that is strong enough for a slam. The same arguments give the same line. `text` names the rules.
std::string RandomPlayLine(const rules::RuleSet& rules, const std::string& text, int players,
                           std::uint64_t seed, int number) {
  Rng rng(seed * 1000003 + static_cast<std::uint64_t>(number));
  const bool slam = number % 3 == 2;
  const Deal deal = PlayedDeal(rules, players, slam, rng);
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
      "{\"id\":\"", text, "-", players, "p-", seed, "-", number, "\",\"tag\":\"",
      slam ? "strong_hand" : "random", "\",\"preset\":\"", text, "\",\"n\":", players,
      ",\"taker\":", deal.taker, ",\"partner\":", deal.partner, ",\"called\":", called,
      ",\"contract\":\"", rules::ContractText(deal.contract),
      "\",\"dog_dealt\":", CardList(deal.dog),
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

// Parses `text` into `value`. The result has a problem if the text is not JSON. The problem does
// not quote the text, which may be anything.
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

// Answers one line. If that fails, reports the line and counts it as failed.
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
      const std::string why = text.ok() ? "is a list of scores: deals stand one a line"
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
