#include "libs/wire/rule_set.h"

#include <array>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/generated_enum_reflection.h"
#include "google/protobuf/unknown_field_set.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/validation.h"
#include "libs/wire/convert.h"

namespace tarot::wire {
namespace {

// The parameters, grouped by kind. Each row has the field of the proto and the member of
// rules::RuleSet. An enum of the proto has the same values in the same order, but counts from 1;
// its zero means "not set".
#define TAROT_RULE_ENUMS(X)                             \
  X(direction, direction)                               \
  X(first_dealer, first_dealer)                         \
  X(shuffle, shuffle)                                   \
  X(dog_deal, dog_deal)                                 \
  X(petit_sec, petit_sec)                               \
  X(five_alt, five_alternative)                         \
  X(dealer, dealer_by)                                  \
  X(taker, taker_by)                                    \
  X(teams, teams)                                       \
  X(call5, call)                                        \
  X(call5_self, self_call)                              \
  X(call5_first_lead, call_lead)                        \
  X(discard_trump, trump_discard)                       \
  X(slam_announce, slam_announce)                       \
  X(handful_owner, handful_owner)                       \
  X(handful_excuse, handful_excuse)                     \
  X(excuse_compensation, excuse_compensation)           \
  X(excuse_compensation_card, excuse_compensation_card) \
  X(excuse_last_trick, excuse_last_trick)               \
  X(petit_au_bout_mode, petit_au_bout_mode)             \
  X(petit_au_bout_condition, petit_au_bout_condition)   \
  X(scoring, scoring)                                   \
  X(dog_open, dog_open)                                 \
  X(discard_open, discard_open)                         \
  X(handful_open, handful_open)                         \
  X(tricks_open, tricks_open)                           \
  X(end_mode, end_mode)

#define TAROT_RULE_FLAGS(X)                                                   \
  X(dog_no_two_consecutive, dog_no_two_consecutive)                           \
  X(pass_allowed, pass_allowed)                                               \
  X(call5_obligatory, call_obligatory)                                        \
  X(discard_called_card_allowed, discard_called_card_allowed)                 \
  X(slam_announcer_leads, slam_announcer_leads)                               \
  X(handful, handful)                                                         \
  X(handful_may_use_shown_discarded_trumps, handful_shown_discard_counts)     \
  X(excuse_slam_wins_when_led, excuse_slam_wins_when_led)                     \
  X(excuse_slam_wins_when_partner_leads, excuse_slam_wins_when_partner_leads) \
  X(excuse_slam_applies_to_defence, excuse_slam_applies_to_defence)           \
  X(petit_au_bout_slam_previous_trick, petit_au_bout_slam_previous_trick)

#define TAROT_RULE_NUMBERS(X)                       \
  X(cut_min, cut_min)                               \
  X(dog_forbidden_first, dog_forbidden_first)       \
  X(dog_forbidden_last, dog_forbidden_last)         \
  X(slam_lost_tricks_allowed, slam_lost_tricks_max) \
  X(slam_defence, slam_defence_points)              \
  X(petit_au_bout, petit_au_bout_points)            \
  X(base, base_points)                              \
  X(round_scores_to, round_scores_to)               \
  X(end_default, end_default)

#define TAROT_RULE_BY_PLAYERS(X) \
  X(deal_packet, packet_size)    \
  X(hand, hand_size)             \
  X(dog, dog_size)

#define TAROT_RULE_LISTS(X)         \
  X(handful_points, handful_points) \
  X(thresholds, threshold)

// A field of an earlier version of the message. Its parameter has the same value in every rule set,
// so the message no longer has this field. Older clients still send such fields, and older records
// contain them.
struct ConstantField {
  int number;
  const char* name;
  std::uint64_t value;
  const char* json_name;
  const char* json_value;  // The value in JSON, in lower case.
};
constexpr ConstantField kConstantFields[] = {
    {5, "draw_suit_order_high_to_low", 1, "drawSuitOrderHighToLow", "draw_suit_order_shdc"},
    {6, "draw_excuse_redraw", 1, "drawExcuseRedraw", "true"},
    {7, "next_dealer", 1, "nextDealer", "next_dealer_next_in_direction"},
    {8, "dealer_after_all_pass", 1, "dealerAfterAllPass", "redeal_dealer_next"},
    {9, "dealer_after_petit_sec", 1, "dealerAfterPetitSec", "redeal_dealer_next"},
    {11, "cut_by", 1, "cutBy", "cut_by_previous_in_direction"},
    {27, "bid_rounds", 1, "bidRounds", "1"},
    {34, "call5_card_in_dog", 1, "call5CardInDog", "call_in_dog_alone"},
    {37, "discard_forbidden", 1, "discardForbidden", "discard_forbidden_king_bout"},
    {41, "slam_announcer_becomes_taker", 0, "slamAnnouncerBecomesTaker", "false"},
    {45, "excuse_led", 1, "excuseLed", "excuse_led_next_card_sets_suit"},
    {46, "overtrump", 1, "overtrump", "overtrump_mandatory_if_possible"},
    {47, "undertrump", 1, "undertrump", "undertrump_mandatory_free_choice"},
    {53, "handful_when", 1, "handfulWhen", "handful_when_before_own_first_card"},
    {60, "excuse_slam_must_be_last", 1, "excuseSlamMustBeLast", "true"},
    {68, "half_point", 1, "halfPoint", "half_point_to_winner_of_contract"},
    {69, "split_alone", 1, "splitAlone", "split_alone_each_pays_taker"},
    {70, "split_partner5", 1, "splitPartner5", "split_partner_two_one_minus_one"},
    {74, "house", 1, "house", "house_none"},
};

constexpr absl::string_view kOneValue = "this parameter has only one value";

using Numbers = google::protobuf::RepeatedField<std::uint32_t>;

// The place of a value in the message, for errors.
struct Place {
  absl::string_view path;  // The path of the message, for example "rules".
  const char* field;       // The field, for example "cut_min".

  absl::Status Bad(absl::string_view why) const {
    return BadRequest(absl::StrCat(path, ".", field), why);
  }
};

template <typename Number>
absl::Status DecodeNumber(std::int64_t value, const Place& place, Number* out) {
  constexpr auto kLimits =
      std::pair(std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
  if (value < kLimits.first || value > kLimits.second) {
    return place.Bad(absl::StrCat(+kLimits.first, " to ", +kLimits.second));
  }
  *out = static_cast<Number>(value);
  return absl::OkStatus();
}

template <std::size_t kSize>
absl::Status DecodeList(const Numbers& in, const Place& place,
                        std::array<std::uint8_t, kSize>* out) {
  if (in.empty()) return absl::OkStatus();
  if (in.size() != static_cast<int>(kSize)) return place.Bad(absl::StrCat(kSize, " numbers"));
  for (std::size_t i = 0; i < kSize; ++i) {
    TAROT_RETURN_IF_ERROR(DecodeNumber(in.Get(static_cast<int>(i)), place, &(*out)[i]));
  }
  return absl::OkStatus();
}

void EncodeList(absl::Span<const std::uint8_t> in, Numbers* out) {
  for (const std::uint8_t number : in) out->Add(number);
}

template <typename Wire, typename Domain>
absl::Status DecodeEnum(Wire value, const Place& place, Domain* out) {
  static const int kCount = google::protobuf::GetEnumDescriptor<Wire>()->value_count();
  if (value < 0 || value >= kCount) return place.Bad("no such value");
  if (value != 0) *out = static_cast<Domain>(value - 1);
  return absl::OkStatus();
}

absl::Status DecodeByPlayers(const v1::RuleSet::ByPlayers& in, const Place& place,
                             std::array<std::uint8_t, 3>* out) {
  const std::array<std::uint32_t, 3> given{in.three(), in.four(), in.five()};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != 0) TAROT_RETURN_IF_ERROR(DecodeNumber(given[i], place, &(*out)[i]));
  }
  return absl::OkStatus();
}

void EncodeByPlayers(const std::array<std::uint8_t, 3>& in, v1::RuleSet::ByPlayers* out) {
  out->set_three(in[0]);
  out->set_four(in[1]);
  out->set_five(in[2]);
}

absl::Status DecodeSimple(const v1::RuleSet& in, absl::string_view path, rules::RuleSet* out) {
#define X(field, member) \
  TAROT_RETURN_IF_ERROR(DecodeEnum(in.field(), {path, #field}, &out->member));
  TAROT_RULE_ENUMS(X)
#undef X
#define X(field, member) \
  if (in.has_##field()) out->member = in.field();
  TAROT_RULE_FLAGS(X)
#undef X
#define X(field, member)                                                           \
  if (in.has_##field()) {                                                          \
    TAROT_RETURN_IF_ERROR(DecodeNumber(in.field(), {path, #field}, &out->member)); \
  }
  TAROT_RULE_NUMBERS(X)
#undef X
#define X(field, member) \
  TAROT_RETURN_IF_ERROR(DecodeByPlayers(in.field(), {path, #field}, &out->member));
  TAROT_RULE_BY_PLAYERS(X)
#undef X
#define X(field, member) \
  TAROT_RETURN_IF_ERROR(DecodeList(in.field(), {path, #field}, &out->member));
  TAROT_RULE_LISTS(X)
#undef X
  return absl::OkStatus();
}

// The next functions decode the parameters that the macros TAROT_RULE_... do not list.

absl::Status DecodePlayers(const Numbers& in, const Place& place, rules::RuleSet* out) {
  if (in.empty()) return absl::OkStatus();
  for (int i = 1; i < in.size(); ++i) {
    if (in[i] != in[i - 1] + 1) return place.Bad("must be consecutive counts");
  }
  TAROT_RETURN_IF_ERROR(DecodeNumber(in[0], place, &out->players_min));
  return DecodeNumber(in[in.size() - 1], place, &out->players_max);
}

absl::Status DecodeBids(const v1::RuleSet::Bids& in, const Place& place, rules::RuleSet* out) {
  unsigned bids = 0;
  for (const int bid : in.contracts()) {
    TAROT_ASSIGN_OR_RETURN(
        const rules::Contract contract,
        DecodeContract(static_cast<v1::Contract>(bid), absl::StrCat(place.path, ".", place.field)));
    if (contract == rules::Contract::kPass) return place.Bad("must not contain a pass");
    const unsigned bit = 1u << static_cast<int>(contract);
    if (bit <= bids) return place.Bad("must be in rising order, each bid at most once");
    bids |= bit;
  }
  out->bids = static_cast<std::uint8_t>(bids);
  return absl::OkStatus();
}

absl::Status DecodeMult(const Numbers& in, const Place& place, rules::RuleSet* out) {
  std::array<std::uint8_t, 4> mult{};
  if (in.empty()) return absl::OkStatus();
  TAROT_RETURN_IF_ERROR(DecodeList(in, place, &mult));
  std::copy(mult.begin(), mult.end(), out->multiplier.begin() + 1);
  return absl::OkStatus();
}

absl::Status DecodeHandfulSizes(const v1::RuleSet::HandfulSizes& in, const Place& place,
                                rules::RuleSet* out) {
  TAROT_RETURN_IF_ERROR(DecodeList(in.three(), place, &out->handful_size[0]));
  TAROT_RETURN_IF_ERROR(DecodeList(in.four(), place, &out->handful_size[1]));
  return DecodeList(in.five(), place, &out->handful_size[2]);
}

absl::Status DecodeSlamPoints(const v1::RuleSet::SlamPoints& in, const Place& place,
                              rules::RuleSet* out) {
  TAROT_RETURN_IF_ERROR(DecodeNumber(in.announced_made(), place, &out->slam_announced_points));
  TAROT_RETURN_IF_ERROR(DecodeNumber(in.unannounced_made(), place, &out->slam_unannounced_points));
  return DecodeNumber(in.announced_failed(), place, &out->slam_failed_points);
}

// Sets call_rank_min, the lowest rank that may be called. CALL_RANKS_KING gives 14, and so on down
// to CALL_RANKS_KING_QUEEN_KNIGHT_JACK, which gives 11. CALL_RANKS_ANY gives 1.
absl::Status DecodeCallRanks(v1::RuleSet::CallRanks in, const Place& place, rules::RuleSet* out) {
  if (in < 0 || in > v1::RuleSet::CALL_RANKS_ANY) return place.Bad("no such value");
  if (in == v1::RuleSet::CALL_RANKS_UNSPECIFIED) return absl::OkStatus();
  out->call_rank_min =
      static_cast<std::uint8_t>(in == v1::RuleSet::CALL_RANKS_ANY ? 1 : 15 - static_cast<int>(in));
  return absl::OkStatus();
}

absl::Status DecodeOwnForms(const v1::RuleSet& in, absl::string_view path, rules::RuleSet* out) {
  TAROT_RETURN_IF_ERROR(DecodePlayers(in.players(), {path, "players"}, out));
  if (in.has_bids()) TAROT_RETURN_IF_ERROR(DecodeBids(in.bids(), {path, "bids"}, out));
  TAROT_RETURN_IF_ERROR(DecodeMult(in.mult(), {path, "mult"}, out));
  TAROT_RETURN_IF_ERROR(DecodeHandfulSizes(in.handful_sizes(), {path, "handful_sizes"}, out));
  if (in.has_slam_points()) {
    TAROT_RETURN_IF_ERROR(DecodeSlamPoints(in.slam_points(), {path, "slam_points"}, out));
  }
  TAROT_RETURN_IF_ERROR(DecodeCallRanks(in.call5_ranks(), {path, "call5_ranks"}, out));
  if (in.imposed_contract() != v1::CONTRACT_UNSPECIFIED) {
    TAROT_ASSIGN_OR_RETURN(
        out->imposed_contract,
        DecodeContract(in.imposed_contract(), absl::StrCat(path, ".imposed_contract")));
  }
  return absl::OkStatus();
}

// Returns an error if one of kConstantFields is set and its value is not the constant.
absl::Status CheckConstants(const v1::RuleSet& in, absl::string_view path) {
  const google::protobuf::UnknownFieldSet& unknown = in.GetReflection()->GetUnknownFields(in);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    for (const ConstantField& constant : kConstantFields) {
      if (field.number() != constant.number) continue;
      const bool same = field.type() == google::protobuf::UnknownField::TYPE_VARINT &&
                        field.varint() == constant.value;
      if (!same) return Place{path, constant.name}.Bad(kOneValue);
    }
  }
  return absl::OkStatus();
}

// Returns a JSON scalar as text, in the form of ConstantField::json_value.
std::string JsonScalar(const google::protobuf::Value& value) {
  if (value.has_bool_value()) return value.bool_value() ? "true" : "false";
  if (value.has_number_value()) return absl::StrCat(value.number_value());
  return absl::AsciiStrToLower(value.string_value());
}

// Returns the first contradiction of Validate() as an error that names the fields, or OK if there
// is none.
absl::Status Contradiction(const rules::RuleSet& rules, absl::string_view path) {
  const std::vector<rules::Contradiction> found = rules::Validate(rules);
  if (found.empty()) return absl::OkStatus();
  const auto field = [path](absl::string_view name) { return absl::StrCat(path, ".", name); };
  rules::Contradiction first = found.front();
  // The message has two fields for the parameter `end`.
  if (first.parameter == "end") {
    first.parameter = "end_mode";
    first.other = "end_default";
  }
  if (first.other.empty()) return BadRequest(field(first.parameter), first.reason);
  const std::string text = absl::StrCat("against ", first.other, ": ", first.reason);
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               absl::StrCat(field(first.parameter), ": ", text),
               {{"field", field(first.parameter)},
                {"other_field", field(first.other)},
                {"description", text}});
}

}  // namespace

void EncodeRuleSet(const rules::RuleSet& rules, v1::RuleSet* out) {
#define X(field, member) \
  out->set_##field(static_cast<decltype(out->field())>(static_cast<int>(rules.member) + 1));
  TAROT_RULE_ENUMS(X)
#undef X
#define X(field, member) out->set_##field(rules.member);
  TAROT_RULE_FLAGS(X)
  TAROT_RULE_NUMBERS(X)
#undef X
#define X(field, member) EncodeByPlayers(rules.member, out->mutable_##field());
  TAROT_RULE_BY_PLAYERS(X)
#undef X
#define X(field, member) EncodeList(rules.member, out->mutable_##field());
  TAROT_RULE_LISTS(X)
#undef X
  for (int n = rules.players_min; n <= rules.players_max; ++n) {
    out->add_players(static_cast<std::uint32_t>(n));
  }
  out->mutable_bids();
  for (int c = 1; c < 5; ++c) {
    const auto contract = static_cast<rules::Contract>(c);
    if (rules.AllowsBid(contract)) out->mutable_bids()->add_contracts(EncodeContract(contract));
  }
  EncodeList(absl::MakeConstSpan(rules.multiplier).subspan(1), out->mutable_mult());
  EncodeList(rules.handful_size[0], out->mutable_handful_sizes()->mutable_three());
  EncodeList(rules.handful_size[1], out->mutable_handful_sizes()->mutable_four());
  EncodeList(rules.handful_size[2], out->mutable_handful_sizes()->mutable_five());
  v1::RuleSet::SlamPoints* slam = out->mutable_slam_points();
  slam->set_announced_made(rules.slam_announced_points);
  slam->set_unannounced_made(rules.slam_unannounced_points);
  slam->set_announced_failed(rules.slam_failed_points);
  out->set_call5_ranks(rules.call_rank_min < 11
                           ? v1::RuleSet::CALL_RANKS_ANY
                           : static_cast<v1::RuleSet::CallRanks>(15 - rules.call_rank_min));
  out->set_imposed_contract(EncodeContract(rules.imposed_contract));
}

absl::StatusOr<rules::RuleSet> NamedRules(absl::string_view name) {
  const rules::NamedRuleSet* const named = rules::FindRuleSet(name);
  if (named != nullptr) return named->rules;
  // gRPC sends the error in trailers, which are limited to a few kilobytes. So if the name is long,
  // the error contains only its first characters. No character is cut in its middle.
  constexpr std::size_t kShownBytesMax = 64;
  if (name.size() > kShownBytesMax) {
    std::size_t size = kShownBytesMax;
    while ((static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) --size;
    name = name.substr(0, size);
  }
  return Error(absl::StatusCode::kNotFound, "RULE_SET_NOT_FOUND", "There is no such rule set.",
               {{"rule_set", std::string(name)}});
}

absl::StatusOr<rules::RuleSet> DecodeRuleSet(const v1::RuleSet& in, absl::string_view field) {
  rules::RuleSet out;
  if (!in.preset().empty()) {
    TAROT_ASSIGN_OR_RETURN(out, NamedRules(in.preset()));
  }
  TAROT_RETURN_IF_ERROR(CheckConstants(in, field));
  TAROT_RETURN_IF_ERROR(DecodeSimple(in, field, &out));
  TAROT_RETURN_IF_ERROR(DecodeOwnForms(in, field, &out));
  TAROT_RETURN_IF_ERROR(Contradiction(out, field));
  return out;
}

absl::Status RemoveConstants(google::protobuf::Struct* rules, absl::string_view field) {
  auto& members = *rules->mutable_fields();
  for (const ConstantField& constant : kConstantFields) {
    for (const char* name : {constant.name, constant.json_name}) {
      const auto member = members.find(name);
      if (member == members.end()) continue;
      if (JsonScalar(member->second) != constant.json_value) {
        return Place{field, constant.name}.Bad(kOneValue);
      }
      members.erase(member);
    }
  }
  return absl::OkStatus();
}

bool NameTells(absl::string_view name, const rules::RuleSet& rules) {
  const rules::NamedRuleSet* const named = rules::FindRuleSet(name);
  return named != nullptr && named->rules == rules;
}

}  // namespace tarot::wire
