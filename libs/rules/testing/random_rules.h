// Makes random valid rule sets for tests.
#pragma once

#include <string>
#include <vector>

#include "libs/base/rng.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/rule_set.h"
#include "libs/rules/parameters/validation.h"

namespace tarot::rules {

// Returns parameters, each with some of its values. Leaves out parameters whose values depend on
// other parameters, for example `teams`.
inline const std::vector<std::pair<const char*, std::vector<const char*>>>& SomeValues() {
  static const auto* const values =
      new std::vector<std::pair<const char*, std::vector<const char*>>>{
          {"direction", {"ccw", "cw"}},
          {"first_dealer", {"draw_lowest", "draw_lowest_no_tiebreak", "random"}},
          {"shuffle", {"full_by_opposite", "none_between_deals"}},
          {"cut_min", {"1", "7", "39"}},
          {"dog_forbidden_first", {"0", "2", "12"}},
          {"dog_forbidden_last", {"0", "2", "12"}},
          {"dog_no_two_consecutive", {"true", "false"}},
          {"dog_deal", {"interleaved_singly", "last_cards"}},
          {"petit_sec", {"mandatory_cancel", "none"}},
          {"bids", {"garde", "garde,garde_contre", "prise,garde,garde_sans,garde_contre"}},
          {"imposed_contract", {"null", "prise", "garde_sans", "garde_contre"}},
          {"taker", {"by_auction", "given_by_board"}},
          {"dealer", {"rotates", "given_by_board"}},
          {"pass_allowed", {"true", "false"}},
          {"mult", {"1,2,3,4", "1,2,4,5", "2,4,8,12"}},
          {"base", {"0", "20", "25"}},
          {"thresholds", {"56,51,41,36", "60,50,40,30"}},
          {"discard_trump", {"only_if_needed_shown", "free"}},
          {"discard_called_card_allowed", {"true", "false"}},
          {"slam_announce", {"taker_after_discard", "taker_with_contract", "none"}},
          {"slam_announcer_leads", {"true", "false"}},
          {"slam_lost_tricks_allowed", {"0", "1", "3"}},
          {"slam_points", {"announced_made:1000,unannounced_made:500,announced_failed:-500"}},
          {"slam_defence", {"0", "200"}},
          {"excuse_compensation", {"half_point_card_always", "half_point_card_except_3p"}},
          {"excuse_last_trick",
           {"changes_camp", "to_trick_winner", "never_lost", "lost_only_to_slam"}},
          {"excuse_slam_wins_when_led", {"true", "false"}},
          {"excuse_slam_wins_when_partner_leads", {"true", "false"}},
          {"excuse_slam_applies_to_defence", {"true", "false"}},
          {"handful", {"true", "false"}},
          {"handful_sizes", {"3:9,10,11,4:6,7,8,5:4,5,6"}},
          {"handful_points", {"10,20,40", "20,40,60"}},
          {"handful_excuse", {"only_if_no_hidden_trump", "trumps_only"}},
          {"handful_owner", {"winner_of_deal", "shower"}},
          {"handful_may_use_shown_discarded_trumps", {"true", "false"}},
          {"petit_au_bout", {"0", "10", "20"}},
          {"petit_au_bout_mode", {"multiplied_bonus", "added_to_card_points"}},
          {"petit_au_bout_condition", {"petit_in_last_trick", "last_trick_won_by_petit"}},
          {"petit_au_bout_slam_previous_trick", {"true", "false"}},
          {"call5_ranks", {"king", "king,queen", "king,queen,knight,jack"}},
          {"call5_obligatory", {"true", "false"}},
          {"call5_self", {"allowed", "only_with_four_kings", "forbidden"}},
          {"call5_first_lead",
           {"called_suit_forbidden_except_called_card",
            "called_suit_forbidden_whole_first_trick_unless_led", "free"}},
          {"dog_open", {"until_first_card", "whole_deal"}},
          {"discard_open", {"closed", "to_taker"}},
          {"handful_open", {"first_trick", "whole_deal"}},
          {"tricks_open", {"all", "last", "none"}},
          {"round_scores_to", {"1", "5", "10"}},
          {"end", {"mode:deals,default:4", "mode:agreed_rounds,default:null"}},
      };
  return *values;
}

// Changes the sizes of hands, packets and dog for one number of players. The dog gets all cards
// that are in no hand.
inline void ChangeHands(RuleSet& rules, Rng& rng) {
  const auto at = static_cast<std::size_t>(rng.Below(3));
  const int playing = rules.Playing(static_cast<int>(at) + 3);
  rules.packet_size[at] = static_cast<std::uint8_t>(1 + rng.Below(4));
  const int packets = (78 / playing - 8) / rules.packet_size[at];
  const int hand = rules.packet_size[at] *
                   (78 / playing / rules.packet_size[at] - rng.Below(packets < 1 ? 1 : packets));
  rules.hand_size[at] = static_cast<std::uint8_t>(hand);
  rules.dog_size[at] = static_cast<std::uint8_t>(78 - hand * playing);
}

// Returns a named rule set with some random changes. The result is valid.
inline RuleSet RandomRuleSet(Rng& rng) {
  const auto& named = RuleSets();
  RuleSet rules = named[static_cast<std::size_t>(rng.Below(static_cast<int>(named.size())))].rules;
  for (int step = 0; step < 25; ++step) {
    RuleSet changed = rules;
    if (rng.Below(12) == 0) {
      ChangeHands(changed, rng);
    } else {
      const auto& values = SomeValues();
      const auto& [key, texts] =
          values[static_cast<std::size_t>(rng.Below(static_cast<int>(values.size())))];
      const char* text = texts[static_cast<std::size_t>(rng.Below(static_cast<int>(texts.size())))];
      if (!SetParameter(changed, key, text).ok()) continue;
    }
    if (Validate(changed).empty()) rules = changed;
  }
  return rules;
}

}  // namespace tarot::rules
