// Decides claims by an exact search, as a reference for ProveClaim(). It is too slow for the server
// when many tricks are left.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/view.h"

namespace tarot::rules {

// All that a seat knows about the unseen cards from the cards that were played, the dog and the
// shown handfuls. Each unseen card lies in one place: in the hand of a seat or, in the place
// kAside, in the écart or the dog.
struct Unseen {
  static constexpr std::size_t kAside = kPlayersMax;
  static constexpr std::size_t kPlaces = kPlayersMax + 1;

  CardSet cards;
  std::array<CardSet, kPlaces> may;  // The cards that may lie in each place.
  std::array<int, kPlaces> count{};  // The number of cards in each place.

  explicit Unseen(const View& view)
      : cards(CardSet::All() - view.hand - view.discard - view.discard_shown) {
    const auto span = [](const Trick& trick, int size) {
      return absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(size));
    };
    for (int i = 0; i < view.trick_count; ++i) {
      const Trick& trick = view.tricks[static_cast<std::size_t>(i)];
      for (const Card card : span(trick, trick.size)) cards.Erase(card);
    }
    count[kAside] = cards.Size();
    for (std::size_t seat = 0; seat < kPlayersMax; ++seat) {
      if (static_cast<Seat>(seat) == view.viewer) continue;
      count[seat] = view.hand_counts[seat];
      count[kAside] -= count[seat];
      may[seat] = static_cast<Seat>(seat) == view.taker ? cards : cards - view.dog;
    }
    may[kAside] = cards;
    for (int i = 0; i < view.handful_count; ++i) {
      const ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
      for (const Card card : shown.cards) Fix(card, static_cast<std::size_t>(shown.seat));
    }
    // A seat does not hold a card with which the rules would have forbidden the card that it
    // played.
    for (int i = 0; i < view.trick_count; ++i) {
      const Trick& trick = view.tricks[static_cast<std::size_t>(i)];
      for (int at = 0; at < trick.size; ++at) {
        const Card played = trick.cards[static_cast<std::size_t>(at)];
        CardSet& hand = may[static_cast<std::size_t>(view.After(trick.leader, at))];
        for (const Card card : hand) {
          if (!LegalCards({played, card}, span(trick, at)).Contains(played)) hand.Erase(card);
        }
      }
    }
  }

  // Returns the places where `card` may lie, as one bit for each place.
  unsigned PlacesOf(Card card) const {
    unsigned found = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      found |= static_cast<unsigned>(may[i].Contains(card)) << i;
    }
    return found;
  }

  // Returns whether the cards can lie in the places. By Hall's theorem, this is so if each group of
  // places has room for all cards that may lie only in this group.
  bool Possible() const {
    constexpr unsigned kGroups = 1u << kPlaces;
    std::array<int, kGroups> need{};
    std::array<int, kGroups> room{};
    for (const Card card : cards) ++need[PlacesOf(card)];
    for (unsigned place = 0; place < kPlaces; ++place) {
      const unsigned bit = 1u << place;
      for (unsigned group = 0; group < kGroups; ++group) {
        if ((group & bit) == 0) continue;
        need[group] += need[group ^ bit];
        room[group] += count[place];
      }
    }
    for (unsigned group = 0; group < kGroups; ++group) {
      if (need[group] > room[group]) return false;
    }
    return true;
  }

  // Records that `card` lies in `place`.
  void Fix(Card card, std::size_t place) {
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (i != place) may[i].Erase(card);
    }
  }

  // Records that `seat` plays `card`.
  void Play(Card card, std::size_t seat) {
    cards.Erase(card);
    for (CardSet& place : may) place.Erase(card);
    --count[seat];
  }
};

// Searches for a play of the claimer that wins every trick, in each distribution of the unseen
// cards and against each play of the other seats. The claimer may choose each card by the cards
// that the others have played. The Excuse wins no trick here, so use the search only for a position
// in which no Excuse may win the last trick of a slam.
//
// The other seats are one adversary who has not yet dealt the unseen cards. The adversary may play
// every card for which some distribution agrees with all plays so far. Among the cards of a suit
// that may lie in the same places, the adversary needs to try only the lowest: as long as the
// claimer's card wins, a seat never has to play above the card of another seat, so a higher card is
// worth at least as much later.
class ClaimSearch {
 public:
  enum class Answer { kWins, kMayLose, kUnknown };

  // The answer is kUnknown if the search needs more than `checks_max` checks.
  static Answer Find(const View& view, int checks_max) {
    ClaimSearch search(view, checks_max);
    const bool wins = search.WinsAll(Unseen(view), view.hand, view.legal.cards, true);
    return wins ? Answer::kWins : search.GivesUp() ? Answer::kUnknown : Answer::kMayLose;
  }

 private:
  struct Lead {
    Card card = kNoCard;  // The card of the claimer, which wins the trick so far.
    Suit asked = Suit::kNone;
    std::array<std::size_t, kPlayersMax> seats{};  // The seats that play after the claimer.
    std::size_t seat_count = 0;
    CardSet rest;  // The hand of the claimer after this trick.
  };

  ClaimSearch(const View& view, int checks_max) : view_(view), checks_left_(checks_max) {}

  bool Possible(const Unseen& unseen) {
    --checks_left_;
    return unseen.Possible();
  }
  bool GivesUp() const { return checks_left_ <= 0; }

  // Returns whether the claimer wins all tricks with the cards of `hand`, and begins with a card of
  // `legal`. In the first trick, other seats may have played before.
  bool WinsAll(const Unseen& unseen, CardSet hand, CardSet legal, bool first) {
    if (hand.Contains(kExcuse)) return false;
    while (!legal.Empty() && !GivesUp()) {
      const Card card = legal.Last();
      legal.Erase(card);
      if (Wins(unseen, hand, card, first)) return true;
    }
    return false;
  }

  bool Wins(const Unseen& unseen, CardSet hand, Card card, bool first) {
    Trick trick{.leader = view_.viewer};
    if (first) trick = view_.tricks[static_cast<std::size_t>(view_.trick_count - 1)];
    const int others = trick.size;
    trick.cards[static_cast<std::size_t>(trick.size++)] = card;
    const auto cards = absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(trick.size));
    if (WinningPosition(cards) != others) return false;
    Lead lead{.card = card, .rest = hand - CardSet{card}};
    lead.asked = SuitOf(cards[0] == kExcuse && others > 0 ? cards[1] : cards[0]);
    for (int i = 1; i < view_.playing - others; ++i) {
      lead.seats[lead.seat_count++] = static_cast<std::size_t>(view_.After(view_.viewer, i));
    }
    for (std::size_t i = 0; i < lead.seat_count; ++i) {
      if (MayBeat(unseen, lead, lead.seats[i])) return false;
    }
    return lead.rest.Empty() || WinsAfterReplies(unseen, lead, 0);
  }

  static CardSet HigherThan(Card card) {
    if (IsTrump(card)) return CardSet::TrumpsAbove(RankOf(card));
    CardSet higher = CardSet::AllTrumps();
    for (const Card each : CardSet::OfSuit(SuitOf(card))) {
      if (RankOf(each) > RankOf(card)) higher.Insert(each);
    }
    return higher;
  }

  // Returns whether `seat` may beat the claimer's card. Returns true if the search gives up.
  bool MayBeat(const Unseen& unseen, const Lead& lead, std::size_t seat) {
    for (const Card card : unseen.may[seat] & HigherThan(lead.card)) {
      Unseen held = unseen;
      held.Fix(card, seat);
      if (SuitOf(card) != lead.asked) held.may[seat] -= CardSet::OfSuit(lead.asked);
      if (Possible(held) || GivesUp()) return true;
    }
    return false;
  }

  // Returns whether the claimer wins all tricks, whatever the seats from lead.seats[at] on play to
  // this trick. They cannot beat the claimer's card.
  bool WinsAfterReplies(const Unseen& unseen, const Lead& lead, std::size_t at) {
    if (at == lead.seat_count) return WinsAll(unseen, lead.rest, lead.rest, false);
    const CardSet may = unseen.may[lead.seats[at]];
    const CardSet asked = CardSet::OfSuit(lead.asked);
    if (!WinsAfterEach(unseen, lead, at, may & (asked | CardSet{kExcuse}))) return false;
    // A seat without the suit plays a trump, and a seat without trumps plays any card.
    Unseen without = unseen;
    CardSet& left = without.may[lead.seats[at]];
    left -= asked;
    if (!WinsAfterEach(without, lead, at, left & CardSet::AllTrumps())) return false;
    left -= CardSet::AllTrumps();
    return WinsAfterEach(without, lead, at, left - CardSet{kExcuse});
  }

  // Returns whether the claimer wins all tricks, whichever card of `cards` the seat lead.seats[at]
  // plays.
  bool WinsAfterEach(const Unseen& unseen, const Lead& lead, std::size_t at, CardSet cards) {
    Suit suit = Suit::kNone;
    std::uint64_t tried = 0;  // One bit for each set of places; see Unseen::PlacesOf().
    for (const Card card : cards) {
      if (SuitOf(card) != suit) tried = 0;
      suit = SuitOf(card);
      const std::uint64_t places = std::uint64_t{1} << unseen.PlacesOf(card);
      if ((tried & places) != 0) continue;
      tried |= places;
      Unseen next = unseen;
      next.Play(card, lead.seats[at]);
      if (!Possible(next)) continue;
      if (GivesUp() || !WinsAfterReplies(next, lead, at + 1)) return false;
    }
    return true;
  }

  const View& view_;
  int checks_left_;
};

}  // namespace tarot::rules
