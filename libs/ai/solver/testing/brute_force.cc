#include "libs/ai/solver/testing/brute_force.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/rules/cards.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Deal;
using rules::Seat;

// Returns a random order of the cards. Bouts, trumps and the cards of a few suits tend to come
// first. The test deals only the first cards, and most rules are about bouts and trumps.
std::vector<Card> Deck(Rng& rng) {
  std::vector<Card> rest;
  std::vector<Card> deck;
  const int suits = 1 + rng.Below(3);
  const int trumps = rng.Below(3);  // A trump goes to the front with probability `trumps` / 3.
  for (int i = 0; i < rules::kCardCount; ++i) {
    const Card card = rules::CardAt(i);
    bool front = false;
    if (IsBout(card)) {
      front = rng.Below(3) != 0;
    } else if (IsTrump(card)) {
      front = rng.Below(3) < trumps;
    } else {
      front = i / rules::kSuitSize < suits && rng.Below(3) != 0;
    }
    (front ? deck : rest).push_back(card);
  }
  rng.Shuffle(deck);
  // Moves more bouts to the front, so that the test deals most of them.
  std::stable_partition(deck.begin(), deck.end(),
                        [&rng](Card c) { return IsBout(c) && rng.Below(2) == 0; });
  rng.Shuffle(rest);
  deck.insert(deck.end(), rest.begin(), rest.end());
  return deck;
}

Card AnyOf(CardSet cards, Rng& rng) {
  for (int skip = rng.Below(cards.Size()); skip > 0; --skip) cards.Erase(cards.First());
  return cards.First();
}

rules::RuleSet RandomRules(Rng& rng) {
  rules::RuleSet rules;
  rules.excuse_last_trick = static_cast<rules::ExcuseLastTrick>(rng.Below(4));
  rules.excuse_compensation = static_cast<rules::ExcuseCompensation>(rng.Below(2));
  rules.petit_au_bout_condition = static_cast<rules::PetitAuBoutCondition>(rng.Below(3));
  rules.slam_lost_tricks_max = static_cast<std::uint8_t>(rng.Below(2));
  rules.excuse_slam_wins_when_led = rng.Below(4) != 0;
  rules.excuse_slam_wins_when_partner_leads = rng.Below(2) != 0;
  rules.excuse_slam_applies_to_defence = rng.Below(4) != 0;
  rules.petit_au_bout_slam_previous_trick = rng.Below(4) != 0;
  rules.call_lead = static_cast<rules::CallLead>(rng.Below(3));
  return rules;
}

Objective RandomObjective(Rng& rng) {
  Objective objective;
  if (rng.Below(4) != 0) objective.bout_bonus = {0, 10, 30, 40};
  if (rng.Below(8) == 0) objective.bout_bonus = {0, 4, 5, 17};
  if (rng.Below(2) == 0) {
    objective.petit_au_bout_attack = rng.Below(30);
    objective.petit_au_bout_defence = rng.Below(30);
  }
  if (rng.Below(3) == 0) {
    objective.slam_attack = rng.Below(90);
    objective.slam_defence = rng.Below(90);
  }
  return objective;
}

void FillHistory(Deal& deal, const std::vector<Card>& deck, std::size_t at, int before, Rng& rng) {
  // In half of the endings, one camp has won every trick so far.
  const int sweep = rng.Below(4);
  for (int i = 0; i < before; ++i) {
    rules::Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    trick.leader = rng.Below(deal.players);
    trick.size = deal.players;
    for (int k = 0; k < deal.players; ++k) trick.cards[static_cast<std::size_t>(k)] = deck[at++];
    do {
      trick.winner = rng.Below(deal.players);
    } while (sweep < 2 && deal.InAttack(trick.winner) != (sweep == 0));
  }
  for (; at < deck.size(); ++at) (rng.Below(2) == 0 ? deal.discard : deal.dog).Insert(deck[at]);
}

// A small ending: a deal in play with few cards left.
struct Ending {
  Deal deal;
  Objective objective;
};

// Returns an ending with `tricks` tricks left. The rules, the camps, the number of players, the
// cards and the history are random. Some cards of the next trick may already be on the table.
// Bouts, slams and an Excuse in the last trick are much more frequent than in real deals.
Ending RandomEnding(int tricks, Rng& rng) {
  Ending ending;
  Deal& deal = ending.deal;
  deal.rules = RandomRules(rng);
  deal.players = 3 + rng.Below(3);
  deal.playing = deal.players;
  deal.phase = rules::Phase::kPlaying;
  deal.contract = rng.Below(4) == 0 ? rules::Contract::kGardeSans : rules::Contract::kGarde;
  deal.taker = rng.Below(deal.players);
  if (deal.players == 5 && rng.Below(3) != 0) {
    deal.partner = (deal.taker + 1 + rng.Below(4)) % deal.players;
  }
  const int before = rng.Below(3);
  deal.rules.hand_size[static_cast<std::size_t>(deal.players - 3)] =
      static_cast<std::uint8_t>(tricks + before);
  const std::vector<Card> deck = Deck(rng);
  std::size_t at = 0;
  for (Seat seat = 0; seat < deal.players; ++seat) {
    for (int i = 0; i < tricks; ++i) deal.hands[static_cast<std::size_t>(seat)].Insert(deck[at++]);
  }
  if (deal.players == 5 && rng.Below(2) == 0) {
    const Card called = deck[static_cast<std::size_t>(rng.Below(static_cast<int>(at)))];
    if (SuitOf(called) < rules::Suit::kTrumps) deal.called_card = called;
  }
  FillHistory(deal, deck, at, before, rng);
  deal.turn = before > 0 ? deal.tricks[static_cast<std::size_t>(before - 1)].winner
                         : rng.Below(deal.players);
  deal.trick_count = before + 1;
  deal.tricks[static_cast<std::size_t>(before)].leader = deal.turn;
  for (int begun = rng.Below(2) * rng.Below(deal.players); begun > 0; --begun) {
    const Card card = AnyOf(ListLegal(deal).cards, rng);
    TAROT_CHECK(Apply(deal, deal.turn, rules::Action::Play(card)).ok());
  }
  ending.objective = RandomObjective(rng);
  return ending;
}

// Returns the hands and the objective as text.
std::string Describe(const Ending& ending) {
  const Deal& deal = ending.deal;
  std::string text = absl::StrCat("players ", deal.players, " taker ", deal.taker, " partner ",
                                  deal.partner, " turn ", deal.turn, "\n");
  for (Seat seat = 0; seat < deal.players; ++seat) {
    absl::StrAppend(&text, "  ", seat, ":");
    for (const Card c : deal.hands[static_cast<std::size_t>(seat)]) {
      absl::StrAppend(&text, " ", rules::CardText(c));
    }
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, "  table from ", deal.CurrentTrick().leader, ":");
  for (int i = 0; i < deal.CurrentTrick().size; ++i) {
    absl::StrAppend(&text, " ",
                    rules::CardText(deal.CurrentTrick().cards[static_cast<std::size_t>(i)]));
  }
  const Objective& o = ending.objective;
  absl::StrAppend(&text, "\n  trick ", deal.trick_count, ", bonuses ", o.bout_bonus[1], " ",
                  o.bout_bonus[2], " ", o.bout_bonus[3], ", petit ", o.petit_au_bout_attack, " ",
                  o.petit_au_bout_defence, ", slam ", o.slam_attack, " ", o.slam_defence,
                  ", excuse rule ", static_cast<int>(deal.rules.excuse_last_trick), "\n");
  return text;
}

std::string CheckCards(const Ending& ending, const OpenPosition& position, Solver& solver) {
  if (LegalCards(position) != ListLegal(ending.deal).cards) return "the legal cards differ\n";
  for (const CardValue& card : solver.EveryCard(position, ending.objective)) {
    rules::Deal next = ending.deal;
    Apply(next, next.turn, rules::Action::Play(card.card));
    const int truth = BruteForceValue(next, ending.objective);
    if (card.value.lower != truth || card.value.upper != truth) {
      return absl::StrCat("card ", Index(card.card), ": ", card.value.lower, "..", card.value.upper,
                          ", not ", truth, "\n");
    }
  }
  return "";
}

// Checks the solver's answers for `ending`. Returns a description of the first wrong answer, or "".
std::string WrongAnswer(const Ending& ending, Rng& rng, Solver& solver) {
  const OpenPosition position = MakeOpenPosition(ending.deal);
  const int truth = BruteForceValue(ending.deal, ending.objective);
  const auto cap = static_cast<std::uint64_t>(1 + rng.Below(60));
  if (rng.Below(4) == 0) {
    const ValueBounds capped = solver.Value(position, ending.objective, cap);
    if (capped.lower > truth || capped.upper < truth) {
      return absl::StrCat("under a cap ", capped.lower, "..", capped.upper, ", not ", truth, "\n");
    }
  }
  if (rng.Below(4) == 0) {
    const Answer yes = solver.AtLeast(position, ending.objective, truth, cap);
    const Answer no = solver.AtLeast(position, ending.objective, truth + 1);
    if (yes == Answer::kNo) return absl::StrCat("at least ", truth, ": the answer is no\n");
    if (no != Answer::kNo) return absl::StrCat("at least ", truth + 1, ": the answer is not no\n");
  }
  if (rng.Below(8) == 0) {
    const std::string fault = CheckCards(ending, position, solver);
    if (!fault.empty()) return fault;
  }
  const ValueBounds value = solver.Value(position, ending.objective);
  if (value.lower == truth && value.upper == truth) return "";
  return absl::StrCat("value ", value.lower, "..", value.upper, ", not ", truth, "\n");
}

// Returns the number of tricks of ending number `i`. It is mostly two or three, sometimes one, and
// rarely four, because brute force takes far longer for four tricks.
int TricksOf(long i) {
  if (i % 512 == 0) return 4;
  if (i % 64 == 2) return 1;
  return i % 5 < 2 ? 3 : 2;
}

}  // namespace

int BruteForceValue(const Deal& deal, const Objective& objective) {
  if (deal.phase == rules::Phase::kDone) {
    const rules::DealResult& result = deal.result;
    int value =
        result.attack_half_points + objective.bout_bonus[static_cast<std::size_t>(result.bouts)];
    if (result.petit_au_bout > 0) value += objective.petit_au_bout_attack;
    if (result.petit_au_bout < 0) value -= objective.petit_au_bout_defence;
    if (result.slam == rules::SlamOutcome::kUnannouncedMade) value += objective.slam_attack;
    if (result.slam == rules::SlamOutcome::kDefence) value -= objective.slam_defence;
    return value;
  }
  const bool attack = deal.InAttack(deal.turn);
  bool first = true;
  int best = 0;
  for (const Card card : ListLegal(deal).cards) {
    Deal next = deal;
    TAROT_CHECK(Apply(next, next.turn, rules::Action::Play(card)).ok());
    const int value = BruteForceValue(next, objective);
    if (first || (attack ? value > best : value < best)) best = value;
    first = false;
  }
  return best;
}

std::string FirstWrongAnswer(long count, std::uint64_t seed) {
  Solver solver(std::size_t{1} << 18);
  for (long i = 0; i < count; ++i) {
    Rng rng(seed << 40 | static_cast<std::uint64_t>(i));
    int tricks = TricksOf(i);
    Ending ending = RandomEnding(tricks, rng);
    if (tricks == 4 && ending.deal.players > 3) ending = RandomEnding(3, rng);
    const std::string fault = WrongAnswer(ending, rng, solver);
    if (!fault.empty()) return absl::StrCat("ending ", i, "\n", Describe(ending), "  ", fault);
  }
  return "";
}

std::string FirstInconsistency(long count, std::uint64_t seed) {
  Solver solver(std::size_t{1} << 20);
  for (long i = 0; i < count; ++i) {
    Rng rng(seed << 40 | static_cast<std::uint64_t>(i));
    const Ending ending = RandomEnding(5, rng);
    const OpenPosition position = MakeOpenPosition(ending.deal);
    if (position.TricksLeft() < 3) continue;
    const int value = solver.Value(position, ending.objective).lower;
    const bool attack = position.InAttack(position.Turn());
    int best = attack ? -10'000 : 10'000;
    for (const Card card : LegalCards(position)) {
      rules::Deal next = ending.deal;
      Apply(next, next.turn, rules::Action::Play(card));
      const int behind =
          Solver(std::size_t{1} << 16).Value(MakeOpenPosition(next), ending.objective).lower;
      best = attack ? std::max(best, behind) : std::min(best, behind);
    }
    if (value == best) continue;
    return absl::StrCat("ending ", i, "\n", Describe(ending), "  the value is ", value,
                        ", but the best card's is ", best, "\n");
  }
  return "";
}

}  // namespace tarot::ai
