// Defines the parameters in which the sources of the game differ, and the named rule sets.
// docs/rules/parameters.md explains each parameter and lists its values. parameters.h reads and
// prints parameters as text; validation.h finds values that contradict each other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::rules {

enum class Direction : std::uint8_t { kCounterClockwise, kClockwise };
enum class FirstDealer : std::uint8_t { kDrawLowest, kDrawLowestNoTieBreak, kRandom };
enum class DealerBy : std::uint8_t { kRotation, kBoard };
enum class Shuffle : std::uint8_t { kFullByOpposite, kNoneBetweenDeals };
enum class DogDeal : std::uint8_t { kInterleavedSingly, kLastCards, kRemovedFromPlay };
enum class PetitSec : std::uint8_t { kCancelsDeal, kPlaysOn };
enum class TakerBy : std::uint8_t { kAuction, kBoard };
enum class Teams : std::uint8_t { kTakerAgainstDefence, kEveryoneAlone };
enum class Scoring : std::uint8_t {
  kNormal,
  // In practice game 1, each seat scores a point for each court card and bout in its own tricks.
  kPointPerCourtOrBout,
  // In practice game 2, only the taker scores. The taker's score is the number of court cards and
  // bouts, times the multiplier of the bid.
  kTakerCountsHonours,
  // In practice game 3, only the taker scores. The taker's score is (base + difference) times the
  // multiplier of the bid.
  kTakerCountsDifference,
};
enum class TrumpDiscard : std::uint8_t { kIfNeededShown, kFree };
enum class SlamAnnounce : std::uint8_t { kAfterDiscard, kWithContract, kNever };
enum class ExcuseCompensation : std::uint8_t { kAlways, kExceptThreePlayers };
// The card that a camp gives for its Excuse. Each of these cards is worth half a point.
enum class ExcuseCompensationCard : std::uint8_t { kAnyHalfPointCard, kSuitCardOneToTen };
enum class ExcuseLastTrick : std::uint8_t {
  kChangesCamp,
  kToTrickWinner,
  kNeverLost,
  kLostOnlyToSlam  // The camp loses the Excuse only if the other camp wins every trick.
};
enum class HandfulOwner : std::uint8_t { kWinnerOfDeal, kShower };
enum class HandfulExcuse : std::uint8_t { kIfNoHiddenTrump, kTrumpsOnly };
enum class PetitAuBoutMode : std::uint8_t { kMultipliedBonus, kAddedToCardPoints };
// With kCampWinsLastTrick, the camp that played the Petit must win the last trick.
enum class PetitAuBoutCondition : std::uint8_t {
  kPetitInLastTrick,
  kWinsLastTrick,
  kCampWinsLastTrick
};
enum class Call : std::uint8_t { kKingThenLower, kAnyCard };
enum class SelfCall : std::uint8_t { kAllowed, kOnlyWithFourKings, kForbidden };
enum class CallLead : std::uint8_t { kSuitBarredExceptCard, kSuitBarredWholeTrick, kFree };
enum class FiveAlternative : std::uint8_t { kNone, kDealerSitsOut };
// The enums DiscardOpen, DogOpen, HandfulOpen and TricksOpen say which cards a seat may still look
// at during a deal; view.h explains them.
enum class DiscardOpen : std::uint8_t { kClosed, kToTaker };
enum class DogOpen : std::uint8_t { kUntilFirstCard, kWholeDeal };
enum class HandfulOpen : std::uint8_t { kFirstTrick, kWholeDeal };
enum class TricksOpen : std::uint8_t { kAll, kLast, kNone };
enum class EndMode : std::uint8_t { kDeals, kAgreedRounds };

// Has one value for each parameter. In an array by player count, index 0 is for three players. If
// texts (parameters.h) use another name for a parameter, the comment of its field gives this name.
// A parameter that has the same value in every source has no field; the table in parameters.cc has
// its value.
struct RuleSet {
  std::uint8_t players_min = 3;  // players
  std::uint8_t players_max = 5;

  // These parameters decide the first dealer, the cut and the deal.
  Direction direction = Direction::kCounterClockwise;
  FirstDealer first_dealer = FirstDealer::kDrawLowest;
  DealerBy dealer_by = DealerBy::kRotation;  // dealer
  Shuffle shuffle = Shuffle::kFullByOpposite;
  std::uint8_t cut_min = 4;
  std::array<std::uint8_t, 3> packet_size{4, 3, 3};  // deal_packet
  std::array<std::uint8_t, 3> hand_size{24, 18, 15};
  std::array<std::uint8_t, 3> dog_size{6, 6, 3};
  DogDeal dog_deal = DogDeal::kInterleavedSingly;
  // With DogDeal::kInterleavedSingly, these numbers of cards at the top and at the bottom of the
  // pack never go to the dog.
  std::uint8_t dog_forbidden_first = 1;
  std::uint8_t dog_forbidden_last = 1;
  bool dog_no_two_consecutive = false;
  PetitSec petit_sec = PetitSec::kCancelsDeal;
  // With FiveAlternative::kDealerSitsOut, the dealer of a table of five sits out, and four play.
  FiveAlternative five_alternative = FiveAlternative::kNone;  // five_alt

  // The contract.
  TakerBy taker_by = TakerBy::kAuction;  // taker
  bool pass_allowed = true;
  // The possible bids, one bit per Contract.
  std::uint8_t bids = 0b11110;
  std::array<std::uint8_t, 5> multiplier{0, 1, 2, 4, 6};  // mult; indexed by Contract.
  // The contract that a board imposes; kPass if it imposes none.
  Contract imposed_contract = Contract::kPass;
  Teams teams = Teams::kTakerAgainstDefence;

  // The call, with five players only. The taker may call a lower rank if the taker's hand has all
  // cards of the higher ranks.
  Call call = Call::kKingThenLower;  // call5
  std::uint8_t call_rank_min = 11;   // call5_ranks; 1 with Call::kAnyCard.
  bool call_obligatory = true;
  SelfCall self_call = SelfCall::kAllowed;
  CallLead call_lead = CallLead::kSuitBarredExceptCard;

  // The écart.
  TrumpDiscard trump_discard = TrumpDiscard::kIfNeededShown;
  bool discard_called_card_allowed = true;

  // The slam.
  SlamAnnounce slam_announce = SlamAnnounce::kAfterDiscard;
  bool slam_announcer_leads = true;
  std::uint8_t slam_lost_tricks_max = 0;  // slam_lost_tricks_allowed
  std::int16_t slam_announced_points = 400;
  std::int16_t slam_unannounced_points = 200;
  std::int16_t slam_failed_points = -200;
  std::int16_t slam_defence_points = 200;  // slam_defence

  // The handfuls.
  bool handful = true;
  std::array<std::array<std::uint8_t, 3>, 3> handful_size{
      {{13, 15, 18}, {10, 13, 15}, {8, 10, 13}}};
  std::array<std::uint8_t, 3> handful_points{20, 30, 40};
  HandfulOwner handful_owner = HandfulOwner::kWinnerOfDeal;
  HandfulExcuse handful_excuse = HandfulExcuse::kIfNoHiddenTrump;
  bool handful_shown_discard_counts = true;  // handful_may_use_shown_discarded_trumps

  // The Excuse.
  ExcuseCompensation excuse_compensation = ExcuseCompensation::kAlways;
  ExcuseCompensationCard excuse_compensation_card = ExcuseCompensationCard::kAnyHalfPointCard;
  ExcuseLastTrick excuse_last_trick = ExcuseLastTrick::kChangesCamp;
  // With excuse_slam_wins_when_led, the Excuse wins the last trick if it is led and its camp has
  // won all other tricks. With excuse_slam_wins_when_partner_leads, the Excuse also wins this trick
  // if the partner leads it. The second parameter has no effect without the first.
  bool excuse_slam_wins_when_led = true;
  bool excuse_slam_wins_when_partner_leads = true;
  bool excuse_slam_applies_to_defence = true;

  // The Petit au bout.
  std::uint8_t petit_au_bout_points = 10;  // petit_au_bout
  PetitAuBoutMode petit_au_bout_mode = PetitAuBoutMode::kMultipliedBonus;
  PetitAuBoutCondition petit_au_bout_condition = PetitAuBoutCondition::kPetitInLastTrick;
  bool petit_au_bout_slam_previous_trick = true;

  // These parameters decide which cards players may still look at after they have seen them
  // (MakeView() in view.h).
  DogOpen dog_open = DogOpen::kUntilFirstCard;
  DiscardOpen discard_open = DiscardOpen::kClosed;
  HandfulOpen handful_open = HandfulOpen::kFirstTrick;
  TricksOpen tricks_open = TricksOpen::kLast;

  // Counting.
  Scoring scoring = Scoring::kNormal;
  std::uint8_t base_points = 25;  // base
  // Texts call this parameter "thresholds". The index is the number of bouts of the attack.
  std::array<std::uint8_t, 4> threshold{56, 51, 41, 36};
  // Each payment is rounded to the nearest multiple of this number.
  std::uint8_t round_scores_to = 1;
  EndMode end_mode = EndMode::kDeals;
  // The usual number of deals in a match; 0 with EndMode::kAgreedRounds.
  std::uint8_t end_default = 20;

  friend bool operator==(const RuleSet&, const RuleSet&) = default;

  int HandSize(int players) const { return hand_size[static_cast<std::size_t>(players - 3)]; }
  int DogSize(int players) const { return dog_size[static_cast<std::size_t>(players - 3)]; }
  int Multiplier(Contract c) const { return multiplier[static_cast<std::size_t>(c)]; }
  bool AllowsBid(Contract c) const { return (bids >> static_cast<int>(c) & 1) != 0; }
  // Returns the number of seats that hold cards at a table of `players`.
  int Playing(int players) const {
    return players == 5 && five_alternative == FiveAlternative::kDealerSitsOut ? 4 : players;
  }
  // Returns whether a camp that takes its Excuse back gives a card worth half a point for it.
  bool ExcuseIsPaid(int players) const {
    return players != 3 || excuse_compensation == ExcuseCompensation::kAlways;
  }
  // Returns the number of cards in a handful of `level` 1..3.
  int HandfulSize(int players, int level) const {
    return handful_size[static_cast<std::size_t>(Playing(players) - 3)]
                       [static_cast<std::size_t>(level - 1)];
  }
};

struct NamedRuleSet {
  absl::string_view name;         // For example "fft".
  absl::string_view description;  // One line for people.
  RuleSet rules;
};

// Returns every named rule set in a fixed order. The result lives as long as the process.
const std::vector<NamedRuleSet>& RuleSets();

// Returns the rule set with this name, or nullptr if there is none.
const NamedRuleSet* FindRuleSet(absl::string_view name);

}  // namespace tarot::rules
