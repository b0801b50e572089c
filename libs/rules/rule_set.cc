#include "libs/rules/rule_set.h"

namespace tarot::rules {
namespace {

// Each function starts from the rule set that it differs from, as docs/rules.md lists them.
RuleSet Fft() { return RuleSet{}; }

RuleSet Club() {
  RuleSet r = Fft();
  r.players_min = r.players_max = 4;
  r.slam_defence_points = 0;
  return r;
}

RuleSet Webguide() {
  RuleSet r = Fft();
  r.direction = Direction::kClockwise;
  r.first_dealer = FirstDealer::kDrawLowestNoTieBreak;
  r.petit_sec = PetitSec::kPlaysOn;
  r.trump_discard = TrumpDiscard::kFree;
  r.slam_defence_points = 0;
  r.handful = false;
  r.petit_au_bout_condition = PetitAuBoutCondition::kWinsLastTrick;
  r.call_rank_min = 13;
  r.self_call = SelfCall::kOnlyWithFourKings;
  r.end_default = 1;
  return r;
}

RuleSet Booklet() {
  RuleSet r = Fft();
  r.direction = Direction::kClockwise;
  r.first_dealer = FirstDealer::kRandom;
  r.dog_deal = DogDeal::kLastCards;
  r.dog_forbidden_first = r.dog_forbidden_last = 0;
  r.petit_sec = PetitSec::kPlaysOn;
  r.multiplier = {0, 1, 2, 3, 4};
  r.slam_lost_tricks_max = 1;
  r.slam_defence_points = 0;
  r.excuse_compensation_card = ExcuseCompensationCard::kSuitCardOneToTen;
  r.excuse_last_trick = ExcuseLastTrick::kNeverLost;
  r.handful_owner = HandfulOwner::kShower;
  r.handful_excuse = HandfulExcuse::kTrumpsOnly;
  r.petit_au_bout_mode = PetitAuBoutMode::kAddedToCardPoints;
  r.call_rank_min = 13;
  r.call_obligatory = false;
  r.call_lead = CallLead::kSuitBarredWholeTrick;
  r.end_mode = EndMode::kAgreedRounds;
  r.end_default = 0;
  return r;
}

RuleSet BookletCustoms() {
  RuleSet r = Booklet();
  r.direction = Direction::kCounterClockwise;
  r.first_dealer = FirstDealer::kDrawLowest;
  r.dog_deal = DogDeal::kInterleavedSingly;
  r.dog_forbidden_first = r.dog_forbidden_last = 1;
  r.dog_no_two_consecutive = true;
  r.shuffle = Shuffle::kNoneBetweenDeals;
  r.excuse_last_trick = ExcuseLastTrick::kToTrickWinner;
  r.handful_excuse = HandfulExcuse::kIfNoHiddenTrump;
  return r;
}

RuleSet Shogix() {
  RuleSet r = Fft();
  r.cut_min = 3;
  r.call_rank_min = 12;
  r.self_call = SelfCall::kForbidden;
  return r;
}

RuleSet Pagat() {
  RuleSet r = Fft();
  r.dog_forbidden_first = r.dog_forbidden_last = 3;
  r.excuse_last_trick = ExcuseLastTrick::kToTrickWinner;
  r.call_rank_min = 13;
  r.call_lead = CallLead::kFree;
  return r;
}

}  // namespace

const std::vector<NamedRuleSet>& RuleSets() {
  static const auto* const sets = new std::vector<NamedRuleSet>{
      {"fft", "Federation rules of 2012", Fft()},
      {"club", "Club rules for four: no bonus for a slam of the defence", Club()},
      {"webguide", "A web guide: free écart, no handfuls, the Petit must win the last trick",
       Webguide()},
      {"booklet", "A publisher's booklet: multipliers 1 to 4, handfuls to who shows them",
       Booklet()},
      {"booklet_customs", "The booklet with the customs at its end", BookletCustoms()},
      {"shogix", "Translated federation rules: no call of one's own card", Shogix()},
      {"pagat", "As described on Pagat: the Excuse of the last trick to its winner", Pagat()},
  };
  return *sets;
}

const NamedRuleSet* FindRuleSet(absl::string_view name) {
  for (const NamedRuleSet& set : RuleSets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace tarot::rules
