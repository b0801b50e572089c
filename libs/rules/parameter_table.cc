#include "libs/rules/parameter_forms.h"
#include "libs/rules/parameter_kinds.h"

namespace tarot::rules {
namespace {

using namespace parameter_forms;
using namespace parameter_kinds;

constexpr std::array<absl::string_view, 2> kDirections{"ccw", "cw"};
constexpr std::array<absl::string_view, 3> kFirstDealers{"draw_lowest", "draw_lowest_no_tiebreak",
                                                         "random"};
constexpr std::array<absl::string_view, 1> kDrawSuitOrders{"SHDC"};
constexpr std::array<absl::string_view, 1> kNextDealers{"next_in_direction"};
constexpr std::array<absl::string_view, 1> kRedealDealers{"next"};
constexpr std::array<absl::string_view, 2> kDealersBy{"rotates", "given_by_board"};
constexpr std::array<absl::string_view, 2> kShuffles{"full_by_opposite", "none_between_deals"};
constexpr std::array<absl::string_view, 1> kCutters{"previous_in_direction"};
constexpr std::array<absl::string_view, 3> kDogDeals{"interleaved_singly", "last_cards",
                                                     "removed_from_play"};
constexpr std::array<absl::string_view, 2> kPetitSecs{"mandatory_cancel", "none"};
constexpr std::array<absl::string_view, 2> kTakersBy{"by_auction", "given_by_board"};
constexpr std::array<absl::string_view, 2> kTeams{"taker_against_defence", "everyone_alone"};
constexpr std::array<absl::string_view, 4> kScorings{
    "normal", "one_point_per_court_or_bout",
    "taker_only: v=courts+bouts in his cards; signed v*mult", "taker_only: +-(25+diff)*mult"};
constexpr std::array<absl::string_view, 2> kTrumpDiscards{"only_if_needed_shown", "free"};
constexpr absl::string_view kDiscardForbidden = "[\"king\",\"bout\"]";
constexpr std::array<absl::string_view, 3> kSlamAnnounces{"taker_after_discard",
                                                          "taker_with_contract", "none"};
constexpr std::array<absl::string_view, 2> kCompensations{"half_point_card_always",
                                                          "half_point_card_except_3p"};
constexpr std::array<absl::string_view, 2> kCompensationCards{"any_half_point_card",
                                                              "suit_card_1_to_10"};
constexpr std::array<absl::string_view, 3> kExcuseLastTricks{"changes_camp", "to_trick_winner",
                                                             "never_lost"};
constexpr std::array<absl::string_view, 2> kHandfulOwners{"winner_of_deal", "shower"};
constexpr std::array<absl::string_view, 2> kHandfulExcuses{"only_if_no_hidden_trump",
                                                           "trumps_only"};
constexpr std::array<absl::string_view, 1> kHandfulWhens{"before_own_first_card"};
constexpr std::array<absl::string_view, 2> kPetitModes{"multiplied_bonus", "added_to_card_points"};
constexpr std::array<absl::string_view, 2> kPetitConditions{"petit_in_last_trick",
                                                            "last_trick_won_by_petit"};
constexpr std::array<absl::string_view, 1> kHalfPoints{"to_winner_of_contract"};
constexpr absl::string_view kSplit = "{\"alone\":\"(n-1):-1\",\"partner5\":\"2:1:-1\"}";
constexpr std::array<absl::string_view, 2> kCalls{"king_then_lower_if_all_held", "any_card"};
constexpr std::array<absl::string_view, 3> kSelfCalls{"allowed", "only_with_four_kings",
                                                      "forbidden"};
constexpr std::array<absl::string_view, 1> kCallsInDog{"alone"};
constexpr std::array<absl::string_view, 3> kCallLeads{
    "called_suit_forbidden_except_called_card",
    "called_suit_forbidden_whole_first_trick_unless_led", "free"};
constexpr std::array<absl::string_view, 2> kFiveAlternatives{"none", "dealer_sits_out"};
constexpr std::array<absl::string_view, 1> kExcuseLeds{"next_card_sets_suit"};
constexpr std::array<absl::string_view, 1> kOvertrumps{"mandatory_if_possible"};
constexpr std::array<absl::string_view, 1> kUndertrumps{"mandatory_free_choice"};
constexpr absl::string_view kHouse = "{}";
constexpr absl::string_view kTrue = "true";
constexpr absl::string_view kFalse = "false";

using R = RuleSet;

std::vector<Parameter> DealParameters() {
  return {
      Players(),
      Word<&R::direction, kDirections>("direction",
                                       "Which way the deal, the bids and the play go."),
      Word<&R::first_dealer, kFirstDealers>("first_dealer", "Who deals first."),
      Word<&R::draw_suit_order, kDrawSuitOrders>(
          "draw_suit_order_high_to_low",
          "Order of the suits among equal cards drawn for the deal."),
      Only<&R::draw_excuse_redraw, kTrue>("draw_excuse_redraw",
                                          "Who draws the Excuse draws again."),
      Word<&R::next_dealer, kNextDealers>("next_dealer", "Who deals after a deal that was played."),
      Word<&R::dealer_after_all_pass, kRedealDealers>("dealer_after_all_pass",
                                                      "Who deals when everybody passed."),
      Word<&R::dealer_after_petit_sec, kRedealDealers>("dealer_after_petit_sec",
                                                       "Who deals after a petit sec."),
      Word<&R::shuffle, kShuffles>("shuffle", "Whether the pack is shuffled between deals."),
      Word<&R::cut_by, kCutters>("cut_by", "Who cuts."),
      Number<&R::cut_min>("cut_min", "The smallest part of the pack after the cut, in cards."),
      ByPlayers<&R::packet_size>("deal_packet", "How many cards are dealt at a time."),
      ByPlayers<&R::hand_size>("hand", "Cards of a hand."),
      ByPlayers<&R::dog_size>("dog", "Cards of the dog."),
      Word<&R::dog_deal, kDogDeals>("dog_deal", "How the dog is dealt."),
      Number<&R::dog_forbidden_first>("dog_forbidden_first",
                                      "How many cards from the top never go to the dog."),
      Number<&R::dog_forbidden_last>("dog_forbidden_last",
                                     "How many cards from the bottom never go to the dog."),
      Flag<&R::dog_no_two_consecutive>("dog_no_two_consecutive",
                                       "No two cards that follow each other go to the dog."),
      Word<&R::petit_sec, kPetitSecs>(
          "petit_sec", "Whether the Petit as only trump, without the Excuse, cancels the deal."),
  };
}

std::vector<Parameter> ContractParameters() {
  return {
      Bids(),
      Mult(),
      Number<&R::bid_rounds>("bid_rounds", "How often each speaks: once."),
      ImposedContract(),
      Number<&R::base_points>("base", "What a contract is worth before the difference."),
      Numbers<&R::threshold>("thresholds", "Points that the attack needs with 0, 1, 2, 3 bouts."),
      Word<&R::trump_discard, kTrumpDiscards>(
          "discard_trump", "When a trump may be discarded; needed, it is shown."),
      Only<&R::discard_forbidden, kDiscardForbidden>("discard_forbidden",
                                                     "What may never be discarded."),
      Flag<&R::discard_called_card_allowed>("discard_called_card_allowed",
                                            "Whether the taker may discard the card he called."),
  };
}

std::vector<Parameter> BonusParameters() {
  return {
      Word<&R::slam_announce, kSlamAnnounces>("slam_announce",
                                              "When the taker may announce a slam."),
      Flag<&R::slam_announcer_leads>("slam_announcer_leads",
                                     "Who announces a slam leads the first trick."),
      Only<&R::slam_announcer_becomes_taker, kFalse>(
          "slam_announcer_becomes_taker",
          "Only the taker announces, so nobody becomes it thereby."),
      Number<&R::slam_lost_tricks_max>("slam_lost_tricks_allowed",
                                       "How many tricks a slam of the taker may lose."),
      SlamPoints(),
      Number<&R::slam_defence_points>("slam_defence",
                                      "What the attack pays each for losing every trick."),
      Word<&R::excuse_compensation, kCompensations>(
          "excuse_compensation", "Whether a card is given for an Excuse taken back."),
      Word<&R::excuse_compensation_card, kCompensationCards>(
          "excuse_compensation_card", "Which card that is: always worth half a point."),
      Word<&R::excuse_last_trick, kExcuseLastTricks>(
          "excuse_last_trick", "Who gets an Excuse played to the last trick, but in a slam."),
      Flag<&R::excuse_slam_wins_when_led>(
          "excuse_slam_wins_when_led",
          "Led to the last trick by a camp that has won all others, the Excuse wins it."),
      Flag<&R::excuse_slam_applies_to_defence>("excuse_slam_applies_to_defence",
                                               "The same for a slam of the defence."),
      Only<&R::excuse_slam_must_be_last, kTrue>("excuse_slam_must_be_last",
                                                "Led before the last trick the Excuse loses it."),
      Flag<&R::handful>("handful", "Whether handfuls are shown."),
      ByPlayers<&R::handful_size>("handful_sizes",
                                  "Trumps of a single, double, triple handful, by those who play."),
      Numbers<&R::handful_points>("handful_points",
                                  "What a single, double, triple handful is worth."),
      Word<&R::handful_excuse, kHandfulExcuses>("handful_excuse",
                                                "Whether the Excuse may be shown for a trump."),
      Word<&R::handful_owner, kHandfulOwners>("handful_owner", "Who gets the points of a handful."),
      Word<&R::handful_when, kHandfulWhens>("handful_when", "When a handful is shown."),
      Flag<&R::handful_shown_discard_counts>(
          "handful_may_use_shown_discarded_trumps",
          "Whether trumps that were shown in the discard count for the taker's handful."),
      Number<&R::petit_au_bout_points>("petit_au_bout", "Points for the Petit in the last trick."),
      Word<&R::petit_au_bout_mode, kPetitModes>("petit_au_bout_mode", "How these points count."),
      Word<&R::petit_au_bout_condition, kPetitConditions>(
          "petit_au_bout_condition", "Whether the Petit itself must win the last trick."),
      Flag<&R::petit_au_bout_slam_previous_trick>(
          "petit_au_bout_slam_previous_trick",
          "When the Excuse wins the last trick of a slam, the Petit counts in the one before."),
      Word<&R::half_point, kHalfPoints>("half_point", "Who gets a half point that is left over."),
      Only<&R::split_alone, kSplit>("split", "How a deal is paid: alone, and with a partner."),
  };
}

std::vector<Parameter> CallParameters() {
  return {
      Word<&R::call, kCalls>("call5", "Five players: what may be called."),
      CallRanks(),
      Flag<&R::call_obligatory>("call5_obligatory", "Five players: whether one must call."),
      Word<&R::self_call, kSelfCalls>("call5_self", "Whether one may call a card of one's own."),
      Word<&R::call_card_in_dog, kCallsInDog>("call5_card_in_dog",
                                              "What a called card in the dog means."),
      Word<&R::call_lead, kCallLeads>("call5_first_lead",
                                      "Five players: the called suit in the first trick."),
      Word<&R::five_alternative, kFiveAlternatives>(
          "five_alt", "Five at the table: whether the dealer sits out and four play."),
  };
}

std::vector<Parameter> PlayParameters() {
  return {
      Word<&R::excuse_led, kExcuseLeds>("excuse_led", "What an Excuse led asks for."),
      Word<&R::overtrump, kOvertrumps>("overtrump", "Whether one must rise in trumps."),
      Word<&R::undertrump, kUndertrumps>("undertrump", "What one plays who cannot rise."),
      Number<&R::round_scores_to>("round_scores_to",
                                  "What each pays is rounded to the nearest multiple: 1, 5 or 10."),
      End(),
      Only<&R::house, kHouse>("house", "Further rules of the house: none."),
      Word<&R::teams, kTeams>("teams", "Who plays against whom."),
      Word<&R::scoring, kScorings>("scoring", "How a deal is scored."),
      Word<&R::taker_by, kTakersBy>("taker", "How the taker is found."),
      Word<&R::dealer_by, kDealersBy>("dealer", "How the dealer is found."),
      Flag<&R::pass_allowed>("pass_allowed", "Whether a taker given by the board may pass."),
  };
}

}  // namespace

const std::vector<Parameter>& Parameters() {
  static const auto* const all = [] {
    auto* list = new std::vector<Parameter>;
    for (const auto& part : {DealParameters(), ContractParameters(), BonusParameters(),
                             CallParameters(), PlayParameters()}) {
      list->insert(list->end(), part.begin(), part.end());
    }
    return list;
  }();
  return *all;
}

}  // namespace tarot::rules
