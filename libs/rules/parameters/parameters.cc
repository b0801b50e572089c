#include "libs/rules/parameters/parameters.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/validation.h"

namespace tarot::rules {
namespace {

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", text, "\""); }

// Reads a whole number. Returns false for any other text, and for a number outside the range of T.
template <typename T>
bool ReadNumber(absl::string_view text, T& out) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) return false;
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return false;
  out = static_cast<T>(value);
  return true;
}

template <typename T, std::size_t kSize>
bool ReadNumbers(absl::string_view bare, std::array<T, kSize>& out) {
  const std::vector<absl::string_view> parts = absl::StrSplit(bare, ',');
  if (parts.size() != kSize) return false;
  std::array<T, kSize> read{};
  for (std::size_t i = 0; i < kSize; ++i) {
    if (!ReadNumber(parts[i], read[i])) return false;
  }
  out = read;
  return true;
}

template <auto kMember>
using TypeOf = std::decay_t<decltype(std::declval<RuleSet>().*kMember)>;

// Makes a parameter whose value is one of several words. kTexts has the words, in the order of the
// enum's values.
template <auto kMember, const auto& kTexts>
Parameter Word(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, absl::StrJoin(kTexts, ", "),
          [](const RuleSet& r) { return Quoted(kTexts[static_cast<std::size_t>(r.*kMember)]); },
          [](RuleSet& r, absl::string_view bare) {
            for (std::size_t i = 0; i < kTexts.size(); ++i) {
              if (BareValue(kTexts[i]) != bare) continue;
              r.*kMember = static_cast<TypeOf<kMember>>(i);
              return true;
            }
            return false;
          }};
}

// Makes a parameter that has the same value in every source. kJson is this value. RuleSet has no
// member for it.
template <const absl::string_view& kJson>
Parameter Constant(absl::string_view key, absl::string_view meaning) {
  const bool is_word = kJson.front() == '"';
  return {key, meaning, is_word ? BareValue(kJson) : std::string(kJson),
          [](const RuleSet&) { return std::string(kJson); },
          [](RuleSet&, absl::string_view bare) { return bare == BareValue(kJson); }};
}

template <auto kMember>
Parameter Flag(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "true, false",
          [](const RuleSet& r) { return std::string(r.*kMember ? "true" : "false"); },
          [](RuleSet& r, absl::string_view bare) {
            if (bare != "true" && bare != "false") return false;
            r.*kMember = bare == "true";
            return true;
          }};
}

template <auto kMember>
Parameter Number(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "a whole number", [](const RuleSet& r) { return absl::StrCat(r.*kMember); },
          [](RuleSet& r, absl::string_view bare) { return ReadNumber(bare, r.*kMember); }};
}

template <auto kMember>
Parameter Numbers(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, absl::StrCat(std::tuple_size_v<TypeOf<kMember>>, " whole numbers"),
          [](const RuleSet& r) { return absl::StrCat("[", absl::StrJoin(r.*kMember, ","), "]"); },
          [](RuleSet& r, absl::string_view bare) { return ReadNumbers(bare, r.*kMember); }};
}

// Reads values by player count. For example "3:a,4:b,c" gives "a" for 3 players and "b,c" for 4.
std::optional<std::map<int, std::string>> ReadByPlayers(absl::string_view bare) {
  std::map<int, std::string> values;
  std::string* value = nullptr;
  for (const absl::string_view part : absl::StrSplit(bare, ',')) {
    absl::string_view rest = part;
    if (const std::size_t colon = part.find(':'); colon != absl::string_view::npos) {
      int players = 0;
      if (!ReadNumber(part.substr(0, colon), players)) return std::nullopt;
      if (players < kPlayersMin || players > kPlayersMax) return std::nullopt;
      value = &values[players];
      rest = part.substr(colon + 1);
    }
    if (value == nullptr) return std::nullopt;
    absl::StrAppend(value, value->empty() ? "" : ",", rest);
  }
  return values;
}

template <typename T>
std::string ValueJson(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(value);
  } else {
    return absl::StrCat("[", absl::StrJoin(value, ","), "]");
  }
}

template <typename T>
bool ReadValue(absl::string_view bare, T& out) {
  if constexpr (std::is_integral_v<T>) {
    return ReadNumber(bare, out);
  } else {
    return ReadNumbers(bare, out);
  }
}

template <auto kMember>
Parameter ByPlayers(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "values by player count",
          [](const RuleSet& r) {
            const auto& v = r.*kMember;
            return absl::StrCat("{\"3\":", ValueJson(v[0]), ",\"4\":", ValueJson(v[1]),
                                ",\"5\":", ValueJson(v[2]), "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values = ReadByPlayers(bare);
            if (!values) return false;
            auto read = r.*kMember;
            for (const auto& [players, value] : *values) {
              if (!ReadValue(value, read[static_cast<std::size_t>(players - kPlayersMin)])) {
                return false;
              }
            }
            r.*kMember = read;
            return true;
          }};
}

constexpr std::array<absl::string_view, 2> kEndModes{"deals", "agreed_rounds"};
// The values of call5_ranks. With the first four values, the lowest rank that may be called is 14,
// 13, 12 or 11. With the last value, any card may be called.
constexpr std::array<absl::string_view, 5> kCallRanks{
    "[\"king\"]", "[\"king\",\"queen\"]", "[\"king\",\"queen\",\"knight\"]",
    "[\"king\",\"queen\",\"knight\",\"jack\"]", "[\"any\"]"};

// Reads the members of a JSON object from its bare text (see BareValue), for example "a:1,b:-2".
// Returns the values in the order of `keys`, or nullopt if the keys are not exactly these.
std::optional<std::vector<std::string>> ReadMembers(absl::string_view bare,
                                                    std::initializer_list<absl::string_view> keys) {
  std::map<absl::string_view, absl::string_view> members;
  for (const absl::string_view part : absl::StrSplit(bare, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == absl::string_view::npos) return std::nullopt;
    members[part.substr(0, colon)] = part.substr(colon + 1);
  }
  std::vector<std::string> values;
  for (const absl::string_view key : keys) {
    if (members.count(key) == 0) return std::nullopt;
    values.emplace_back(members[key]);
  }
  if (members.size() != keys.size()) return std::nullopt;
  return values;
}

Parameter Players() {
  return {"players", "The numbers of players.", "consecutive counts of 3, 4, 5",
          [](const RuleSet& r) {
            std::vector<int> counts;
            for (int n = r.players_min; n <= r.players_max; ++n) counts.push_back(n);
            return absl::StrCat("[", absl::StrJoin(counts, ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            const std::vector<absl::string_view> parts = absl::StrSplit(bare, ',');
            std::vector<std::uint8_t> counts(parts.size());
            for (std::size_t i = 0; i < parts.size(); ++i) {
              if (!ReadNumber(parts[i], counts[i])) return false;
              if (i > 0 && counts[i] != counts[i - 1] + 1) return false;
            }
            r.players_min = counts.front();
            r.players_max = counts.back();
            return true;
          }};
}

Parameter Bids() {
  return {"bids", "The possible bids, from the lowest.",
          "some of prise, garde, garde_sans, garde_contre, in this order",
          [](const RuleSet& r) {
            std::vector<std::string> bids;
            for (int c = 1; c < 5; ++c) {
              const auto contract = static_cast<Contract>(c);
              if (r.AllowsBid(contract)) bids.push_back(Quoted(ContractText(contract)));
            }
            return absl::StrCat("[", absl::StrJoin(bids, ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            unsigned bids = 0;
            for (const absl::string_view part : absl::StrSplit(bare, ',', absl::SkipEmpty())) {
              const std::optional<Contract> contract = ParseContract(part);
              const unsigned bit = contract ? 1u << static_cast<int>(*contract) : 0;
              // Refuses an unknown bid, a pass, and a bid out of order.
              if (bit <= 1 || bit <= bids) return false;
              bids |= bit;
            }
            r.bids = static_cast<std::uint8_t>(bids);
            return true;
          }};
}

Parameter Mult() {
  return {"mult", "The multipliers of prise, garde, garde_sans, garde_contre.", "4 whole numbers",
          [](const RuleSet& r) {
            return absl::StrCat(
                "[", absl::StrJoin(r.multiplier.begin() + 1, r.multiplier.end(), ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            std::array<std::uint8_t, 4> read{};
            if (!ReadNumbers(bare, read)) return false;
            std::copy(read.begin(), read.end(), r.multiplier.begin() + 1);
            return true;
          }};
}

Parameter ImposedContract() {
  return {"imposed_contract", "The contract of every deal, without an auction.",
          "null, prise, garde, garde_sans, garde_contre",
          [](const RuleSet& r) {
            const bool none = r.imposed_contract == Contract::kPass;
            return none ? std::string("null") : Quoted(ContractText(r.imposed_contract));
          },
          [](RuleSet& r, absl::string_view bare) {
            const std::optional<Contract> contract =
                bare == "null" ? Contract::kPass : ParseContract(bare);
            if (!contract || bare == ContractText(Contract::kPass)) return false;
            r.imposed_contract = *contract;
            return true;
          }};
}

Parameter CallRanks() {
  return {"call5_ranks", "Five players: the ranks that may be called.",
          absl::StrJoin(kCallRanks, "; "),
          [](const RuleSet& r) {
            const int at = r.call_rank_min >= 11 ? 14 - r.call_rank_min : 4;
            return std::string(kCallRanks[static_cast<std::size_t>(at)]);
          },
          [](RuleSet& r, absl::string_view bare) {
            for (std::size_t i = 0; i < kCallRanks.size(); ++i) {
              if (BareValue(kCallRanks[i]) != bare) continue;
              r.call_rank_min = static_cast<std::uint8_t>(i < 4 ? 14 - i : 1);
              return true;
            }
            return false;
          }};
}

Parameter SlamPoints() {
  return {"slam_points", "The points that each opponent pays for a slam of the taker.",
          "announced_made, unannounced_made and announced_failed, each a whole number",
          [](const RuleSet& r) {
            return absl::StrCat("{\"announced_made\":", r.slam_announced_points,
                                ",\"unannounced_made\":", r.slam_unannounced_points,
                                ",\"announced_failed\":", r.slam_failed_points, "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values =
                ReadMembers(bare, {"announced_made", "unannounced_made", "announced_failed"});
            RuleSet read = r;
            const bool ok = values && ReadNumber((*values)[0], read.slam_announced_points) &&
                            ReadNumber((*values)[1], read.slam_unannounced_points) &&
                            ReadNumber((*values)[2], read.slam_failed_points);
            if (ok) r = read;
            return ok;
          }};
}

Parameter End() {
  return {"end", "When a match ends: after so many deals, or as agreed.",
          "mode deals with a default of 1 or more, or mode agreed_rounds with default null",
          [](const RuleSet& r) {
            const std::string count = r.end_default == 0 ? "null" : absl::StrCat(r.end_default);
            return absl::StrCat(
                "{\"mode\":", Quoted(kEndModes[static_cast<std::size_t>(r.end_mode)]),
                ",\"default\":", count, "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values = ReadMembers(bare, {"mode", "default"});
            if (!values) return false;
            const auto mode = std::find(kEndModes.begin(), kEndModes.end(), (*values)[0]);
            if (mode == kEndModes.end()) return false;
            std::uint8_t count = 0;
            if ((*values)[1] != "null" && (!ReadNumber((*values)[1], count) || count == 0)) {
              return false;
            }
            r.end_mode = static_cast<EndMode>(mode - kEndModes.begin());
            r.end_default = count;
            return true;
          }};
}

constexpr std::array<absl::string_view, 2> kDirections{"ccw", "cw"};
constexpr std::array<absl::string_view, 3> kFirstDealers{"draw_lowest", "draw_lowest_no_tiebreak",
                                                         "random"};
constexpr absl::string_view kDrawSuitOrder = "\"SHDC\"";
constexpr absl::string_view kNextDealer = "\"next_in_direction\"";
constexpr absl::string_view kRedealDealer = "\"next\"";
constexpr std::array<absl::string_view, 2> kDealersBy{"rotates", "given_by_board"};
constexpr std::array<absl::string_view, 2> kShuffles{"full_by_opposite", "none_between_deals"};
constexpr absl::string_view kCutter = "\"previous_in_direction\"";
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
constexpr std::array<absl::string_view, 4> kExcuseLastTricks{"changes_camp", "to_trick_winner",
                                                             "never_lost", "lost_only_to_slam"};
constexpr std::array<absl::string_view, 2> kHandfulOwners{"winner_of_deal", "shower"};
constexpr std::array<absl::string_view, 2> kHandfulExcuses{"only_if_no_hidden_trump",
                                                           "trumps_only"};
constexpr absl::string_view kHandfulWhen = "\"before_own_first_card\"";
constexpr std::array<absl::string_view, 2> kPetitModes{"multiplied_bonus", "added_to_card_points"};
constexpr std::array<absl::string_view, 3> kPetitConditions{
    "petit_in_last_trick", "last_trick_won_by_petit", "last_trick_won_by_camp_of_petit"};
constexpr absl::string_view kHalfPoint = "\"to_winner_of_contract\"";
constexpr absl::string_view kSplit = "{\"alone\":\"(n-1):-1\",\"partner5\":\"2:1:-1\"}";
constexpr std::array<absl::string_view, 2> kCalls{"king_then_lower_if_all_held", "any_card"};
constexpr std::array<absl::string_view, 3> kSelfCalls{"allowed", "only_with_four_kings",
                                                      "forbidden"};
constexpr absl::string_view kCallInDog = "\"alone\"";
constexpr std::array<absl::string_view, 3> kCallLeads{
    "called_suit_forbidden_except_called_card",
    "called_suit_forbidden_whole_first_trick_unless_led", "free"};
constexpr std::array<absl::string_view, 2> kFiveAlternatives{"none", "dealer_sits_out"};
constexpr std::array<absl::string_view, 2> kDogsOpen{"until_first_card", "whole_deal"};
constexpr std::array<absl::string_view, 2> kDiscardsOpen{"closed", "to_taker"};
constexpr std::array<absl::string_view, 2> kHandfulsOpen{"first_trick", "whole_deal"};
constexpr std::array<absl::string_view, 3> kTricksOpen{"all", "last", "none"};
constexpr absl::string_view kExcuseLed = "\"next_card_sets_suit\"";
constexpr absl::string_view kOvertrump = "\"mandatory_if_possible\"";
constexpr absl::string_view kUndertrump = "\"mandatory_free_choice\"";
constexpr absl::string_view kHouse = "{}";
constexpr absl::string_view kOnce = "1";
constexpr absl::string_view kTrue = "true";
constexpr absl::string_view kFalse = "false";

using R = RuleSet;

std::vector<Parameter> DealParameters() {
  return {
      Players(),
      Word<&R::direction, kDirections>("direction",
                                       "The direction in which cards are dealt, bid and played."),
      Word<&R::first_dealer, kFirstDealers>("first_dealer", "How the first dealer is found."),
      Constant<kDrawSuitOrder>("draw_suit_order_high_to_low",
                               "The order of suits among equal ranks in the draw for the dealer."),
      Constant<kTrue>("draw_excuse_redraw", "A player that draws the Excuse draws again."),
      Constant<kNextDealer>("next_dealer", "The dealer after a deal that was played."),
      Constant<kRedealDealer>("dealer_after_all_pass",
                              "The dealer after a deal that all players passed."),
      Constant<kRedealDealer>("dealer_after_petit_sec", "The dealer after a petit sec."),
      Word<&R::shuffle, kShuffles>("shuffle", "Whether the pack is shuffled between deals."),
      Constant<kCutter>("cut_by", "The player that cuts the pack."),
      Number<&R::cut_min>("cut_min", "The smallest number of cards in each part of the cut pack."),
      ByPlayers<&R::packet_size>("deal_packet", "How many cards are dealt at a time."),
      ByPlayers<&R::hand_size>("hand", "Cards of a hand."),
      ByPlayers<&R::dog_size>("dog", "Cards of the dog."),
      Word<&R::dog_deal, kDogDeals>("dog_deal", "How the dog is dealt."),
      Number<&R::dog_forbidden_first>("dog_forbidden_first",
                                      "How many cards from the top never go to the dog."),
      Number<&R::dog_forbidden_last>("dog_forbidden_last",
                                     "How many cards from the bottom never go to the dog."),
      Flag<&R::dog_no_two_consecutive>(
          "dog_no_two_consecutive",
          "Whether two consecutive cards of the pack may not both go to the dog."),
      Word<&R::petit_sec, kPetitSecs>(
          "petit_sec", "Whether the Petit as only trump, without the Excuse, cancels the deal."),
  };
}

std::vector<Parameter> ContractParameters() {
  return {
      Bids(),
      Mult(),
      Constant<kOnce>("bid_rounds", "How often each player bids."),
      ImposedContract(),
      Number<&R::base_points>("base", "The points of a contract without the difference."),
      Numbers<&R::threshold>("thresholds", "Points that the attack needs with 0, 1, 2, 3 bouts."),
      Word<&R::trump_discard, kTrumpDiscards>(
          "discard_trump", "When a trump may be discarded. A trump that must go is shown."),
      Constant<kDiscardForbidden>("discard_forbidden", "The cards that may never be discarded."),
      Flag<&R::discard_called_card_allowed>("discard_called_card_allowed",
                                            "Whether the taker may discard the called card."),
  };
}

std::vector<Parameter> BonusParameters() {
  return {
      Word<&R::slam_announce, kSlamAnnounces>("slam_announce",
                                              "When the taker may announce a slam."),
      Flag<&R::slam_announcer_leads>(
          "slam_announcer_leads", "Whether a taker that announces a slam leads the first trick."),
      Constant<kFalse>("slam_announcer_becomes_taker",
                       "An announcement never changes the taker: only the taker announces."),
      Number<&R::slam_lost_tricks_max>("slam_lost_tricks_allowed",
                                       "How many tricks a slam of the taker may lose."),
      SlamPoints(),
      Number<&R::slam_defence_points>(
          "slam_defence",
          "The points that the attack pays each defender when it loses every trick."),
      Word<&R::excuse_compensation, kCompensations>(
          "excuse_compensation", "When the camp that takes its Excuse back gives a card for it."),
      Word<&R::excuse_compensation_card, kCompensationCards>(
          "excuse_compensation_card",
          "The card that a camp gives for its Excuse, always worth half a point."),
      Word<&R::excuse_last_trick, kExcuseLastTricks>(
          "excuse_last_trick",
          "The camp that gets an Excuse played to the last trick, except in a slam."),
      Flag<&R::excuse_slam_wins_when_led>(
          "excuse_slam_wins_when_led",
          "Whether the Excuse wins the last trick when a camp that won all others leads it."),
      Flag<&R::excuse_slam_wins_when_partner_leads>(
          "excuse_slam_wins_when_partner_leads",
          "Whether the Excuse also wins that trick when the partner of its player leads it; "
          "without "
          "effect if excuse_slam_wins_when_led is false."),
      Flag<&R::excuse_slam_applies_to_defence>(
          "excuse_slam_applies_to_defence",
          "Whether the rules for the Excuse in a slam also apply to the defence."),
      Constant<kTrue>("excuse_slam_must_be_last", "The Excuse wins no trick before the last one."),
      Flag<&R::handful>("handful", "Whether handfuls are shown."),
      ByPlayers<&R::handful_size>(
          "handful_sizes",
          "The trumps of a single, double, triple handful, by the number of hands."),
      Numbers<&R::handful_points>("handful_points",
                                  "The points of a single, double, triple handful."),
      Word<&R::handful_excuse, kHandfulExcuses>("handful_excuse",
                                                "When the Excuse may be shown as a trump."),
      Word<&R::handful_owner, kHandfulOwners>("handful_owner",
                                              "The camp that gets the points of a handful."),
      Constant<kHandfulWhen>("handful_when", "When a handful is shown."),
      Flag<&R::handful_shown_discard_counts>(
          "handful_may_use_shown_discarded_trumps",
          "Whether trumps shown in the discard count for the taker's handful."),
      Number<&R::petit_au_bout_points>("petit_au_bout",
                                       "The points for the Petit in the last trick."),
      Word<&R::petit_au_bout_mode, kPetitModes>("petit_au_bout_mode",
                                                "How the points for the Petit au bout count."),
      Word<&R::petit_au_bout_condition, kPetitConditions>(
          "petit_au_bout_condition",
          "The winner of the last trick that the Petit au bout needs: any, the Petit, or its "
          "camp."),
      Flag<&R::petit_au_bout_slam_previous_trick>("petit_au_bout_slam_previous_trick",
                                                  "Whether the Petit counts in the trick before, "
                                                  "when the Excuse wins the last trick of a slam."),
      Constant<kHalfPoint>("half_point", "The side that gets a half point that is left over."),
      Constant<kSplit>("split", "How the points are shared: taker alone, and with a partner."),
  };
}

std::vector<Parameter> CallParameters() {
  return {
      Word<&R::call, kCalls>("call5", "Five players: the cards that may be called."),
      CallRanks(),
      Flag<&R::call_obligatory>("call5_obligatory",
                                "Five players: whether the taker must call a card."),
      Word<&R::self_call, kSelfCalls>("call5_self",
                                      "Five players: whether the taker may call a card in hand."),
      Constant<kCallInDog>("call5_card_in_dog",
                           "Five players: the taker's side when the called card is in the dog."),
      Word<&R::call_lead, kCallLeads>(
          "call5_first_lead",
          "Five players: whether the called suit may be played to the first trick."),
      Word<&R::five_alternative, kFiveAlternatives>(
          "five_alt", "Five at the table: whether the dealer sits out and four play."),
  };
}

std::vector<Parameter> PlayParameters() {
  return {
      Constant<kExcuseLed>("excuse_led", "The suit to follow when the Excuse is led."),
      Constant<kOvertrump>("overtrump", "Whether a player must overtrump."),
      Constant<kUndertrump>("undertrump",
                            "The choice of a player that must trump and cannot overtrump."),
      Word<&R::dog_open, kDogsOpen>("dog_open",
                                    "How long players may look at a dog that was turned up."),
      Word<&R::discard_open, kDiscardsOpen>(
          "discard_open",
          "Whether the taker may look at the discard. The other players never may."),
      Word<&R::handful_open, kHandfulsOpen>("handful_open",
                                            "How long players may look at a handful."),
      Word<&R::tricks_open, kTricksOpen>(
          "tricks_open",
          "The tricks at which players may look, besides the trick on the table. `last` is the "
          "trick before it."),
      Number<&R::round_scores_to>(
          "round_scores_to",
          "Each payment is rounded to the nearest multiple of this: 1, 5 or 10."),
      End(),
      Constant<kHouse>("house", "Further rules of the house: none."),
      Word<&R::teams, kTeams>("teams", "The camps of a deal."),
      Word<&R::scoring, kScorings>("scoring", "How a deal is scored."),
      Word<&R::taker_by, kTakersBy>("taker", "How the taker is found."),
      Word<&R::dealer_by, kDealersBy>("dealer", "How the dealer is found."),
      Flag<&R::pass_allowed>("pass_allowed", "Whether a taker given by the board may pass."),
  };
}

// Returns the rule set that an old text describes. An old version stored this text without the
// parameters that say which cards stay open (dog_open, discard_open, handful_open, tricks_open). If
// the other values are those of a named rule set, returns this named rule set. If not, returns
// `rules` unchanged. These four parameters do not affect the state of a deal. So whatever their
// values are, the log of an old deal gives the same deal.
RuleSet WithOpenCardsOfItsName(const RuleSet& rules) {
  for (const NamedRuleSet& named : RuleSets()) {
    RuleSet complete = rules;
    complete.dog_open = named.rules.dog_open;
    complete.discard_open = named.rules.discard_open;
    complete.handful_open = named.rules.handful_open;
    complete.tricks_open = named.rules.tricks_open;
    if (complete == named.rules) return complete;
  }
  return rules;
}

}  // namespace

std::string BareValue(absl::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (absl::string_view("\"[]{} \t\r\n").find(c) == absl::string_view::npos) bare += c;
  }
  return bare;
}

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

const Parameter* FindParameter(absl::string_view key) {
  for (const Parameter& parameter : Parameters()) {
    if (parameter.key == key) return &parameter;
  }
  return nullptr;
}

absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value) {
  const Parameter* parameter = FindParameter(key);
  if (parameter == nullptr) return BadRequest(key, "no such parameter");
  if (parameter->set(rules, BareValue(value))) return absl::OkStatus();
  return BadRequest(key, absl::StrCat("takes ", parameter->allowed));
}

std::string RuleSetJson(const RuleSet& rules, absl::string_view indent) {
  std::string json = "{";
  for (const Parameter& parameter : Parameters()) {
    absl::StrAppend(&json, json.size() > 1 ? "," : "", "\n", indent, "  \"", parameter.key,
                    "\": ", parameter.get(rules));
  }
  return absl::StrCat(json, "\n", indent, "}");
}

namespace {

// Returns the parameters in which `rules` differs from `base`, in the form that ParseRuleSet reads.
std::vector<std::string> Differences(const RuleSet& rules, const RuleSet& base) {
  std::vector<std::string> differences;
  for (const Parameter& parameter : Parameters()) {
    const std::string value = parameter.get(rules);
    if (value == parameter.get(base)) continue;
    differences.push_back(absl::StrCat(" +", parameter.key, "=", BareValue(value)));
  }
  return differences;
}

}  // namespace

std::string RuleSetText(const RuleSet& rules) {
  for (const NamedRuleSet& named : RuleSets()) {
    if (named.rules == rules) return std::string(named.name);
  }
  return absl::StrCat("fft", absl::StrJoin(Differences(rules, RuleSet()), ""));
}

std::string NearestRuleSetText(const RuleSet& rules) {
  absl::string_view nearest;
  std::vector<std::string> fewest;
  for (const NamedRuleSet& named : RuleSets()) {
    std::vector<std::string> differences = Differences(rules, named.rules);
    if (!nearest.empty() && differences.size() >= fewest.size()) continue;
    nearest = named.name;
    fewest = std::move(differences);
  }
  return absl::StrCat(nearest, absl::StrJoin(fewest, ""));
}

absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  const NamedRuleSet* base = FindRuleSet(words[0]);
  if (base == nullptr) return BadRequest("rule_set", "no rule set has that name");
  RuleSet rules = base->rules;
  std::set<absl::string_view> seen;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (words[i].empty() || words[i][0] != '+' || equals == absl::string_view::npos) {
      return BadRequest("rule_set", "NAME +parameter=value +parameter=value ...");
    }
    const absl::string_view key = words[i].substr(1, equals - 1);
    TAROT_RETURN_IF_ERROR(SetParameter(rules, key, words[i].substr(equals + 1)));
    if (!seen.insert(key).second) return BadRequest(key, "is given twice");
  }
  TAROT_RETURN_IF_ERROR(CheckRuleSet(rules));
  return rules;
}

std::string EncodeRuleSet(const RuleSet& rules) {
  std::string bytes;
  for (const Parameter& parameter : Parameters()) {
    absl::StrAppend(&bytes, bytes.empty() ? "" : " ", parameter.key, "=",
                    BareValue(parameter.get(rules)));
  }
  return bytes;
}

std::optional<RuleSet> DecodeRuleSet(absl::string_view bytes) {
  RuleSet rules;
  // Older versions did not store this parameter. They played as if its value were false.
  rules.excuse_slam_wins_when_partner_leads = false;
  bool knows_open_cards = false;
  for (const absl::string_view word : absl::StrSplit(bytes, ' ')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (!SetParameter(rules, parts.first, parts.second).ok()) return std::nullopt;
    knows_open_cards = knows_open_cards || parts.first == "tricks_open";
  }
  return knows_open_cards ? rules : WithOpenCardsOfItsName(rules);
}

}  // namespace tarot::rules
