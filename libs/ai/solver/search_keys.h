// Positions as the table knows them: finding a proof, keeping one. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// The exact part of the key.
inline PositionKey Search::ClassOf(int leader, int tricks) const {
  PositionKey key;
  key.a = suit_lengths_[0] | suit_lengths_[1] << 20 | suit_lengths_[2] << 40;
  int petit = petit_ + 1;
  if (petit_ == kNone && excuse_ != kNone && attack_has_petit_) petit = 7;
  int so_far = 0;
  const bool slam = setup_.slam.size() != 0 && SlamOpen();
  if (excuse_ != kNone || slam) so_far = attack_tricks_ + 2 * defence_tricks_ + 1;
  int twenty_one = 0;  // Who holds the 21, from 1, where it may fall.
  for (int seat = 0; setup_.twenty_one_may_fall && seat < players_; ++seat) {
    if ((trumps_[At(seat)] >> 20 & 1) != 0) twenty_one = seat + 1;
  }
  // All hands have as many cards: how many trumps follows from the rest.
  const auto small = static_cast<std::uint64_t>(tricks | leader << 5 | (excuse_ + 1) << 8 |
                                                petit << 11 | so_far << 14 | twenty_one << 17);
  key.b = suit_lengths_[3] | small << 20 | table_.generation << 40;
  return key;
}

inline void Search::FillKey(PositionKey& key) const {
  // Owners count from 1.
  const std::array suits{suits_[0] | suits_[2] | suits_[4], suits_[1] | suits_[2],
                         suits_[3] | suits_[4]};
  for (std::size_t bit = 0; bit < 3; ++bit) key.owners[bit] = Gather(suits[bit], all_suits_);
  key.levels = LevelsOf(all_suits_, all_suits_);
}

inline bool Search::Lookup(const PositionKey& key, int need, int pool, Result& out) const {
  const SearchTable::Place place = table_.PlaceOf(key);
  const SearchTable::Head& head = table_.heads[place.set];
  const TrumpStarts starts = NumberTrumps();
  const std::size_t words = At(starts[At(players_)] + 2) / 3;
  TrumpRows order;
  bool ordered = false;
  for (std::uint32_t places = Places(head.tags, place.tag) & ~(1u << SearchTable::kWays);
       places != 0; places &= places - 1) {
    const std::size_t i = At(std::countr_zero(places));
    const bool attack = (head.claims[i] & 1) != 0;
    const int amount = head.claims[i] >> 1;
    if (amount < (attack ? need : pool - need + 1)) continue;
    const Proof& proof = table_.proofs[place.set * SearchTable::kWays + i];
    if (proof.key.a != key.a || proof.key.b != key.b) continue;
    const std::uint64_t differ = (proof.key.owners[0] ^ key.owners[0]) |
                                 (proof.key.owners[1] ^ key.owners[1]) |
                                 (proof.key.owners[2] ^ key.owners[2]);
    if ((differ & proof.mask) != 0) continue;
    if (!LevelsReach(key.levels, proof.key.levels & ~kLevelFlags)) continue;
    if (!ordered) order = OrderOfTrumps(starts);
    ordered = true;
    std::uint64_t amiss = 0;
    for (std::size_t word = 0; word < words; ++word) amiss |= proof.trumps[word] & ~order[word];
    if (amiss != 0) continue;
    out.attack = attack;
    out.any_leader = false;
    out.amount = amount;
    out.marks.courts = CourtsAt(proof.key.levels, all_suits_);
    // Of a rank that matters all ranks above matter, those that are gone too.
    const std::uint64_t marked =
        Spread(proof.mask, all_suits_) & ~CourtsAt(proof.key.levels & kLevelFlags, all_suits_);
    out.marks.suits = 0;
    for (int suit = 0; suit < 4; ++suit) {
      const std::uint64_t ranks = marked & SuitBits(suit);
      if (ranks != 0) out.marks.suits |= SuitFrom(std::countr_zero(ranks));
    }
    out.marks.trumps = PairsByRank(proof.trumps, starts);
    return true;
  }
  return false;
}

inline void Search::Store(const PositionKey& key, const Result& result) {
  const SearchTable::Place place = table_.PlaceOf(key);
  SearchTable::Head& head = table_.heads[place.set];
  const std::size_t at = head.next;
  head.next = at + 1 == SearchTable::kWays ? 0 : static_cast<std::uint16_t>(at + 1);
  const int amount = std::min(result.amount, 0x7FFF);
  head.tags[at] = place.tag;
  head.claims[at] = static_cast<std::uint16_t>(2 * amount + (result.attack ? 1 : 0));
  Proof& proof = table_.proofs[place.set * SearchTable::kWays + at];
  proof.key = key;
  const std::uint64_t counted = result.marks.courts & all_suits_;
  proof.key.levels =
      LevelsOf(counted, all_suits_) | FlagsOf(LevelsOf(counted & ~result.marks.suits, all_suits_));
  proof.mask = Gather(result.marks.suits | counted, all_suits_);
  proof.trumps = PairsByHand(result.marks.trumps, NumberTrumps());
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
