// The parameters in which the sources of the game differ, and the named rule sets.
// docs/rules.md tells what each value means and which text it comes from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::rules {

inline constexpr int kPlayersMin = 3;
inline constexpr int kPlayersMax = 5;

enum class Contract : std::uint8_t { kPass, kPrise, kGarde, kGardeSans, kGardeContre };

enum class PetitSec : std::uint8_t { kCancelsDeal, kPlaysOn };
enum class TrumpDiscard : std::uint8_t { kIfNeededShown, kFree };
enum class ExcuseLastTrick : std::uint8_t { kChangesCamp, kToTrickWinner, kNeverLost };
enum class HandfulOwner : std::uint8_t { kWinnerOfDeal, kShower };
enum class HandfulExcuse : std::uint8_t { kIfNoHiddenTrump, kTrumpsOnly };
enum class PetitAuBoutMode : std::uint8_t { kMultipliedBonus, kAddedToCardPoints };
enum class PetitAuBoutCondition : std::uint8_t { kPetitInLastTrick, kWinsLastTrick };
enum class SelfCall : std::uint8_t { kAllowed, kOnlyWithFourKings, kForbidden };
enum class CallLead : std::uint8_t { kSuitBarredExceptCard, kSuitBarredWholeTrick, kFree };

// A small value; equal rule sets compare equal. Arrays by player count use index count - 3.
struct RuleSet {
  std::uint8_t players_min = 3;
  std::uint8_t players_max = 5;

  // The deal.
  std::array<std::uint8_t, 3> hand_size{24, 18, 15};
  std::array<std::uint8_t, 3> dog_size{6, 6, 3};
  std::array<std::uint8_t, 3> packet_size{4, 3, 3};
  bool dog_last_cards =
      false;  // The dog is what is left; otherwise dealt singly among the packets.
  PetitSec petit_sec = PetitSec::kCancelsDeal;

  // The contract.
  std::array<std::uint8_t, 5> multiplier{0, 1, 2, 4, 6};  // By Contract.
  std::uint8_t base_points = 25;
  std::array<std::uint8_t, 4> threshold{56, 51, 41, 36};  // By bouts of the attack.

  // Five players: ranks that may be called, each when all higher ones are in hand (14 first).
  std::uint8_t call_rank_min = 11;
  bool call_obligatory = true;
  SelfCall self_call = SelfCall::kAllowed;
  CallLead call_lead = CallLead::kSuitBarredExceptCard;

  // The écart.
  TrumpDiscard trump_discard = TrumpDiscard::kIfNeededShown;

  // The slam.
  std::uint8_t slam_lost_tricks_max = 0;
  std::int16_t slam_announced_points = 400;
  std::int16_t slam_unannounced_points = 200;
  std::int16_t slam_failed_points = -200;
  std::int16_t slam_defence_points = 200;
  bool slam_can_be_announced = true;

  // The handfuls.
  bool handful = true;
  std::array<std::array<std::uint8_t, 3>, 3> handful_size{
      {{13, 15, 18}, {10, 13, 15}, {8, 10, 13}}};
  std::array<std::uint8_t, 3> handful_points{20, 30, 40};
  HandfulOwner handful_owner = HandfulOwner::kWinnerOfDeal;
  HandfulExcuse handful_excuse = HandfulExcuse::kIfNoHiddenTrump;

  // The Excuse.
  ExcuseLastTrick excuse_last_trick = ExcuseLastTrick::kChangesCamp;
  bool excuse_compensation_three_players = true;  // The half point exchanged for it, with three.

  // The Petit au bout.
  std::uint8_t petit_au_bout_points = 10;
  PetitAuBoutMode petit_au_bout_mode = PetitAuBoutMode::kMultipliedBonus;
  PetitAuBoutCondition petit_au_bout_condition = PetitAuBoutCondition::kPetitInLastTrick;

  friend bool operator==(const RuleSet&, const RuleSet&) = default;

  int HandSize(int players) const { return hand_size[static_cast<std::size_t>(players - 3)]; }
  int DogSize(int players) const { return dog_size[static_cast<std::size_t>(players - 3)]; }
  int Multiplier(Contract c) const { return multiplier[static_cast<std::size_t>(c)]; }
  // Cards shown in a handful of `level` 1..3.
  int HandfulSize(int players, int level) const {
    return handful_size[static_cast<std::size_t>(players - 3)][static_cast<std::size_t>(level - 1)];
  }
};

struct NamedRuleSet {
  absl::string_view name;         // "fft"
  absl::string_view description;  // One line for people.
  RuleSet rules;
};

// Every named rule set, in a fixed order; lives for ever.
const std::vector<NamedRuleSet>& RuleSets();

// nullptr when there is none of that name.
const NamedRuleSet* FindRuleSet(absl::string_view name);

}  // namespace tarot::rules
