#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {
namespace {

// Each function below returns one named rule set. It copies a similar rule set and changes what
// differs.
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
  r.petit_au_bout_condition = PetitAuBoutCondition::kCampWinsLastTrick;
  r.call_rank_min = 13;
  r.self_call = SelfCall::kOnlyWithFourKings;
  r.end_default = 1;
  r.tricks_open = TricksOpen::kAll;
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
  r.excuse_slam_wins_when_led = r.excuse_slam_wins_when_partner_leads = false;
  r.handful_owner = HandfulOwner::kShower;
  r.handful_excuse = HandfulExcuse::kTrumpsOnly;
  r.petit_au_bout_mode = PetitAuBoutMode::kAddedToCardPoints;
  r.call_rank_min = 13;
  r.call_obligatory = false;
  r.call_lead = CallLead::kSuitBarredWholeTrick;
  r.end_mode = EndMode::kAgreedRounds;
  r.end_default = 0;
  r.tricks_open = TricksOpen::kNone;
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
  r.cut_min = 1;
  r.excuse_last_trick = ExcuseLastTrick::kToTrickWinner;
  r.handful_excuse = HandfulExcuse::kIfNoHiddenTrump;
  return r;
}

// The practice games have no bonuses, because source 002 (the booklet) explains bonuses only on
// later pages.
RuleSet BookletPractice() {
  RuleSet r = Booklet();
  r.handful = false;
  r.petit_au_bout_points = 0;
  r.slam_announce = SlamAnnounce::kNever;
  return r;
}

RuleSet BookletPractice1() {
  RuleSet r = BookletPractice();
  r.bids = 0;
  r.dog_deal = DogDeal::kRemovedFromPlay;
  r.teams = Teams::kEveryoneAlone;
  r.scoring = Scoring::kPointPerCourtOrBout;
  return r;
}

RuleSet BookletPractice2() {
  RuleSet r = BookletPractice();
  r.scoring = Scoring::kTakerCountsHonours;
  r.threshold = {12, 10, 8, 7};
  return r;
}

RuleSet BookletPractice3() {
  RuleSet r = BookletPractice();
  r.scoring = Scoring::kTakerCountsDifference;
  return r;
}

RuleSet Preneur() {
  RuleSet r = Fft();
  r.first_dealer = FirstDealer::kRandom;
  r.cut_min = 1;
  r.slam_announce = SlamAnnounce::kWithContract;
  r.slam_defence_points = 0;
  r.excuse_compensation = ExcuseCompensation::kExceptThreePlayers;
  r.excuse_last_trick = ExcuseLastTrick::kLostOnlyToSlam;
  r.call_rank_min = 12;
  r.self_call = SelfCall::kForbidden;
  return r;
}

RuleSet Shogix() {
  RuleSet r = Fft();
  r.cut_min = 3;
  r.call_rank_min = 12;
  r.self_call = SelfCall::kForbidden;
  return r;
}

RuleSet ShogixFree5() {
  RuleSet r = Shogix();
  r.call = Call::kAnyCard;
  r.call_rank_min = 1;
  r.self_call = SelfCall::kAllowed;
  r.call_lead = CallLead::kFree;
  return r;
}

RuleSet Pagat() {
  RuleSet r = Fft();
  r.first_dealer = FirstDealer::kRandom;
  r.dog_forbidden_first = r.dog_forbidden_last = 3;
  r.excuse_last_trick = ExcuseLastTrick::kToTrickWinner;
  r.excuse_slam_wins_when_partner_leads = false;
  r.call_rank_min = 13;
  r.call_lead = CallLead::kFree;
  r.tricks_open = TricksOpen::kAll;
  return r;
}

// A board fixes the cards, the dealer and the taker in advance.
RuleSet FftBoard() {
  RuleSet r = Fft();
  r.players_min = r.players_max = 4;
  r.taker_by = TakerBy::kBoard;
  r.dealer_by = DealerBy::kBoard;
  return r;
}

RuleSet FftDuplicate() {
  RuleSet r = FftBoard();
  r.bids = 1u << static_cast<int>(Contract::kGarde);
  r.imposed_contract = Contract::kGarde;
  return r;
}

RuleSet FftTeams() {
  RuleSet r = FftBoard();
  r.bids = 0b11100;
  r.pass_allowed = false;
  return r;
}

RuleSet FftDead5() {
  RuleSet r = Fft();
  r.players_min = r.players_max = 5;
  r.five_alternative = FiveAlternative::kDealerSitsOut;
  r.hand_size[2] = 18;
  r.dog_size[2] = 6;
  return r;
}

}  // namespace

const std::vector<NamedRuleSet>& RuleSets() {
  static const auto* const sets = new std::vector<NamedRuleSet>{
      {"fft", "Federation rules of 2012", Fft()},
      {"club", "Club rules for four: no bonus for a slam of the defence", Club()},
      {"webguide",
       "A web guide: free écart, no handfuls, the camp of the Petit must win the last trick",
       Webguide()},
      {"booklet",
       "A publisher's booklet: multipliers 1 to 4, a handful pays the camp that shows it",
       Booklet()},
      {"booklet_customs", "The booklet with the customs at its end", BookletCustoms()},
      {"booklet_practice1", "First practice: no bids, a point for each court card and bout",
       BookletPractice1()},
      {"booklet_practice2", "Second practice: the taker counts court cards and bouts",
       BookletPractice2()},
      {"booklet_practice3", "Third practice: the taker's contract, without bonuses",
       BookletPractice3()},
      {"preneur", "A retelling: the slam is announced with the contract", Preneur()},
      {"shogix", "Translated federation rules: the taker may not call a card in hand", Shogix()},
      {"shogix_free5", "Like shogix, but with five players any card may be called", ShogixFree5()},
      {"pagat", "Rules of the Pagat site: the winner of the last trick gets an Excuse in it",
       Pagat()},
      {"fft_duplicate", "Federation duplicate: the board gives dealer, taker and a Garde",
       FftDuplicate()},
      {"fft_teams", "Federation teams: the board's taker chooses Garde, Sans or Contre",
       FftTeams()},
      {"fft_dead5", "Federation tables of five: the dealer sits out", FftDead5()},
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
