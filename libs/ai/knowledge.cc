#include "libs/ai/knowledge.h"

#include <algorithm>

#include "libs/rules/bidding.h"
#include "libs/rules/trick.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::Phase;
using rules::Seat;
using rules::Suit;
using rules::View;

class Detective {
 public:
  explicit Detective(const rules::View& view) : view_(view) {}

  Knowledge Solve() {
    FindUnseen();
    for (int place = 0; place < kPlaces; ++place) May(place) = facts_.unseen;
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat == view_.viewer) continue;
      facts_.count[static_cast<std::size_t>(seat)] =
          view_.hand_counts[static_cast<std::size_t>(seat)];
    }
    for (Seat seat = 0; seat < rules::kPlayersMax; ++seat) {
      if (seat == view_.viewer || seat >= view_.players) May(seat) = CardSet();
    }
    facts_.count[kAside] = AsideCount();
    ReadDog();
    ReadCall();
    ReadHandfuls();
    for (int i = 0; i < view_.trick_count; ++i) {
      ReadTrick(view_.tricks[static_cast<std::size_t>(i)]);
    }
    return facts_;
  }

 private:
  CardSet& May(int place) { return facts_.may[static_cast<std::size_t>(place)]; }

  // Notes the fact that `cards` are in `place` and nowhere else.
  void OnlyAt(int place, CardSet cards) {
    for (int other = 0; other < kPlaces; ++other) {
      if (other != place) May(other) -= cards;
    }
  }

  bool DogTaken() const { return rules::DogIsShown(view_.rules, view_.phase, view_.contract); }

  bool CalledMayGo() const {
    return view_.called_card == rules::kNoCard || view_.rules.discard_called_card_allowed;
  }

  void FindUnseen() {
    CardSet seen = view_.hand | view_.discard | view_.discard_shown;
    for (int i = 0; i < view_.trick_count; ++i) {
      const rules::Trick& trick = view_.tricks[static_cast<std::size_t>(i)];
      for (int k = 0; k < trick.size; ++k) seen.Insert(trick.cards[static_cast<std::size_t>(k)]);
    }
    facts_.unseen = CardSet::All() - seen;
  }

  int AsideCount() const {
    const int dog_size = view_.rules.DogSize(view_.players);
    if (!DogTaken()) return dog_size;
    if (view_.viewer == view_.taker) return 0;  // The taker knows every card outside the hands.
    return dog_size - view_.discard_shown.Size();
  }

  void ReadDog() {
    if (!DogTaken()) return;
    const CardSet trumps = CardSet::AllTrumps();
    May(kAside) -= CardSet::Kings() | CardSet::Bouts();
    if (view_.rules.trump_discard != rules::TrumpDiscard::kFree) May(kAside) -= trumps;
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat != view_.taker) May(seat) -= view_.dog;
    }
    // In a rule set without TrumpDiscard::kFree, a taker discards trumps only if there are not
    // enough other cards to discard. So if the écart shows trumps, the taker's hand has no other
    // card that could be discarded.
    if (!view_.discard_shown.Empty()) {
      CardSet kept = trumps | CardSet::Kings() | CardSet{rules::kExcuse};
      if (!CalledMayGo()) kept.Insert(view_.called_card);
      May(view_.taker) &= kept;
    }
    if (!CalledMayGo()) May(kAside).Erase(view_.called_card);
  }

  void ReadCall() {
    if (view_.called_card == rules::kNoCard || view_.phase == Phase::kCalling) return;
    const CardSet called{view_.called_card};
    if (view_.partner != rules::kNoSeat) OnlyAt(view_.partner, called);
    const bool in_dog = view_.dog.Contains(view_.called_card);
    if (view_.rules.self_call == rules::SelfCall::kForbidden && !in_dog) May(view_.taker) -= called;
    if (view_.rules.call == rules::Call::kAnyCard) return;
    // A taker may call a lower rank only with all cards of the higher ranks in hand.
    CardSet higher;
    for (int rank = RankOf(view_.called_card) + 1; rank <= rules::kSuitSize; ++rank) {
      for (int s = 0; s < 4; ++s) higher.Insert(SuitCard(static_cast<Suit>(s), rank));
    }
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat != view_.taker) May(seat) -= higher;
    }
    if (!DogTaken()) May(kAside) -= higher;
  }

  void ReadHandfuls() {
    for (int i = 0; i < view_.handful_count; ++i) {
      const rules::ShownHandful& shown = view_.handfuls[static_cast<std::size_t>(i)];
      OnlyAt(shown.seat, shown.cards);
      // In a handful, the Excuse replaces a missing trump. So if the handful shows the Excuse, the
      // hand has no trumps besides those of the handful.
      if (shown.cards.Contains(rules::kExcuse)) {
        May(shown.seat) -= CardSet::AllTrumps() - shown.cards;
      }
    }
  }

  // A seat that does not follow suit has no card of that suit. A seat that must play a trump and
  // plays another card has no trump. A seat that must overtrump and plays a lower trump has no
  // trump above the highest one in the trick.
  void ReadTrick(const rules::Trick& trick) {
    Suit led = Suit::kNone;
    int top = 0;
    for (int k = 0; k < trick.size; ++k) {
      const Card card = trick.cards[static_cast<std::size_t>(k)];
      if (card == rules::kExcuse) continue;
      const Seat seat = view_.After(trick.leader, k);
      if (led == Suit::kNone) {
        led = SuitOf(card);
      } else {
        if (SuitOf(card) != led) May(seat) -= CardSet::OfSuit(led);
        const bool trumps_due = led == Suit::kTrumps || SuitOf(card) != led;
        if (trumps_due && !IsTrump(card)) May(seat) -= CardSet::AllTrumps();
        if (trumps_due && IsTrump(card) && RankOf(card) < top)
          May(seat) -= CardSet::TrumpsAbove(top);
      }
      if (IsTrump(card) && RankOf(card) > top) top = RankOf(card);
    }
  }

  const rules::View& view_;
  Knowledge facts_;
};

bool IsSeat(const View& view, Seat seat) { return seat >= 0 && seat < view.players; }

// Returns a deal with only the facts that the viewer sees. From this deal, ListLegal() finds the
// legal actions of the viewer.
rules::Deal VisibleDeal(const View& view) {
  rules::Deal deal;
  deal.rules = view.rules;
  deal.players = view.players;
  deal.playing = view.playing;
  deal.sits_out = view.sits_out;
  deal.dealer = view.dealer;
  deal.phase = view.phase;
  deal.turn = view.turn;
  deal.hands[static_cast<std::size_t>(view.viewer)] = view.hand;
  deal.dog = view.dog;
  deal.discard = view.discard | view.discard_shown;
  deal.bids = view.bids;
  deal.bid_count = view.bid_count;
  deal.taker = view.taker;
  deal.contract = view.contract;
  deal.called_card = view.called_card;
  deal.partner = view.partner;
  deal.slam_announced = view.slam_announced;
  deal.handfuls = view.handfuls;
  deal.handful_count = view.handful_count;
  deal.tricks = view.tricks;
  deal.trick_count = view.trick_count;
  return deal;
}

bool SeatsFit(const View& view) {
  const rules::RuleSet& r = view.rules;
  if (view.players < std::max<int>(r.players_min, rules::kPlayersMin)) return false;
  if (view.players > std::min<int>(r.players_max, rules::kPlayersMax)) return false;
  if (!IsSeat(view, view.dealer) || !IsSeat(view, view.viewer)) return false;
  const bool all_play = r.Playing(view.players) == view.players;
  if (view.playing != r.Playing(view.players)) return false;
  if (view.sits_out != (all_play ? rules::kNoSeat : view.dealer)) return false;
  return view.turn == view.viewer && view.viewer != view.sits_out;
}

bool AuctionFits(const View& view) {
  const bool board = view.rules.taker_by == rules::TakerBy::kBoard;
  if (view.bid_count < 0 || view.bid_count > (board ? 1 : view.playing)) return false;
  Contract highest = Contract::kPass;
  for (std::size_t i = 0; i < view.bids.size(); ++i) {
    const Contract bid = view.bids[i];
    if (bid == Contract::kPass) continue;
    if (static_cast<int>(i) >= view.bid_count || bid <= highest) return false;
    if (!view.rules.AllowsBid(bid)) return false;
    highest = bid;
  }
  if (view.rules.teams == rules::Teams::kEveryoneAlone) {
    return view.bid_count == 0 && view.taker == rules::kNoSeat && view.contract == Contract::kPass;
  }
  if (board && !IsSeat(view, view.taker)) return false;
  if (view.rules.imposed_contract != Contract::kPass) {
    return view.bid_count == 0 && view.contract == view.rules.imposed_contract;
  }
  const bool over = AuctionOver(VisibleDeal(view));
  if (view.phase == Phase::kBidding) {
    return !over && view.turn == view.SeatOfBid(view.bid_count) &&
           view.contract == Contract::kPass && view.called_card == rules::kNoCard &&
           (board || view.taker == rules::kNoSeat);
  }
  return over && highest != Contract::kPass && view.contract == highest &&
         IsSeat(view, view.taker) && view.taker == HighestBidder(VisibleDeal(view));
}

// Returns whether the deal has five players and its taker has already made the call.
bool CallIsOver(const View& view) {
  const bool before =
      view.phase == Phase::kSlam && view.rules.slam_announce == rules::SlamAnnounce::kWithContract;
  return view.playing == 5 && view.taker != rules::kNoSeat && view.phase > Phase::kCalling &&
         !before;
}

bool CallFits(const View& view) {
  if (view.partner != rules::kNoSeat &&
      (!IsSeat(view, view.partner) || view.partner == view.taker)) {
    return false;
  }
  if (CallIsOver(view)) {
    const int callable = view.rules.call == rules::Call::kAnyCard ? rules::kCardCount : 56;
    return view.called_card == rules::kNoCard || Index(view.called_card) < callable;
  }
  return view.called_card == rules::kNoCard && view.partner == rules::kNoSeat;
}

bool HandfulsFit(const View& view) {
  if (view.handful_count < 0 || view.handful_count > view.players) return false;
  unsigned shown = 0;
  for (int i = 0; i < view.handful_count; ++i) {
    const rules::ShownHandful& h = view.handfuls[static_cast<std::size_t>(i)];
    if (!IsSeat(view, h.seat) || h.level < 1 || h.level > 3) return false;
    if (h.cards.Size() != view.rules.HandfulSize(view.players, h.level)) return false;
    if ((shown >> h.seat & 1u) != 0) return false;
    shown |= 1u << h.seat;
  }
  return true;
}

// Checks that all tricks but the last are complete, that the right seat leads each trick, and that
// no card appears twice. Counts in `played` the cards that each seat has played.
bool TricksFit(const View& view, std::array<int, rules::kPlayersMax>& played) {
  const bool playing = view.phase == Phase::kPlaying;
  if (view.trick_count < (playing ? 1 : 0)) return false;
  if (view.trick_count > (playing ? view.rules.HandSize(view.players) : 0)) return false;
  CardSet seen = view.hand | view.discard | view.discard_shown;
  const bool announcer = view.slam_announced && view.rules.slam_announcer_leads;
  Seat leader = announcer ? view.taker : view.After(view.dealer, 1);
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    const bool current = i + 1 == view.trick_count;
    if (trick.leader != leader || trick.size < 0) return false;
    if (current ? trick.size >= view.playing : trick.size != view.playing) return false;
    for (int k = 0; k < trick.size; ++k) {
      const rules::Card card = trick.cards[static_cast<std::size_t>(k)];
      if (!rules::IsCard(Index(card)) || seen.Contains(card)) return false;
      seen.Insert(card);
      ++played[static_cast<std::size_t>(view.After(leader, k))];
    }
    if (current) return view.After(leader, trick.size) == view.turn;
    const auto cards = absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(trick.size));
    leader = view.After(leader, rules::WinningPosition(cards));
    if (trick.winner != leader) return false;
  }
  return true;
}

bool HandsFit(const View& view, const std::array<int, rules::kPlayersMax>& played) {
  for (Seat seat = 0; seat < rules::kPlayersMax; ++seat) {
    int expected = 0;
    if (seat < view.players && seat != view.sits_out) {
      expected = view.rules.HandSize(view.players) - played[static_cast<std::size_t>(seat)];
      if (view.phase == Phase::kDiscarding && seat == view.taker) {
        expected += view.rules.DogSize(view.players);
      }
    }
    if (view.hand_counts[static_cast<std::size_t>(seat)] != expected) return false;
  }
  return view.hand.Size() == view.hand_counts[static_cast<std::size_t>(view.viewer)];
}

// Checks the dog and the écart: the view has the dog if it was taken, and the view of the taker has
// the écart.
bool DogFits(const View& view) {
  const int size = view.rules.DogSize(view.players);
  const bool taken = rules::DogIsShown(view.rules, view.phase, view.contract);
  if (!taken) return (view.dog | view.discard | view.discard_shown).Empty();
  if (view.dog.Size() != size || view.discard_shown.Size() > size) return false;
  if (!CardSet::AllTrumps().ContainsAll(view.discard_shown)) return false;
  if (view.phase == Phase::kDiscarding) return view.discard.Empty() && view.discard_shown.Empty();
  if (view.viewer != view.taker) return view.discard.Empty();
  return view.discard.Size() == size &&
         (view.discard & (CardSet::Kings() | CardSet::Bouts())).Empty() &&
         view.discard.ContainsAll(view.discard_shown);
}

bool PhaseFits(const View& view) {
  switch (view.phase) {
    case Phase::kBidding:
      return view.rules.teams == rules::Teams::kTakerAgainstDefence;
    case Phase::kPlaying:
      return true;
    case Phase::kCalling:
      return view.playing == 5 && view.turn == view.taker;
    case Phase::kDiscarding:
      return rules::DogIsShown(view.rules, view.phase, view.contract) && view.turn == view.taker;
    case Phase::kSlam:
      return view.rules.slam_announce != rules::SlamAnnounce::kNever &&
             view.taker != rules::kNoSeat && view.turn == view.taker;
    case Phase::kDone:
      return false;
  }
  return false;
}

}  // namespace

bool Satisfiable(const Knowledge& knowledge) {
  // By Hall's theorem, two conditions are enough for a layout of the cards to exist. First, every
  // card has a possible place. Second, for each set of places, enough cards may be in these places
  // to fill them.
  int total = 0;
  CardSet anywhere;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (knowledge.count[place] < 0) return false;
    total += knowledge.count[place];
    if (knowledge.count[place] > 0) anywhere |= knowledge.may[place];
  }
  if (total != knowledge.unseen.Size() || anywhere != knowledge.unseen) return false;
  for (unsigned places = 1; places < 1u << kPlaces; ++places) {
    int needed = 0;
    CardSet cards;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if ((places >> place & 1u) == 0) continue;
      needed += knowledge.count[place];
      cards |= knowledge.may[place];
    }
    if (needed > cards.Size()) return false;
  }
  return true;
}

rules::CardSet PlayedBy(const rules::View& view, rules::Seat seat) {
  rules::CardSet played;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int k = 0; k < trick.size; ++k) {
      if (view.After(trick.leader, k) == seat) {
        played.Insert(trick.cards[static_cast<std::size_t>(k)]);
      }
    }
  }
  return played;
}

std::optional<Knowledge> Know(const rules::View& view) {
  Knowledge knowledge = Detective(view).Solve();
  if (!Satisfiable(knowledge)) return std::nullopt;
  return knowledge;
}

absl::string_view ValidateShape(const View& view) {
  std::array<int, rules::kPlayersMax> played{};
  if (!SeatsFit(view)) return "the seats do not fit the number of players";
  if (!AuctionFits(view)) return "the bids do not lead to this phase, taker and contract";
  if (!PhaseFits(view)) return "the seat in turn has nothing to decide in this phase";
  if (!CallFits(view)) return "the called card or the partner is not possible";
  if (!DogFits(view)) return "the dog or the discard does not fit the contract";
  if (!HandfulsFit(view)) return "a shown handful is not possible";
  if (!TricksFit(view, played)) return "the tricks do not follow from one another";
  if (!HandsFit(view, played)) return "a hand has the wrong number of cards";
  if (view.legal != ListLegal(VisibleDeal(view)))
    return "the list of legal actions does not fit the view";
  return "";
}

absl::string_view ValidateView(const View& view) {
  if (const absl::string_view problem = ValidateShape(view); !problem.empty()) return problem;
  return Know(view) ? "" : "no deal agrees with this view";
}

}  // namespace tarot::ai
