#include "libs/ai/analysis/credits.h"

#include <algorithm>

#include "libs/ai/fast_deal.h"
#include "libs/ai/heuristic.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Deal;
using rules::Seat;

// The credit of one card is at most this many card points, and at least -kCreditMax. A defender who
// helps the taker loses a little with each of many cards. A single card that loses much is probably
// a mistake. The limit makes such a card count less.
constexpr double kCreditMax = 1;

// Plays a deal again, card by card, with all hands open.
class OpenReplay {
 public:
  // `deal` must be in the state before its first card. `end` is the same deal at its end.
  OpenReplay(const Deal& deal, const Deal& end) : view_(RememberedView(deal, deal.taker)) {
    view_.handfuls = end.handfuls;
    view_.handful_count = end.handful_count;
    world_.hands = deal.hands;
    if (deal.discard.Empty()) world_.aside = deal.dog;
    fast_ = MakeFastDeal(view_, world_);
  }

  const FastDeal& deal() const { return fast_; }
  void Play(rules::Card card) { fast_.Play(card); }

  // Plays the rest of the deal with the heuristic at all seats. Returns the threshold of the attack
  // minus its card points at the end. If a seat plays the card that the heuristic would play, the
  // credit of this card is exactly zero.
  double AttackLacks() const {
    FastDeal deal = fast_;
    HeuristicPlayOut(deal);
    const rules::ScoreInput input = Count(view_, world_, deal);
    const rules::Score score = rules::ComputeScore(view_.rules, input);
    return (score.needed_half_points - input.attack_half_points) / 2.0;
  }

 private:
  rules::View view_;
  World world_;
  FastDeal fast_;
};

// Returns whether the deal has a taker, a defence and a score of the normal kind (not of a practice
// game).
bool Applies(const Deal& end) {
  return end.phase == rules::Phase::kDone && end.result.outcome == rules::Outcome::kScored &&
         end.taker != rules::kNoSeat && end.rules.teams == rules::Teams::kTakerAgainstDefence &&
         end.rules.scoring == rules::Scoring::kNormal;
}

}  // namespace

std::optional<DefenceCredits> CreditDefenders(const History& history) {
  Deal end = history.start;
  std::optional<Deal> first_card;
  std::size_t first_entry = 0;
  for (std::size_t i = 0; i < history.entries.size(); ++i) {
    if (end.phase == rules::Phase::kPlaying && !first_card) {
      first_card = end;
      first_entry = i;
    }
    const auto& [seat, action] = history.entries[i];
    TAROT_CHECK(Apply(end, seat, action).ok());
  }
  if (!first_card || !Applies(end)) return std::nullopt;

  OpenReplay replay(*first_card, end);
  DefenceCredits result{.taker = end.taker};
  for (Seat seat = 0; seat < end.players; ++seat) {
    if (seat != end.sits_out && !replay.deal().InAttack(seat)) result.defenders |= 1u << seat;
  }
  // The value of the position before the entry. It is empty if the value is unknown.
  std::optional<double> now;
  for (std::size_t i = first_entry; i < history.entries.size(); ++i) {
    const auto& [seat, action] = history.entries[i];
    const FastDeal& deal = replay.deal();
    if (action.kind != rules::Action::Kind::kPlay) continue;  // A handful is no card.
    const bool forced = deal.Legal().Size() == 1;
    const bool judged = !forced && (result.defenders >> seat & 1u) != 0;
    if (judged && !now) now = replay.AttackLacks();
    replay.Play(action.card);
    // A forced card does not change the value, because every play-out also plays it.
    if (forced) continue;
    if (!judged) {
      now.reset();
      continue;
    }
    const double after = replay.AttackLacks();
    result.credits[static_cast<std::size_t>(seat)] +=
        std::clamp(after - *now, -kCreditMax, kCreditMax);
    now = after;
  }
  return result;
}

}  // namespace tarot::ai
