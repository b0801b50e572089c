#include "libs/rules/score_check.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/cards.h"

namespace tarot::rules {
namespace {

constexpr int kBouts = 3;
constexpr int kBoutHalfPoints = 9;
constexpr int kTrumps = 21;
constexpr int kKings = 4;
constexpr int kCourts = 16;

// The cards of one camp: the cards of its tricks, and the écart or the dog if it counts for this
// camp.
struct Pile {
  int cards = 0;
  int bouts_max = 0;  // The greatest number of bouts that can lie in these cards.
};

struct Range {
  int low = 0;
  int high = -1;  // A `high` below `low` means that the range is empty.

  bool Contains(int value) const { return low <= value && value <= high; }
};

// Returns the half points of the `count` most valuable cards that are not bouts.
int Best(int count) {
  static const std::array<int, kCardCount - kBouts> values = [] {
    std::array<int, kCardCount - kBouts> all{};
    auto next = all.begin();
    for (const Card card : CardSet::All() - CardSet::Bouts()) *next++ = HalfPoints(card);
    std::sort(all.rbegin(), all.rend());
    return all;
  }();
  const auto last = std::clamp(count, 0, static_cast<int>(values.size()));
  return std::accumulate(values.begin(), values.begin() + last, 0);
}

// Checks one score sheet against its rule set and its number of players.
class Sheet {
 public:
  Sheet(const RuleSet& rules, int players, const ScoreInput& in)
      : rules_(rules),
        players_(players),
        in_(in),
        trick_count_(rules.HandSize(players)),
        dog_size_(rules.DogSize(players)),
        excuse_gain_(rules.ExcuseIsPaid(players) ? kBoutHalfPoints - 1 : kBoutHalfPoints) {}

  absl::Status Check() const {
    TAROT_RETURN_IF_ERROR(CheckContract());
    TAROT_RETURN_IF_ERROR(CheckHandfuls());
    // In a real deal, the camp that gets the Petit au bout has won the Petit, so it has a bout. One
    // sheet of the test vectors (tests/data/vectors) breaks this rule for the attack and must be
    // accepted, so this check covers only the defence.
    if (in_.petit_au_bout < 0 && in_.bouts == kBouts) {
      return BadRequest("petit_au_bout", "the defence has no bout, so it did not win the Petit");
    }
    const bool announced = in_.slam == SlamOutcome::kAnnouncedMade ||
                           in_.slam == SlamOutcome::kAnnouncedFailed ||
                           in_.slam == SlamOutcome::kAnnouncedFailedDefence;
    if (announced && rules_.slam_announce == SlamAnnounce::kNever) {
      return BadRequest("slam", "the rule set has no announcement of a slam");
    }
    // Practice game 2 counts court cards and bouts. A sheet of this game may leave out the points.
    if (rules_.scoring == Scoring::kTakerCountsHonours) {
      TAROT_RETURN_IF_ERROR(CheckHonours());
      if (in_.attack_half_points == 0) return absl::OkStatus();
    }
    return CheckPoints();
  }

 private:
  absl::Status CheckContract() const {
    if (rules_.AllowsBid(in_.contract) || in_.contract == rules_.imposed_contract) {
      return absl::OkStatus();
    }
    return BadRequest("contract",
                      absl::StrCat("the rule set has no bid ", ContractText(in_.contract)));
  }

  absl::Status CheckHonours() const {
    if (Range{.low = in_.bouts, .high = in_.bouts + kCourts}.Contains(in_.honours)) {
      return absl::OkStatus();
    }
    return BadRequest("honours", absl::StrCat(in_.bouts, " to ", in_.bouts + kCourts, " with ",
                                              in_.bouts, " bouts"));
  }

  absl::Status CheckHandfuls() const {
    const int attackers = in_.has_partner ? 2 : 1;
    TAROT_RETURN_IF_ERROR(CheckHandfulsOf(in_.attack_handfuls, attackers, "attack_handfuls"));
    const int defenders = in_.players - attackers;
    TAROT_RETURN_IF_ERROR(CheckHandfulsOf(in_.defence_handfuls, defenders, "defence_handfuls"));
    const int attack = TrumpsShown(in_.attack_handfuls);
    const int shown = attack + TrumpsShown(in_.defence_handfuls);
    const int pack = kTrumps + (ExcuseMayStand() ? 1 : 0);
    if (shown <= pack || IsDoubleAgainstSingle()) return absl::OkStatus();
    return BadRequest(attack > pack ? "attack_handfuls" : "defence_handfuls",
                      absl::StrCat("all handfuls together show ", shown,
                                   " trumps, and the pack has only ", pack));
  }

  // Returns true if the Excuse may stand for a trump of a handful.
  bool ExcuseMayStand() const { return rules_.handful_excuse == HandfulExcuse::kIfNoHiddenTrump; }

  int TrumpsShown(const std::array<int, 4>& shown) const {
    int trumps = 0;
    for (int level = 1; level <= 3; ++level) {
      trumps += shown[static_cast<std::size_t>(level)] * rules_.HandfulSize(players_, level);
    }
    return trumps;
  }

  // Returns true if four players show 23 trumps in this way: the attack shows a double handful (13
  // trumps), and the defence shows a single handful (10 trumps). No deal has so many trumps, but
  // two test vectors in tests/data have these handfuls.
  bool IsDoubleAgainstSingle() const {
    return in_.players == 4 && ExcuseMayStand() &&
           in_.attack_handfuls == std::array<int, 4>{0, 0, 1, 0} &&
           in_.defence_handfuls == std::array<int, 4>{0, 1, 0, 0};
  }

  // Returns the number of tricks that a camp must win because one of its hands shows a handful.
  // Each trump of this hand wins its trick, except in two cases: another hand plays a higher trump
  // to the trick, or the Excuse wins the last trick. So the hand wins at least its number of
  // trumps, minus the number of trumps in the other hands, minus one.
  int TricksOfHandful(bool attack) const {
    const std::array<int, 4>& shown = attack ? in_.attack_handfuls : in_.defence_handfuls;
    int size = 0;
    for (int level = 1; level <= 3; ++level) {
      if (shown[static_cast<std::size_t>(level)] > 0) size = rules_.HandfulSize(players_, level);
    }
    const int own = size - (ExcuseMayStand() ? 1 : 0);
    int tricks = 2 * own - kTrumps - 1;
    // The taker may also show trumps of the écart. The écart has trumps only if the taker could lay
    // aside too few other cards. Then the taker's hand has only trumps, Kings, the Excuse and
    // perhaps the called card, and so at least `in_hand` trumps.
    if (attack && rules_.handful_shown_discard_counts) {
      const int in_hand = trick_count_ - kKings - 2;
      tricks = std::min(tricks, 2 * in_hand - kTrumps);
    }
    return std::max(tricks, 0);
  }

  absl::Status CheckHandfulsOf(const std::array<int, 4>& shown, int hands,
                               absl::string_view field) const {
    const int count = std::accumulate(shown.begin(), shown.end(), 0);
    if (count > 0 && !rules_.handful) return BadRequest(field, "the rule set has no handfuls");
    if (count <= hands) return absl::OkStatus();
    return BadRequest(
        field, absl::StrCat("must be at most one for each hand of the camp, which has ", hands));
  }

  // Returns false if the attack has an odd number of half points but must have an even number, or
  // the other way round. Every card is worth an odd number of half points. With an even number of
  // players, a trick has an even number of cards, so its value in half points is even. If
  // `excuse_gain_` is even, an exchange of the Excuse does not change this. So only the cards of
  // the écart or dog that count for the attack decide. If their number is even, the attack's half
  // points are even. If their number is odd, the attack's half points are odd.
  bool ParityFits(int half_points) const {
    const bool fixed = in_.players % 2 == 0 && excuse_gain_ % 2 == 0;
    return !fixed || (half_points - Apart(true)) % 2 == 0;
  }

  // Returns whether the attack has `half_points` in some deal with these bouts and this contract.
  bool IsPossible(int half_points) const {
    if (!ParityFits(half_points)) return false;
    for (int tricks = 0; tricks <= MostTricks(); ++tricks) {
      if (PointsWith(tricks).Contains(half_points)) return true;
    }
    return false;
  }

  // Returns the greatest number of tricks that the attack can win with these bouts. The attack can
  // win all tricks, except in this case: the Excuse never wins a trick and stays with the camp that
  // played it, and the taker plays alone with three bouts. Then the taker played the Excuse and
  // lost its trick. With Garde sans, the Excuse may also come from the dog, and then the taker can
  // win all tricks.
  int MostTricks() const {
    const bool taker_played_excuse = rules_.excuse_last_trick == ExcuseLastTrick::kNeverLost &&
                                     !in_.has_partner && in_.bouts == kBouts &&
                                     in_.contract != Contract::kGardeSans;
    const bool excuse_loses = !rules_.excuse_slam_wins_when_led;
    return taker_played_excuse && excuse_loses ? trick_count_ - 1 : trick_count_;
  }

  // Returns the error for half points that no deal gives with these bouts and this contract. The
  // error names the nearest numbers below and above that a deal can give.
  absl::Status ImpossiblePoints() const {
    int below = in_.attack_half_points;
    while (below >= 0 && !IsPossible(below)) --below;
    int above = in_.attack_half_points;
    while (above <= kTotalHalfPoints && !IsPossible(above)) ++above;
    const std::string text = below < 0 ? absl::StrCat("at least ", above)
                             : above > kTotalHalfPoints
                                 ? absl::StrCat("at most ", below)
                                 : absl::StrCat("at most ", below, " or at least ", above);
    return BadRequest("attack_half_points",
                      absl::StrCat(text, " with ", in_.bouts, " bouts and this contract"));
  }

  absl::Status CheckPoints() const {
    if (!ParityFits(in_.attack_half_points)) {
      return BadRequest(
          "attack_half_points",
          absl::StrCat("must be ", Apart(true) % 2 == 0 ? "even" : "odd", " with ", in_.players,
                       " hands, because each trick has ", in_.players, " cards"));
    }
    const Range with_handfuls{.low = TricksOfHandful(true),
                              .high = trick_count_ - TricksOfHandful(false)};
    bool any = false;
    bool slam_fits = false;
    bool attack_handful_fits = false;
    bool handfuls_fit = false;
    for (int tricks = 0; tricks <= MostTricks(); ++tricks) {
      if (!PointsWith(tricks).Contains(in_.attack_half_points)) continue;
      any = true;
      if (!SlamFits(tricks)) continue;
      slam_fits = true;
      attack_handful_fits = attack_handful_fits || tricks >= with_handfuls.low;
      if (!with_handfuls.Contains(tricks)) continue;
      handfuls_fit = true;
      if (PetitFits(tricks)) return absl::OkStatus();
    }
    if (slam_fits && !handfuls_fit) {
      return BadRequest(attack_handful_fits ? "defence_handfuls" : "attack_handfuls",
                        "the hand with these trumps wins more tricks than the points and the slam "
                        "allow");
    }
    if (slam_fits) {
      return BadRequest("petit_au_bout",
                        "with these points and this slam, this camp wins no trick");
    }
    if (any) {
      return BadRequest("slam", absl::StrCat("does not fit ", in_.attack_half_points,
                                             " half points and ", in_.bouts, " bouts"));
    }
    return ImpossiblePoints();
  }

  int BoutsOf(bool attack) const { return attack ? in_.bouts : kBouts - in_.bouts; }

  // Returns how many cards of the écart or dog count for one camp. The camp is the attack if
  // `attack` is true, and the defence if it is false.
  int Apart(bool attack) const {
    return attack == (in_.contract != Contract::kGardeContre) ? dog_size_ : 0;
  }

  Pile PileOf(bool attack, int tricks) const {
    const int apart = Apart(attack);
    // The écart has no bouts. The unseen dog may have some.
    const bool unseen =
        in_.contract == Contract::kGardeSans || in_.contract == Contract::kGardeContre;
    const int played = tricks * in_.players;
    return {.cards = apart + played, .bouts_max = played + (unseen ? apart : 0)};
  }

  // Returns the half points that a camp can have with `bouts` bouts and the cards of `pile`. The
  // Excuse makes two special cases:
  // - The camp takes the Excuse back from a lost trick. Then the Excuse is one of the bouts, but it
  //   is not in the pile.
  // - The other camp takes the Excuse back. Then the Excuse is in the pile, but it is not one of
  //   the bouts.
  Range PointsOf(const Pile& pile, int bouts) const {
    Range range{.low = kTotalHalfPoints, .high = 0};
    const auto add = [&range](int low, int high) {
      range = {std::min(range.low, low), std::max(range.high, high)};
    };
    if (bouts <= pile.bouts_max) {
      const int others = pile.cards - bouts;
      add(kBoutHalfPoints * bouts + others, kBoutHalfPoints * bouts + Best(others));
      // Here the Excuse lies in a trick of this camp, but counts for the other camp.
      if (bouts < kBouts && bouts < pile.bouts_max) {
        const int rest = others - 1;
        const int left = kBoutHalfPoints - excuse_gain_;
        add(kBoutHalfPoints * bouts + rest + left, kBoutHalfPoints * bouts + Best(rest) + left);
      }
    }
    if (bouts > 0 && bouts - 1 <= pile.bouts_max) {  // Here the camp takes its Excuse back.
      const int others = pile.cards - (bouts - 1);
      const int known = kBoutHalfPoints * (bouts - 1) + excuse_gain_;
      add(known + others, known + Best(others));
    }
    return range;
  }

  // Returns the half points that the attack can have if it won `tricks` tricks.
  Range PointsWith(int tricks) const {
    const Range attack = PointsOf(PileOf(true, tricks), BoutsOf(true));
    const Range defence = PointsOf(PileOf(false, trick_count_ - tricks), BoutsOf(false));
    return {.low = std::max(attack.low, kTotalHalfPoints - defence.high),
            .high = std::min(attack.high, kTotalHalfPoints - defence.low)};
  }

  // Returns whether `in_.slam` is right if the attack won `tricks` tricks. A sheet may leave out a
  // slam that is worth nothing.
  bool SlamFits(int tricks) const {
    const bool made = trick_count_ - tricks <= rules_.slam_lost_tricks_max;
    const bool lost_all = !made && tricks == 0;
    switch (in_.slam) {
      case SlamOutcome::kAnnouncedMade:
      case SlamOutcome::kUnannouncedMade:
        return made;
      case SlamOutcome::kDefence:
      case SlamOutcome::kAnnouncedFailedDefence:
        return lost_all;
      case SlamOutcome::kNone:
        return made ? IsFree(rules_.slam_unannounced_points) : MayLeaveOutDefence(lost_all);
      case SlamOutcome::kAnnouncedFailed:
        return !made && MayLeaveOutDefence(lost_all);
    }
    return false;
  }

  bool MayLeaveOutDefence(bool lost_all) const {
    return !lost_all || IsFree(rules_.slam_defence_points);
  }

  // Returns true if a slam that is worth `slam_points` changes no score.
  bool IsFree(int slam_points) const {
    return slam_points == 0 || rules_.scoring != Scoring::kNormal;
  }

  // Returns whether the camp that gets the Petit au bout won a trick.
  bool PetitFits(int tricks) const {
    return in_.petit_au_bout == 0 || (in_.petit_au_bout > 0 ? tricks > 0 : tricks < trick_count_);
  }

  const RuleSet& rules_;
  const int players_;  // Number of seats at the table. One of them may hold no cards.
  const ScoreInput& in_;
  const int trick_count_;
  const int dog_size_;
  // The half points that the camp of the Excuse gains when it takes the Excuse back from a trick.
  const int excuse_gain_;
};

}  // namespace

absl::Status CheckScoreInput(const RuleSet& rules, int players, const ScoreInput& input) {
  return Sheet(rules, players, input).Check();
}

}  // namespace tarot::rules
