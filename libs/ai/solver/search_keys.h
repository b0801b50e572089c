// Positions as the table knows them: finding a proof, keeping one. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

constexpr std::uint16_t PackCourts(std::uint64_t suits) {
  return static_cast<std::uint16_t>((suits >> 10 & 0xF) | (suits >> 20 & 0xF0) |
                                    (suits >> 30 & 0xF00) | (suits >> 40 & 0xF000));
}
constexpr std::uint64_t UnpackCourts(std::uint64_t courts) {
  return (courts & 0xF) << 10 | (courts & 0xF0) << 20 | (courts & 0xF00) << 30 |
         (courts & 0xF000) << 40;
}
static_assert(UnpackCourts(PackCourts(kCourtBits)) == kCourtBits);

inline PositionKey Search::KeyOf(int leader) const {
  PositionKey key;
  const auto length = [this](int seat) -> std::uint64_t { return lengths_[At(seat)]; };
  key.a = length(0) | length(1) << kLengthBits | length(2) << 2 * kLengthBits;
  // All hands have as many cards: the trumps of the last two follow from the rest.
  const std::uint64_t rest = (length(3) & 0xFFFF) | (length(4) & 0xFFFF) << 16;
  std::uint64_t more = static_cast<std::uint64_t>(leader) | static_cast<std::uint64_t>(excuse_ + 1)
                                                                << 3;
  int petit = petit_ + 1;
  if (petit_ == kNone && excuse_ != kNone && attack_has_petit_) petit = 7;
  more |= static_cast<std::uint64_t>(petit) << 6;
  const bool slam = setup_.slam.size() != 0 && SlamOpen();
  if (excuse_ != kNone || slam) {
    more |= static_cast<std::uint64_t>(attack_tricks_ + 2 * defence_tricks_ + 1) << 9;
  }
  if (setup_.twenty_one_may_fall && (all_trumps_ >> 20 & 1) != 0) more |= 1u << 12;
  more |= static_cast<std::uint64_t>(PackCourts(all_suits_)) << 13;
  key.b = rest | more << 32;

  std::uint64_t planes[3] = {};
  std::uint32_t trump_planes[3] = {};
  for (int seat = 0; seat < players_; ++seat) {
    for (int bit = 0; bit < 3; ++bit) {
      if (((seat + 1) >> bit & 1) == 0) continue;
      planes[bit] |= suits_[At(seat)];
      trump_planes[bit] |= trumps_[At(seat)];
    }
  }
  const std::uint32_t trumps = all_trumps_ & kTrumpBits;
  for (int bit = 0; bit < 3; ++bit) {
    key.owners[At(bit)] = Gather(planes[bit], all_suits_);
    key.trump_owners |= Gather(trump_planes[bit], trumps) << (21 * bit);
  }
  return key;
}

inline bool Search::Lookup(const PositionKey& key, int need, int pool, Result& out) const {
  const Proof* const set = table_.Set(key.a, key.b);
  for (std::size_t i = 0; i < SearchTable::kWays; ++i) {
    const Proof& proof = set[i];
    if (proof.generation != table_.generation) break;  // A set fills from the front.
    if (proof.key.a != key.a || proof.key.b != key.b) continue;
    if (static_cast<int>(proof.amount) < (proof.attack != 0 ? need : pool - need + 1)) continue;
    const std::uint64_t differ = (proof.key.owners[0] ^ key.owners[0]) |
                                 (proof.key.owners[1] ^ key.owners[1]) |
                                 (proof.key.owners[2] ^ key.owners[2]);
    if ((differ & proof.mask) != 0) continue;
    const std::uint64_t trumps = proof.key.trump_owners ^ key.trump_owners;
    if (((trumps | trumps >> 21 | trumps >> 42) & proof.trump_mask) != 0) continue;
    out.attack = proof.attack != 0;
    out.amount = proof.amount;
    out.marks.courts = UnpackCourts(proof.courts);
    // Of a rank that matters all ranks above matter, those that are gone too.
    std::uint64_t ranks = Spread(proof.mask, all_suits_) & ~out.marks.courts;
    out.marks.suits = 0;
    for (int suit = 0; suit < 4; ++suit) {
      const std::uint64_t in_suit = ranks & SuitBits(suit);
      if (in_suit != 0) out.marks.suits |= SuitFrom(std::countr_zero(in_suit));
    }
    const std::uint64_t trump_ranks = Spread(proof.trump_mask, all_trumps_ & kTrumpBits);
    out.marks.trumps =
        trump_ranks != 0 ? TrumpFrom(kFirstTrump + std::countr_zero(trump_ranks)) : 0;
    return true;
  }
  return false;
}

inline void Search::Store(const PositionKey& key, const Result& result) {
  Proof& proof = table_.Room(key);
  const std::uint64_t courts = result.marks.courts & all_suits_ & ~result.marks.suits;
  proof.key = key;
  proof.mask = Gather(result.marks.suits | courts, all_suits_) & ((1ull << 56) - 1);
  proof.generation = table_.generation;
  proof.trump_mask =
      static_cast<std::uint32_t>(Gather(result.marks.trumps, all_trumps_ & kTrumpBits)) &
      kTrumpBits;
  proof.attack = result.attack ? 1 : 0;
  proof.courts = PackCourts(courts);
  proof.amount = static_cast<std::uint16_t>(result.amount);
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
