#include "libs/rules/deal.h"

#include <algorithm>

#include "libs/base/check.h"
#include "libs/rules/bidding.h"
#include "libs/rules/dog.h"
#include "libs/rules/handful.h"
#include "libs/rules/scoring.h"
#include "libs/rules/trick.h"

namespace tarot::rules {
namespace {

CardSet& HandOf(Deal& deal, Seat seat) { return deal.hands[static_cast<std::size_t>(seat)]; }
CardSet HandOf(const Deal& deal, Seat seat) { return deal.hands[static_cast<std::size_t>(seat)]; }

absl::Span<const Card> Table(const Deal& deal) {
  const Trick& trick = deal.CurrentTrick();
  return absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(trick.size));
}

void End(Deal& deal, DealResult result) {
  deal.phase = Phase::kDone;
  deal.turn = kNoSeat;
  deal.result = result;
}

// Returns true if the Petit is the only trump of `hand` and the hand has no Excuse.
bool IsPetitSec(CardSet hand) {
  return (hand & (CardSet::AllTrumps() | CardSet{kExcuse})) == CardSet{kPetit};
}

// Returns the seat whose hand is a petit sec, or kNoSeat if there is none.
Seat PetitSecSeat(const Deal& deal) {
  const auto found = std::find_if(deal.hands.begin(), deal.hands.end(), IsPetitSec);
  return found == deal.hands.end() ? kNoSeat : static_cast<Seat>(found - deal.hands.begin());
}

// Removes from `legal` the cards that the call forbids in the first trick. Only deals with five
// players have a call. The leader may lead no card of the called suit except the called card. With
// CallLead::kSuitBarredWholeTrick, the other seats may play the called suit only if the leader led
// the called card. With CallLead::kFree, no card is forbidden. If all cards of `legal` are
// forbidden, the seat may play any of them.
CardSet WithoutCalledSuit(const Deal& deal, CardSet legal) {
  if (deal.called_card == kNoCard || deal.trick_count != 1) return legal;
  const Trick& trick = deal.CurrentTrick();
  CardSet barred = CardSet::OfSuit(SuitOf(deal.called_card));
  if (trick.size == 0) {
    if (deal.rules.call_lead == CallLead::kFree) return legal;
    barred.Erase(deal.called_card);
  } else {
    if (deal.rules.call_lead != CallLead::kSuitBarredWholeTrick) return legal;
    if (trick.cards[0] == deal.called_card) return legal;
  }
  const CardSet rest = legal - barred;
  return rest.Empty() ? legal : rest;
}

CardSet PlayableCards(const Deal& deal) {
  return WithoutCalledSuit(deal, LegalCards(HandOf(deal, deal.turn), Table(deal)));
}

bool TakesDog(Contract contract) {
  return contract == Contract::kPrise || contract == Contract::kGarde;
}

void StartPlay(Deal& deal) {
  const bool announcer = deal.slam_announced && deal.rules.slam_announcer_leads;
  deal.phase = Phase::kPlaying;
  deal.turn = announcer ? deal.taker : deal.Next(deal.dealer);
  deal.tricks[0].leader = deal.turn;
  deal.trick_count = 1;
}

void AskSlam(Deal& deal) {
  deal.phase = Phase::kSlam;
  deal.turn = deal.taker;
}

void AfterDog(Deal& deal) {
  if (deal.rules.slam_announce == SlamAnnounce::kAfterDiscard) return AskSlam(deal);
  StartPlay(deal);
}

// Begins the phase that follows the call. With Prise and Garde, the taker takes the dog. With a
// higher contract, the dog stays unseen.
void AfterCall(Deal& deal) {
  deal.turn = deal.taker;
  if (!TakesDog(deal.contract)) return AfterDog(deal);
  HandOf(deal, deal.taker) |= deal.dog;
  deal.phase = Phase::kDiscarding;
}

// With five players, begins the call. With fewer players, begins the phase that follows the call.
// With SlamAnnounce::kWithContract, the taker has already decided whether to announce a slam.
void AfterContract(Deal& deal) {
  if (deal.playing != 5) return AfterCall(deal);
  deal.phase = Phase::kCalling;
  deal.turn = deal.taker;
}

void AfterAuction(Deal& deal) {
  if (deal.rules.slam_announce == SlamAnnounce::kWithContract) return AskSlam(deal);
  AfterContract(deal);
}

// Starts the deal of a board. The board names the taker. If it also imposes the contract, there is
// no auction.
void StartBoard(Deal& deal) {
  deal.turn = deal.taker;
  deal.contract = deal.rules.imposed_contract;
  if (deal.contract != Contract::kPass) AfterAuction(deal);
}

void ApplyBid(Deal& deal, Contract contract) {
  deal.bids[static_cast<std::size_t>(deal.bid_count++)] = contract;
  if (!AuctionOver(deal)) {
    deal.turn = deal.Next(deal.turn);
    return;
  }
  deal.contract = HighestBid(deal);
  if (deal.contract == Contract::kPass) return End(deal, {.outcome = Outcome::kAllPassed});
  deal.taker = HighestBidder(deal);
  AfterAuction(deal);
}

void ApplyCall(Deal& deal, Card card) {
  deal.called_card = card;
  for (Seat seat = 0; card != kNoCard && seat < deal.players; ++seat) {
    // The taker plays alone if the called card is in the taker's hand or in the dog.
    if (seat != deal.taker && HandOf(deal, seat).Contains(card)) deal.partner = seat;
  }
  AfterCall(deal);
}

void ApplySlam(Deal& deal, bool announce) {
  deal.slam_announced = announce;
  if (deal.rules.slam_announce == SlamAnnounce::kWithContract) return AfterContract(deal);
  StartPlay(deal);
}

void ApplyHandful(Deal& deal, CardSet cards) {
  deal.handfuls[static_cast<std::size_t>(deal.handful_count++)] = {
      .seat = deal.turn,
      .level = HandfulLevel(deal.rules, deal.players, cards.Size()),
      .cards = cards};
}

void ApplyPlay(Deal& deal, Card card) {
  Trick& trick = deal.tricks[static_cast<std::size_t>(deal.trick_count - 1)];
  trick.cards[static_cast<std::size_t>(trick.size++)] = card;
  HandOf(deal, deal.turn).Erase(card);
  ++deal.cards_played;
  if (trick.size < deal.playing) {
    deal.turn = deal.Next(deal.turn);
    return;
  }
  const bool last = deal.trick_count == deal.rules.HandSize(deal.players);
  trick.winner = deal.After(trick.leader, WinnerOfTrick(deal, trick, last));
  if (last) return End(deal, Tally(deal));
  deal.turn = trick.winner;
  deal.tricks[static_cast<std::size_t>(deal.trick_count++)].leader = trick.winner;
}

Phase PhaseOf(Action::Kind kind) {
  switch (kind) {
    case Action::Kind::kBid:
      return Phase::kBidding;
    case Action::Kind::kCall:
      return Phase::kCalling;
    case Action::Kind::kDiscard:
      return Phase::kDiscarding;
    case Action::Kind::kSlam:
      return Phase::kSlam;
    case Action::Kind::kHandful:
    case Action::Kind::kPlay:
      return Phase::kPlaying;
  }
  return Phase::kDone;
}

Verdict CheckCall(const Deal& deal, Card card) {
  const CardSet callable = CallableCards(deal.rules, HandOf(deal, deal.turn));
  const bool may_call_none = !deal.rules.call_obligatory || callable.Empty();
  const bool allowed =
      card == kNoCard ? may_call_none : IsCard(Index(card)) && callable.Contains(card);
  return allowed ? Verdict{} : Verdict{.reason = Reason::kCallNotAllowed, .card = card};
}

Verdict CheckPlay(const Deal& deal, Card card) {
  if (!IsCard(Index(card))) return {.reason = Reason::kCardNotHeld};
  if (PlayableCards(deal).Contains(card)) return {};
  return RefusalOf(HandOf(deal, deal.turn), Table(deal), deal.called_card, card);
}

}  // namespace

CardSet Deal::DiscardShown() const {
  if (rules.trump_discard == TrumpDiscard::kFree) return CardSet{};
  return discard & CardSet::AllTrumps();
}

bool DogIsShown(const RuleSet& rules, Phase phase, Contract contract) {
  if (phase == Phase::kBidding || phase == Phase::kCalling) return false;
  if (phase == Phase::kSlam && rules.slam_announce == SlamAnnounce::kWithContract) return false;
  return TakesDog(contract);
}

Deal StartDeal(const RuleSet& rules, int players, Seat dealer,
               const std::array<CardSet, kPlayersMax>& hands, CardSet dog, Seat taker) {
  TAROT_CHECK(players >= rules.players_min && players <= rules.players_max);
  TAROT_CHECK(dealer >= 0 && dealer < players);
  TAROT_CHECK((taker != kNoSeat) == (rules.taker_by == TakerBy::kBoard));
  Deal deal;
  deal.rules = rules;
  deal.players = players;
  deal.playing = rules.Playing(players);
  if (deal.playing != players) deal.sits_out = dealer;
  deal.dealer = dealer;
  deal.turn = deal.Next(dealer);
  deal.taker = taker;
  deal.dealt = deal.hands = hands;
  deal.dog = dog;
  const Seat petit_sec = rules.petit_sec == PetitSec::kCancelsDeal ? PetitSecSeat(deal) : kNoSeat;
  if (petit_sec != kNoSeat) {
    End(deal, {.outcome = Outcome::kPetitSec,
               .petit_sec_seat = petit_sec,
               .petit_sec_hand = hands[static_cast<std::size_t>(petit_sec)]});
  } else if (rules.teams == Teams::kEveryoneAlone) {
    StartPlay(deal);
  } else if (taker != kNoSeat) {
    StartBoard(deal);
  }
  return deal;
}

Verdict Check(const Deal& deal, Seat seat, const Action& action) {
  if (deal.phase == Phase::kDone) return {.reason = Reason::kDealIsOver};
  if (seat != deal.turn) return {.reason = Reason::kNotYourTurn};
  if (PhaseOf(action.kind) != deal.phase) return {.reason = Reason::kWrongPhase};
  switch (action.kind) {
    case Action::Kind::kBid:
      return CheckBid(deal, action.contract);
    case Action::Kind::kCall:
      return CheckCall(deal, action.card);
    case Action::Kind::kDiscard:
      return CheckDiscard(deal.rules, HandOf(deal, seat), deal.called_card, deal.dog.Size(),
                          action.cards);
    case Action::Kind::kSlam:
      return {};
    case Action::Kind::kHandful:
      return CheckHandful(deal, seat, action.cards);
    case Action::Kind::kPlay:
      return CheckPlay(deal, action.card);
  }
  return {.reason = Reason::kWrongPhase};
}

Verdict Apply(Deal& deal, Seat seat, const Action& action) {
  const Verdict verdict = Check(deal, seat, action);
  if (!verdict.ok()) return verdict;
  switch (action.kind) {
    case Action::Kind::kBid:
      ApplyBid(deal, action.contract);
      break;
    case Action::Kind::kCall:
      ApplyCall(deal, action.card);
      break;
    case Action::Kind::kDiscard:
      HandOf(deal, seat) -= action.cards;
      deal.discard = action.cards;
      AfterDog(deal);
      break;
    case Action::Kind::kSlam:
      ApplySlam(deal, action.announce);
      break;
    case Action::Kind::kHandful:
      ApplyHandful(deal, action.cards);
      break;
    case Action::Kind::kPlay:
      ApplyPlay(deal, action.card);
      break;
  }
  return verdict;
}

void VoidDeal(Deal& deal) {
  TAROT_CHECK(deal.phase != Phase::kDone);
  End(deal, {.outcome = Outcome::kVoided});
}

LegalActions ListLegal(const Deal& deal) {
  LegalActions legal;
  switch (deal.phase) {
    case Phase::kBidding:
      for (std::size_t c = 0; c < legal.bids.size(); ++c) {
        legal.bids[c] = CheckBid(deal, static_cast<Contract>(c)).ok();
      }
      break;
    case Phase::kCalling:
      legal.calls = CallableCards(deal.rules, HandOf(deal, deal.turn));
      legal.call_nobody = !deal.rules.call_obligatory || legal.calls.Empty();
      break;
    case Phase::kDiscarding: {
      const DiscardRule rule =
          DiscardRuleFor(deal.rules, HandOf(deal, deal.turn), deal.called_card, deal.dog.Size());
      legal.discards = rule.allowed;
      legal.discard_count = rule.count;
      legal.discard_trump_count = rule.trump_count;
      break;
    }
    case Phase::kSlam:
      legal.slam = true;
      break;
    case Phase::kPlaying: {
      const HandfulChoice handfuls = ListHandfuls(deal, deal.turn);
      legal.handful_levels = handfuls.levels;
      legal.handful_cards = handfuls.cards;
      legal.cards = PlayableCards(deal);
      break;
    }
    case Phase::kDone:
      break;
  }
  return legal;
}

}  // namespace tarot::rules
