#include "libs/wire/rule_set.h"

#include <gtest/gtest.h>

#include "libs/base/error.h"
#include "libs/base/rng.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"

namespace tarot::wire {
namespace {

std::string Field(const absl::Status& status, const char* key = "field") {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return GetErrorDetails(status).metadata[key];
}

void ExpectRoundTrip(const rules::RuleSet& rules) {
  v1::RuleSet wire;
  EncodeRuleSet(rules, &wire);
  const absl::StatusOr<rules::RuleSet> back = DecodeRuleSet(wire, "rules");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, rules) << rules::RuleSetText(*back) << " / " << rules::RuleSetText(rules);
  // A preset does not change the result, because every other field is set.
  wire.set_preset("booklet_customs");
  EXPECT_EQ(*DecodeRuleSet(wire, "rules"), rules);
}

TEST(RuleSetWireTest, EveryNamedSetRoundTripsAndSetsEveryField) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    SCOPED_TRACE(std::string(named.name));
    ExpectRoundTrip(named.rules);
    v1::RuleSet wire;
    EncodeRuleSet(named.rules, &wire);
    std::vector<const google::protobuf::FieldDescriptor*> set;
    wire.GetReflection()->ListFields(wire, &set);
    EXPECT_EQ(static_cast<int>(set.size()) + 1, wire.GetDescriptor()->field_count())
        << "all but the preset";
  }
}

// Each case mixes parameters of named rule sets, and also has some numbers that no named rule set
// has.
TEST(RuleSetWireTest, CustomSetsRoundTrip) {
  Rng rng(31);
  int valid = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto& sets = rules::RuleSets();
    const auto any = [&] {
      return sets[static_cast<std::size_t>(rng.Below(static_cast<int>(sets.size())))].rules;
    };
    rules::RuleSet rules = any();
    for (const rules::Parameter& parameter : rules::Parameters()) {
      if (rng.Below(6) > 0) continue;
      ASSERT_TRUE(rules::SetParameter(rules, parameter.key, parameter.get(any())).ok());
    }
    rules.cut_min = static_cast<std::uint8_t>(1 + rng.Below(39));
    rules.base_points = static_cast<std::uint8_t>(rng.Below(256));
    rules.slam_defence_points = static_cast<std::int16_t>(rng.Below(500));
    rules.handful_points[2] = static_cast<std::uint8_t>(40 + rng.Below(200));
    rules.end_default = static_cast<std::uint8_t>(rng.Below(101));
    if (!rules::Validate(rules).empty()) continue;
    ++valid;
    ExpectRoundTrip(rules);
  }
  EXPECT_GT(valid, 100);
}

TEST(RuleSetWireTest, InheritsUnsetFieldsFromThePreset) {
  v1::RuleSet wire;
  EXPECT_EQ(*DecodeRuleSet(wire, "rules"), rules::RuleSet{});
  wire.set_preset("booklet");
  wire.set_handful(false);
  wire.mutable_deal_packet()->set_four(2);
  rules::RuleSet expected = rules::FindRuleSet("booklet")->rules;
  expected.handful = false;
  expected.packet_size[1] = 2;
  EXPECT_EQ(*DecodeRuleSet(wire, "rules"), expected);
  wire.set_preset("no such set");
  EXPECT_EQ(DecodeRuleSet(wire, "rules").status().code(), absl::StatusCode::kNotFound);
}

TEST(RuleSetWireTest, AContradictionNamesBothFields) {
  v1::RuleSet wire;
  wire.mutable_deal_packet()->set_five(4);
  const absl::Status status = DecodeRuleSet(wire, "rules").status();
  EXPECT_EQ(Field(status), "rules.deal_packet");
  EXPECT_EQ(Field(status, "other_field"), "rules.hand");
  v1::RuleSet ends;
  ends.set_end_mode(v1::RuleSet::END_MODE_AGREED_ROUNDS);
  ends.set_end_default(5);
  EXPECT_EQ(Field(DecodeRuleSet(ends, "rules").status()), "rules.end_mode");
  EXPECT_EQ(Field(DecodeRuleSet(ends, "rules").status(), "other_field"), "rules.end_default");
}

TEST(RuleSetWireTest, AValueOutOfRangeNamesItsField) {
  const auto field = [](auto set) {
    v1::RuleSet wire;
    set(wire);
    return Field(DecodeRuleSet(wire, "rules").status());
  };
  EXPECT_EQ(field([](auto& w) { w.set_cut_min(256); }), "rules.cut_min");
  EXPECT_EQ(field([](auto& w) { w.set_cut_min(0); }), "rules.cut_min");
  EXPECT_EQ(field([](auto& w) { w.set_slam_defence(40000); }), "rules.slam_defence");
  EXPECT_EQ(field([](auto& w) { w.add_mult(1); }), "rules.mult");
  EXPECT_EQ(field([](auto& w) { w.set_direction(static_cast<v1::RuleSet::Direction>(3)); }),
            "rules.direction");
  EXPECT_EQ(field([](auto& w) { w.set_direction(static_cast<v1::RuleSet::Direction>(-1)); }),
            "rules.direction");
  EXPECT_EQ(field([](auto& w) { w.set_call5_ranks(static_cast<v1::RuleSet::CallRanks>(6)); }),
            "rules.call5_ranks");
  EXPECT_EQ(field([](auto& w) {
              w.add_players(3);
              w.add_players(5);
            }),
            "rules.players");
  const auto with_bids = [](std::vector<v1::Contract> bids) {
    return [bids](auto& w) {
      for (const v1::Contract bid : bids) w.mutable_bids()->add_contracts(bid);
    };
  };
  EXPECT_EQ(field(with_bids({v1::PASS})), "rules.bids");
  EXPECT_EQ(field(with_bids({v1::GARDE, v1::PRISE})), "rules.bids") << "Lists are not sorted.";
  EXPECT_EQ(field(with_bids({v1::PRISE, v1::GARDE, v1::GARDE})), "rules.bids");
}

// Older clients send fields that are reserved now.
TEST(RuleSetWireTest, AcceptsAConstantOfAnEarlierVersionOnlyWithItsValue) {
  const auto decoded = [](int number, std::uint64_t value) {
    v1::RuleSet wire;
    wire.GetReflection()->MutableUnknownFields(&wire)->AddVarint(number, value);
    return DecodeRuleSet(wire, "rules");
  };
  const int numbers[] = {5, 6, 7, 8, 9, 11, 27, 34, 37, 41, 45, 46, 47, 53, 60, 68, 69, 70, 74};
  for (const int number : numbers) {
    const std::uint64_t value = number == 41 ? 0 : 1;
    ASSERT_TRUE(decoded(number, value).ok()) << number;
    EXPECT_EQ(*decoded(number, value), rules::RuleSet{});
    EXPECT_FALSE(decoded(number, 1 - value).ok()) << number;
    EXPECT_FALSE(decoded(number, 2).ok()) << number;
  }
  EXPECT_EQ(Field(decoded(6, 0).status()), "rules.draw_excuse_redraw");
  v1::RuleSet text;
  text.GetReflection()->MutableUnknownFields(&text)->AddLengthDelimited(27, "1");
  EXPECT_EQ(Field(DecodeRuleSet(text, "rules").status()), "rules.bid_rounds");
}

TEST(RuleSetWireTest, AnUnknownNameIsRepeatedInPart) {
  const auto shown = [](const std::string& name) {
    return GetErrorDetails(NamedRules(name).status()).metadata.at("rule_set");
  };
  EXPECT_EQ(shown("fftt"), "fftt");
  EXPECT_EQ(shown(std::string(60'000, 'x')), std::string(64, 'x'));
  const std::string whole(63, 'x');
  EXPECT_EQ(shown(whole + "é"), whole) << "Whole characters.";
}

TEST(RuleSetWireTest, ANameStandsOnlyForItsCurrentValues) {
  rules::RuleSet rules;
  EXPECT_TRUE(NameTells("fft", rules));
  EXPECT_FALSE(NameTells("club", rules));
  rules.cut_min = 5;
  EXPECT_FALSE(NameTells("fft", rules));
  EXPECT_FALSE(NameTells(rules::RuleSetText(rules), rules));
}

}  // namespace
}  // namespace tarot::wire
