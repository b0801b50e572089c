#include "libs/rules/score_play.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "libs/rules/bidding.h"
#include "libs/rules/cards.h"
#include "libs/rules/dog.h"
#include "libs/rules/handful.h"

namespace tarot::rules {
namespace {

bool IsSeat(const PlayedDeal& p, Seat seat) { return seat >= 0 && seat < p.players; }

// Returns the seat that sits out: the seat without cards, with FiveAlternative::kDealerSitsOut.
// Returns kNoSeat if no seat sits out.
Seat SitsOut(const PlayedDeal& p) {
  if (p.rules.Playing(p.players) == p.players) return kNoSeat;
  for (Seat seat = 0; seat < p.players; ++seat) {
    if (p.hands[static_cast<std::size_t>(seat)].Empty()) return seat;
  }
  return kNoSeat;
}

absl::Status CheckCamps(const PlayedDeal& p) {
  if (p.rules.teams == Teams::kEveryoneAlone) {
    if (p.taker != kNoSeat) return BadRequest("taker", "every seat plays alone");
    if (p.contract != Contract::kPass) return BadRequest("contract", "every seat plays alone");
    return absl::OkStatus();
  }
  if (!IsSeat(p, p.taker) || p.taker == SitsOut(p)) return BadRequest("taker", "no such seat");
  const bool has_partner = p.partner != kNoSeat;
  const bool five = p.rules.Playing(p.players) == 5;
  if (has_partner && (!IsSeat(p, p.partner) || !five || p.partner == p.taker)) {
    return BadRequest("partner", "must be another seat than the taker, and needs five players");
  }
  if (p.called_card != kNoCard && !five) {
    return BadRequest("called_card", "needs five players");
  }
  if (p.contract == Contract::kPass) return BadRequest("contract", "required");
  if (!p.rules.AllowsBid(p.contract) && p.contract != p.rules.imposed_contract) {
    return BadRequest("contract", "the rule set has no such bid");
  }
  if (p.slam_announced && p.rules.slam_announce == SlamAnnounce::kNever) {
    return BadRequest("slam_announced", "the rule set has no announcement of a slam");
  }
  return absl::OkStatus();
}

absl::Status CheckCards(const PlayedDeal& p) {
  CardSet seen = p.counted_apart;
  int count = seen.Size();
  if (count != p.rules.DogSize(p.players)) return BadRequest("counted_apart", "wrong size");
  for (Seat seat = 0; seat < p.players; ++seat) {
    const CardSet hand = p.hands[static_cast<std::size_t>(seat)];
    const int size = seat == SitsOut(p) ? 0 : p.rules.HandSize(p.players);
    if (hand.Size() != size) return BadRequest("hands", "wrong size");
    seen |= hand;
    count += hand.Size();
  }
  if (seen != CardSet::All() || count != kCardCount) {
    return BadRequest("hands", "hands and counted_apart must hold every card once");
  }
  return absl::OkStatus();
}

bool TakesDog(const PlayedDeal& p) {
  return p.contract == Contract::kPrise || p.contract == Contract::kGarde;
}

// Checks that the écart is legal. The taker chose it from the hand and the dog together.
absl::Status CheckEcart(const PlayedDeal& p) {
  if (p.taker == kNoSeat || !TakesDog(p)) return absl::OkStatus();
  const CardSet hand = p.hands[static_cast<std::size_t>(p.taker)] | p.counted_apart;
  const Verdict verdict =
      CheckDiscard(p.rules, hand, p.called_card, p.counted_apart.Size(), p.counted_apart);
  if (verdict.ok()) return absl::OkStatus();
  return BadRequest("counted_apart",
                    RefusalStatus(Action::Discard(p.counted_apart), verdict).message());
}

// Returns whether a taker may make the call that `p` records, if `hand` is the taker's hand in the
// auction.
bool CallFits(const PlayedDeal& p, CardSet hand) {
  const CardSet callable = CallableCards(p.rules, hand);
  if (p.called_card != kNoCard) return callable.Contains(p.called_card);
  return !p.rules.call_obligatory || callable.Empty();
}

// Removes `count` cards of `dog` from `hand`, in every possible way. Returns true if CallFits()
// accepts one of the hands that remain.
bool AnyCallFits(const PlayedDeal& p, CardSet hand, CardSet dog, int count) {
  if (count == 0) return CallFits(p, hand);
  CardSet later = dog;
  for (const Card card : dog) {
    later.Erase(card);
    if (AnyCallFits(p, hand - CardSet{card}, later, count - 1)) return true;
  }
  return false;
}

// Checks that the rules allow the call. The taker calls before the dog is shown. The sheet does not
// say which cards were in the dog. If the taker took the dog, any cards of the taker's hand and
// écart may have been in the dog.
absl::Status CheckCall(const PlayedDeal& p) {
  if (p.taker == kNoSeat || p.rules.Playing(p.players) != 5) return absl::OkStatus();
  const CardSet hand = p.hands[static_cast<std::size_t>(p.taker)];
  const CardSet all = hand | p.counted_apart;
  const bool fits =
      TakesDog(p) ? AnyCallFits(p, all, all, p.counted_apart.Size()) : CallFits(p, hand);
  if (fits) return absl::OkStatus();
  return BadRequest("called_card", p.called_card == kNoCard
                                       ? "required: the rule set obliges this taker to call"
                                       : "the taker may not call this card with this hand");
}

// Checks that the partner is the seat that holds the called card.
absl::Status CheckPartner(const PlayedDeal& p) {
  if (p.called_card == kNoCard) {
    return p.partner == kNoSeat ? absl::OkStatus() : BadRequest("partner", "needs a called card");
  }
  Seat holder = kNoSeat;
  for (Seat seat = 0; seat < p.players; ++seat) {
    const bool holds = p.hands[static_cast<std::size_t>(seat)].Contains(p.called_card);
    if (holds && seat != p.taker) holder = seat;
  }
  if (p.partner == holder) return absl::OkStatus();
  return BadRequest("partner", holder == kNoSeat
                                   ? "no other seat holds the called card, so the taker is alone"
                                   : "must be the seat that holds the called card");
}

absl::Status CheckTricks(const PlayedDeal& p) {
  if (static_cast<int>(p.tricks.size()) != p.rules.HandSize(p.players)) {
    return BadRequest("tricks", "must be all tricks of the deal");
  }
  for (const PlayedDeal::PlayedTrick& trick : p.tricks) {
    if (!IsSeat(p, trick.leader) || trick.leader == SitsOut(p)) {
      return BadRequest("tricks.leader", "no such seat");
    }
    if (static_cast<int>(trick.cards.size()) != p.rules.Playing(p.players)) {
      return BadRequest("tricks.cards", "must be one card for each player");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckHandfuls(const PlayedDeal& p) {
  CardSet shown;
  for (const PlayedDeal::Handful& h : p.handfuls) {
    if (!IsSeat(p, h.seat) || h.level < 1 || h.level > 3) {
      return BadRequest("handfuls", "must have a seat and a level of 1 to 3");
    }
    if (shown.Contains(CardAt(h.seat)))
      return BadRequest("handfuls", "must be at most one for each seat");
    // In the set `shown`, card number i means that seat i has shown a handful.
    shown.Insert(CardAt(h.seat));
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const PlayedDeal& p) {
  if (p.players < p.rules.players_min || p.players > p.rules.players_max) {
    return BadRequest("player_count", "the rule set does not allow this number of players");
  }
  TAROT_RETURN_IF_ERROR(CheckCamps(p));
  TAROT_RETURN_IF_ERROR(CheckCards(p));
  TAROT_RETURN_IF_ERROR(CheckEcart(p));
  TAROT_RETURN_IF_ERROR(CheckPartner(p));
  TAROT_RETURN_IF_ERROR(CheckCall(p));
  TAROT_RETURN_IF_ERROR(CheckTricks(p));
  return CheckHandfuls(p);
}

// Returns the deal as it is before its first card.
Deal AtFirstCard(const PlayedDeal& p) {
  Deal deal;
  deal.rules = p.rules;
  deal.players = p.players;
  deal.playing = p.rules.Playing(p.players);
  deal.sits_out = SitsOut(p);
  deal.dealer =
      deal.sits_out != kNoSeat ? deal.sits_out : (p.tricks[0].leader + p.players - 1) % p.players;
  deal.phase = Phase::kPlaying;
  deal.dealt = deal.hands = p.hands;
  deal.taker = p.taker;
  deal.contract = p.contract;
  deal.called_card = p.called_card;
  deal.partner = p.partner;
  deal.slam_announced = p.slam_announced;
  (deal.DogShown() ? deal.discard : deal.dog) = p.counted_apart;
  deal.turn = p.tricks[0].leader;
  deal.tricks[0].leader = deal.turn;
  deal.trick_count = 1;
  return deal;
}

// Adds the handfuls to `deal`, in which no card has been played yet. The sheet does not list the
// cards of a handful, so this function only checks that the seat has enough trumps. The trumps that
// the taker showed in the écart also count.
absl::Status AddHandfuls(const PlayedDeal& p, Deal& deal) {
  for (const PlayedDeal::Handful& h : p.handfuls) {
    if (!ListHandfuls(deal, h.seat).levels[static_cast<std::size_t>(h.level)]) {
      return BadRequest("handfuls",
                        absl::StrCat("seat ", h.seat, " cannot show a handful of level ", h.level,
                                     " with this hand and rule set"));
    }
    deal.handfuls[static_cast<std::size_t>(deal.handful_count++)] = {.seat = h.seat,
                                                                     .level = h.level};
  }
  return absl::OkStatus();
}

// Checks the leader of the first trick. A taker who announced a slam leads if the rule set says so.
// If not, the seat after the dealer leads; this can be checked only if the dealer sits out, because
// other sheets do not show the dealer.
absl::Status CheckFirstLead(const PlayedDeal& p) {
  const bool announcer_leads = p.slam_announced && p.rules.slam_announcer_leads;
  const Seat leader = p.tricks[0].leader;
  if (announcer_leads) {
    if (leader == p.taker) return absl::OkStatus();
    return BadRequest("tricks.0.leader", "must be the taker, who announced a slam");
  }
  const Seat dealer = SitsOut(p);
  if (dealer == kNoSeat || leader == SeatAfter(p.players, dealer, dealer, 1)) {
    return absl::OkStatus();
  }
  return BadRequest("tricks.0.leader", "must be the seat after the dealer, who sits out");
}

absl::Status Refused(const Deal& deal, std::size_t trick, Card card, const Verdict& verdict) {
  const absl::Status why = RefusalStatus(Action::Play(card), verdict);
  const ErrorDetails details = GetErrorDetails(why);
  ErrorMetadata metadata(details.metadata.begin(), details.metadata.end());
  metadata.emplace_back("trick", absl::StrCat(trick));
  metadata.emplace_back("seat", absl::StrCat(deal.turn));
  if (details.metadata.count("card") == 0) metadata.emplace_back("card", CardName(card));
  return Error(why.code(), details.reason,
               absl::StrCat("Trick ", trick, ", seat ", deal.turn, ", ", CardName(card), ": ",
                            why.message()),
               metadata);
}

}  // namespace

absl::StatusOr<Deal> ScorePlay(const PlayedDeal& p) {
  TAROT_RETURN_IF_ERROR(CheckShape(p));
  TAROT_RETURN_IF_ERROR(CheckFirstLead(p));
  Deal deal = AtFirstCard(p);
  TAROT_RETURN_IF_ERROR(AddHandfuls(p, deal));
  for (std::size_t i = 0; i < p.tricks.size(); ++i) {
    if (p.tricks[i].leader != deal.turn) {
      return BadRequest(absl::StrCat("tricks.", i, ".leader"),
                        "the leader did not win the previous trick");
    }
    for (const Card card : p.tricks[i].cards) {
      const Verdict verdict = Apply(deal, deal.turn, Action::Play(card));
      if (!verdict.ok()) return Refused(deal, i, card, verdict);
    }
  }
  return deal;
}

}  // namespace tarot::rules
