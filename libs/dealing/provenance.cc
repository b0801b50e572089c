#include "libs/dealing/provenance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/dealing/shuffle.h"

namespace tarot::dealing {
namespace {

using rules::Card;
using rules::Seat;

// Returns the bytes that SHAKE256 expands. They are `purpose`, the seed, and the number of seats.
// After them, each seat has the length of its nonce (one byte) and the nonce. Different purposes
// give independent streams.
std::string Material(absl::string_view purpose, int players, const Provenance& provenance) {
  std::string bytes(purpose);
  bytes.append(provenance.seed.begin(), provenance.seed.end());
  bytes.push_back(static_cast<char>(players));
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(players); ++seat) {
    const std::string& nonce = provenance.nonces[seat];
    TAROT_CHECK(nonce.size() <= kNonceBytesMax);
    bytes.push_back(static_cast<char>(nonce.size()));
    bytes.append(nonce);
  }
  return bytes;
}

struct CutPack {
  rules::PackOrder order;  // The order before the cut.
  int taken = 0;
};

// Puts `items` in a random order by a Fisher-Yates shuffle, from the last item to the first.
template <typename Items>
void ShuffleItems(Items& items, Draws& draws) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1],
              items[static_cast<std::size_t>(draws.Below(static_cast<int>(left)))]);
  }
}

// Draws a new order of the gathered cards: first the order of the piles, then the order of the
// packets in each pile, then the order of the cards in each packet. Handles the piles in their new
// order, from the top. Handles the packets of a pile in their new order too.
rules::PackOrder DrawnOrder(const Provenance& from, Draws& draws) {
  using Packet = std::vector<Card>;
  std::vector<std::vector<Packet>> piles;
  TAROT_CHECK(from.gathered && rules::HoldsWholePack(from.piles));
  auto next = from.gathered->begin();
  for (const std::vector<std::uint8_t>& sizes : from.piles) {
    std::vector<Packet>& pile = piles.emplace_back();
    for (const std::uint8_t size : sizes) {
      pile.emplace_back(next, next + size);
      next += size;
    }
  }
  ShuffleItems(piles, draws);
  for (std::vector<Packet>& pile : piles) ShuffleItems(pile, draws);
  rules::PackOrder order;
  std::size_t size = 0;
  for (std::vector<Packet>& pile : piles) {
    for (Packet& packet : pile) {
      ShuffleItems(packet, draws);
      for (const Card card : packet) order[size++] = card;
    }
  }
  return order;
}

CutPack Prepare(const rules::RuleSet& rules, int players, const Provenance& provenance) {
  if (provenance.procedure == Procedure::kSeedAlone) {
    return {.order = ShuffledPack(provenance.seed)};
  }
  const bool drawn = provenance.procedure == Procedure::kDrawnGathering;
  Draws draws(Material(drawn ? "tarot deal 3" : "tarot deal 2", players, provenance));
  CutPack pack;
  if (!provenance.gathered) {
    pack.order = Shuffle(draws);
  } else {
    pack.order = drawn ? DrawnOrder(provenance, draws) : *provenance.gathered;
  }
  pack.taken = rules.cut_min + draws.Below(rules::kCardCount - 2 * rules.cut_min + 1);
  return pack;
}

// Returns the value of a drawn card. The seat that drew the lowest value becomes the first dealer.
int DrawValue(const rules::RuleSet& rules, Card card) {
  const bool trump = rules::SuitOf(card) == rules::Suit::kTrumps;
  if (trump) return 1000 + rules::RankOf(card);
  const bool by_suit = rules.first_dealer == rules::FirstDealer::kDrawLowest;
  // Suits are numbered from the highest to the lowest: spades, hearts, diamonds, clubs.
  const int suit = by_suit ? 3 - static_cast<int>(rules::SuitOf(card)) : 0;
  return 4 * rules::RankOf(card) + suit;
}

FirstDealerDraw DrawCards(const rules::RuleSet& rules, int players, Draws& draws) {
  const rules::PackOrder pack = Shuffle(draws);
  std::size_t top = 0;
  std::vector<Seat> seats(static_cast<std::size_t>(players));
  std::iota(seats.begin(), seats.end(), 0);
  FirstDealerDraw draw;
  for (int round = 1; seats.size() > 1; ++round) {
    std::vector<std::pair<Seat, Card>> drawn;
    for (const Seat seat : seats) {
      // If the top card is the Excuse, the seat puts it aside and draws again.
      if (pack[top] == rules::kExcuse) {
        draw.cards.push_back(
            {.seat = seat, .card = pack[top++], .round = round, .put_aside = true});
      }
      draw.cards.push_back({.seat = seat, .card = pack[top], .round = round});
      drawn.emplace_back(seat, pack[top++]);
    }
    seats = LowestDrawn(rules, drawn);
  }
  draw.dealer = seats.front();
  return draw;
}

}  // namespace

Procedure ProcedureOf(const rules::RuleSet& rules) {
  return rules.shuffle == rules::Shuffle::kNoneBetweenDeals ? Procedure::kDrawnGathering
                                                            : Procedure::kSeedAndNonces;
}

bool SamePiles(const rules::PileSizes& a, const rules::PileSizes& b) {
  const auto same_size = [](const auto& one, const auto& other) {
    return std::accumulate(one.begin(), one.end(), 0) ==
           std::accumulate(other.begin(), other.end(), 0);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_size);
}

int CutOf(const rules::RuleSet& rules, int players, const Provenance& provenance) {
  return Prepare(rules, players, provenance).taken;
}

rules::PackOrder PackOf(const rules::RuleSet& rules, int players, const Provenance& provenance) {
  const CutPack pack = Prepare(rules, players, provenance);
  return rules::Cut(pack.order, pack.taken);
}

FirstDealerDraw DrawFirstDealer(const rules::RuleSet& rules, int players,
                                const Provenance& provenance) {
  const bool board = rules.dealer_by == rules::DealerBy::kBoard;
  if (board || provenance.procedure == Procedure::kSeedAlone) return {.dealer = players - 1};
  Draws draws(Material("tarot first dealer 2", players, provenance));
  if (rules.first_dealer == rules::FirstDealer::kRandom) return {.dealer = draws.Below(players)};
  return DrawCards(rules, players, draws);
}

Seat FirstDealerOf(const rules::RuleSet& rules, int players, const Provenance& provenance) {
  return DrawFirstDealer(rules, players, provenance).dealer;
}

std::vector<Seat> LowestDrawn(const rules::RuleSet& rules,
                              const std::vector<std::pair<Seat, Card>>& drawn) {
  std::vector<Seat> seats;
  int lowest = 0;
  for (const auto& [seat, card] : drawn) {
    const int value = DrawValue(rules, card);
    if (!seats.empty() && value > lowest) continue;
    if (value < lowest) seats.clear();
    lowest = value;
    seats.push_back(seat);
  }
  return seats;
}

}  // namespace tarot::dealing
