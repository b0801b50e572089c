#include "tools/lab/vectors/make_play.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/rules/cards.h"
#include "libs/rules/testing/random_deals.h"

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

// Gives `seat` the Kings, the bouts and high trumps, for cards of its own.
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

// The strong hand bids high, announces slams and plays from the top: it often makes one.
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

// A deal that was played to its end.
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

}  // namespace

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

}  // namespace tarot::lab
