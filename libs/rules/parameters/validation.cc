#include "libs/rules/parameters/validation.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/deck.h"

namespace tarot::rules {
namespace {

using Found = std::vector<Contradiction>;

constexpr std::size_t kLevels = 3;
constexpr int kTricksMax = 24;
// The taker may have to keep four Kings, three bouts and a called card. With at least this many
// cards in hand, the taker can always lay aside as many cards as the dog has.
constexpr int kHandMin = 8;

std::size_t At(int players) { return static_cast<std::size_t>(players - kPlayersMin); }

bool DescendsNever(const auto& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) return false;
  }
  return true;
}

void CheckDogPlaces(const RuleSet& r, int players, Found& found) {
  const int places = DogPlaces(r, players);
  if (places == 0) {
    found.push_back({"dog_forbidden_first", "dog_forbidden_last", "leave no place for the dog"});
  } else if (r.dog_no_two_consecutive && places < r.DogSize(players)) {
    found.push_back({"dog_no_two_consecutive", "dog", "there are fewer places between packets"});
  }
}

void CheckPack(const RuleSet& r, int players, Found& found) {
  const int hand = r.HandSize(players);
  const int packet = r.packet_size[At(players)];
  if (hand < kHandMin || hand > kTricksMax) {
    found.push_back({"hand", "", "must be 8 to 24 cards"});
  }
  if (hand * r.Playing(players) + r.DogSize(players) != kCardCount) {
    const bool sits_out = r.Playing(players) != players;
    found.push_back({"hand", sits_out ? "five_alt" : "dog",
                     sits_out ? "four hands and the dog must make 78 cards"
                              : "the hands of all players and the dog must make 78 cards"});
  }
  if (packet == 0 || hand % packet != 0) {
    found.push_back({"deal_packet", "hand", "a hand must be dealt in whole packets"});
  } else if (r.dog_deal == DogDeal::kInterleavedSingly) {
    CheckDogPlaces(r, players, found);
  }
  if (r.slam_lost_tricks_max >= hand) {
    found.push_back({"slam_lost_tricks_allowed", "hand", "a slam must win a trick"});
  }
  if (r.handful && r.HandfulSize(players, kLevels) > hand) {
    found.push_back({"handful_sizes", "hand", "no hand has so many cards"});
  }
}

void CheckDealing(const RuleSet& r, Found& found) {
  const bool counts = r.players_min >= kPlayersMin && r.players_min <= r.players_max &&
                      r.players_max <= kPlayersMax;
  if (!counts) {
    found.push_back({"players", "", "must be consecutive counts of 3 to 5"});
    return;
  }
  for (int n = r.players_min; n <= r.players_max; ++n) CheckPack(r, n, found);
  if (r.five_alternative == FiveAlternative::kDealerSitsOut && r.players_max != kPlayersMax) {
    found.push_back({"five_alt", "players", "the dealer sits out only at a table of five"});
  }
  if (r.cut_min < 1 || r.cut_min > kCardCount / 2) {
    found.push_back({"cut_min", "", "must be 1 to 39 cards"});
  }
  if (r.dog_deal != DogDeal::kInterleavedSingly) {
    if (r.dog_forbidden_last > 0) {
      found.push_back({"dog_deal", "dog_forbidden_last", "the dog is the last cards of the pack"});
    }
    if (r.dog_no_two_consecutive) {
      found.push_back({"dog_deal", "dog_no_two_consecutive", "the last cards follow each other"});
    }
  }
  const bool board = r.taker_by == TakerBy::kBoard || r.dealer_by == DealerBy::kBoard;
  if (board && r.shuffle == Shuffle::kNoneBetweenDeals) {
    found.push_back({"shuffle", r.taker_by == TakerBy::kBoard ? "taker" : "dealer",
                     "the cards of a board do not come from the previous deal"});
  }
}

void CheckContract(const RuleSet& r, Found& found) {
  const bool alone = r.teams == Teams::kEveryoneAlone;
  const bool board = r.taker_by == TakerBy::kBoard;
  if (alone != (r.bids == 0)) {
    found.push_back(
        {"teams", "bids", alone ? "there are no bids without a taker" : "a taker must have a bid"});
  }
  if (alone != (r.dog_deal == DogDeal::kRemovedFromPlay)) {
    found.push_back(
        {"teams", "dog_deal",
         alone ? "without a taker the dog must leave the play" : "a taker must have a dog"});
  }
  if (alone && board)
    found.push_back({"teams", "taker", "there is no taker if every seat plays alone"});
  const bool imposed = r.imposed_contract != Contract::kPass;
  if (imposed && !r.AllowsBid(r.imposed_contract)) {
    found.push_back({"imposed_contract", "bids", "must be one of the bids"});
  }
  if (imposed && !board) {
    found.push_back(
        {"imposed_contract", "taker", "without an auction the board must say who takes"});
  }
  if (!r.pass_allowed && !board) {
    found.push_back(
        {"pass_allowed", "taker", "in an auction a seat that cannot bid higher must pass"});
  }
  if (board && r.five_alternative == FiveAlternative::kDealerSitsOut) {
    found.push_back({"taker", "five_alt", "a board is for four players"});
  }
  if ((r.bids & 1) != 0 || r.bids > 0b11110) {
    found.push_back({"bids", "", "must be some of prise, garde, garde_sans, garde_contre"});
  }
  if (r.multiplier[1] == 0 || !DescendsNever(r.multiplier)) {
    found.push_back({"mult", "", "must be 1 or more, and a higher bid multiply by no less"});
  }
}

void CheckCall(const RuleSet& r, Found& found) {
  const bool any = r.call == Call::kAnyCard;
  const bool ranks = r.call_rank_min >= 11 && r.call_rank_min <= 14;
  if (any ? r.call_rank_min != 1 : !ranks) {
    found.push_back({"call5", "call5_ranks",
                     any ? "any card may be called: the ranks must be any"
                         : "ranks must be from the King down to the Jack"});
  }
  if (any && r.self_call != SelfCall::kAllowed) {
    found.push_back({"call5", "call5_self", "any card may be called, even a card in hand"});
  }
}

void CheckBonuses(const RuleSet& r, Found& found) {
  if (r.slam_announce == SlamAnnounce::kWithContract && r.bids == 0) {
    found.push_back(
        {"slam_announce", "bids", "without bids there is no contract to announce with"});
  }
  const bool slam_points = r.slam_unannounced_points >= 0 && r.slam_failed_points <= 0 &&
                           r.slam_announced_points >= r.slam_unannounced_points;
  if (!slam_points) {
    found.push_back({"slam_points", "",
                     "must be 0 or more when made, no less when announced, 0 or less when failed"});
  }
  if (r.slam_defence_points < 0) found.push_back({"slam_defence", "", "must be 0 or more"});
  if (!r.handful) return;
  for (const auto& sizes : r.handful_size) {
    if (sizes[0] == 0 || sizes[0] >= sizes[1] || sizes[1] >= sizes[2]) {
      found.push_back({"handful_sizes", "", "must rise from single to triple"});
    }
  }
  if (!DescendsNever(r.handful_points)) {
    found.push_back({"handful_points", "", "must not fall from single to triple"});
  }
}

// Checks that `teams` and `scoring` agree, and that a practice game has no rounding and no bonuses.
void CheckPractice(const RuleSet& r, Found& found) {
  const bool alone = r.teams == Teams::kEveryoneAlone;
  if (alone != (r.scoring == Scoring::kPointPerCourtOrBout)) {
    found.push_back({"teams", "scoring",
                     alone ? "without a taker each seat counts its own court cards and bouts"
                           : "a deal with a taker is scored by its contract"});
  }
  if (r.scoring == Scoring::kNormal) return;
  if (r.round_scores_to != 1) {
    found.push_back({"round_scores_to", "scoring", "a practice game is not rounded"});
  }
  if (r.handful) found.push_back({"handful", "scoring", "a practice game counts no handful"});
  if (r.petit_au_bout_points != 0) {
    found.push_back({"petit_au_bout", "scoring", "a practice game counts no Petit au bout"});
  }
  if (r.slam_announce != SlamAnnounce::kNever) {
    found.push_back({"slam_announce", "scoring", "a practice game counts no slam"});
  }
}

void CheckCounting(const RuleSet& r, Found& found) {
  constexpr int kPoints = kTotalHalfPoints / 2;
  constexpr int kHonours = 19;  // Sixteen courts and three bouts.
  const bool honours = r.scoring == Scoring::kTakerCountsHonours;
  for (std::size_t bouts = 0; bouts < r.threshold.size(); ++bouts) {
    if (r.threshold[bouts] > kPoints ||
        (bouts > 0 && r.threshold[bouts] > r.threshold[bouts - 1])) {
      found.push_back({"thresholds", "", "must be 0 to 91, and no more with more bouts"});
      break;
    }
  }
  if (honours && r.threshold[0] > kHonours) {
    found.push_back({"thresholds", "scoring", "there are 19 courts and bouts in the pack"});
  }
  if (r.round_scores_to != 1 && r.round_scores_to != 5 && r.round_scores_to != 10) {
    found.push_back({"round_scores_to", "", "must be 1, 5 or 10"});
  }
  if ((r.end_mode == EndMode::kDeals) != (r.end_default > 0)) {
    found.push_back({"end", "", "must be a count of deals, or agreed rounds without one"});
  }
}

}  // namespace

std::vector<Contradiction> Validate(const RuleSet& rules) {
  Found found;
  CheckDealing(rules, found);
  CheckContract(rules, found);
  CheckCall(rules, found);
  CheckBonuses(rules, found);
  CheckPractice(rules, found);
  CheckCounting(rules, found);
  return found;
}

absl::Status CheckRuleSet(const RuleSet& rules) {
  const std::vector<Contradiction> found = Validate(rules);
  if (found.empty()) return absl::OkStatus();
  const Contradiction& first = found.front();
  if (first.other.empty()) return BadRequest(first.parameter, first.reason);
  const std::string reason = absl::StrCat("against ", first.other, ": ", first.reason);
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               absl::StrCat(first.parameter, " ", reason),
               {{"field", std::string(first.parameter)},
                {"other_field", std::string(first.other)},
                {"description", reason}});
}

}  // namespace tarot::rules
