// The last trick, where everything is settled. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Everybody plays the card that is left.
inline void Search::LastTrick(int leader, int need, int pool, Result& out) {
  Trick trick{.leader = leader};
  nodes_ += static_cast<std::uint64_t>(players_);
  for (int i = 0; i < players_; ++i) {
    const int seat = SeatOf(trick, i);
    const std::uint64_t suits = suits_[At(seat)];
    Put(trick, seat,
        suits != 0 ? std::countr_zero(suits) : kFirstTrump + std::countr_zero(trumps_[At(seat)]));
  }
  SettleLast(trick, need, pool, out);
}

inline int Search::PetitAuBout(const Trick& trick, bool excuse_led_slam) const {
  for (int i = 0; i < players_; ++i) {
    if (trick.cards[At(i)] != kPetitIndex) continue;
    const int seat = SeatOf(trick, i);
    if (setup_.rules.petit_must_win && seat != trick.winner) return 0;
    return InAttack(trick.winner) ? 1 : -1;
  }
  return excuse_led_slam && setup_.rules.petit_before_excuse ? petit_before_ : 0;
}

inline void Search::SettleLast(const Trick& played, int need, int pool, Result& out) {
  Trick trick = played;
  int excuse_seat = kNone;
  bool petit = false;
  for (int i = 0; i < players_; ++i) {
    if (trick.cards[At(i)] == kExcuseIndex) excuse_seat = SeatOf(trick, i);
    if (trick.cards[At(i)] == kPetitIndex) petit = true;
  }
  const auto lost = [this](bool attack) { return attack ? defence_tricks_ : attack_tricks_; };
  bool excuse_led_slam = false;
  bool twenty_one_falls = false;
  if (setup_.rules.excuse_wins_slam && excuse_seat == trick.leader &&
      setup_.rules.SlamRulesHold(InAttack(excuse_seat)) && lost(InAttack(excuse_seat)) == 0) {
    excuse_led_slam = true;
    twenty_one_falls =
        trick.best == kFirstTrump + 20 && InAttack(trick.winner) != InAttack(excuse_seat);
    trick.winner = trick.leader;
  }
  const bool attack = InAttack(trick.winner);
  const int attack_tricks = attack_tricks_ + (attack ? 1 : 0);
  const int defence_tricks = defence_tricks_ + (attack ? 0 : 1);
  int gain = 0;  // Of the attack, against the booking.
  if (excuse_seat != kNone) {
    const bool holder = InAttack(excuse_seat);
    bool owner = holder;
    const bool slam =
        setup_.rules.SlamRulesHold(holder) && (holder ? defence_tricks : attack_tricks) == 0;
    if (setup_.rules.excuse_last_trick == rules::ExcuseLastTrick::kChangesCamp) {
      owner = slam == holder;
    } else if (setup_.rules.excuse_last_trick == rules::ExcuseLastTrick::kToTrickWinner) {
      owner = attack;
    }
    gain += setup_.ExcuseGain(petit ? attack : attack_has_petit_, owner, twenty_one_falls) +
            setup_.excuse.low;
  }
  const int petit_au_bout = PetitAuBout(trick, excuse_led_slam);
  if (petit || (setup_.petit.size() != 0 && petit_before_ != 0)) gain += setup_.petit.low;
  if (petit_au_bout > 0) gain += setup_.petit.high;
  if (petit_au_bout < 0) gain -= setup_.petit.low;
  if (setup_.slam.size() != 0 && SlamOpen()) {
    gain += setup_.slam.low;
    if (defence_tricks <= setup_.rules.slam_lost_tricks_max) {
      gain += setup_.slam.high;
    } else if (attack_tricks == 0) {
      gain -= setup_.slam.low;
    }
  }
  const Worth worth = WorthOf(trick);
  const int points = worth.points + worth.court_points;
  const int total = gain + (attack ? points : 0);
  if (guessing_) {
    out.amount = total;
    return;
  }
  const int pots = pool - points;
  out = {.attack = total >= need};
  out.amount = out.attack ? gain : pots - gain;
  if (out.attack == attack) Collect(worth, out.attack ? need : pool - need + 1, out);
  if (!excuse_led_slam) MarkWinner(trick, false, out.marks);
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
