#include "services/rules/transport/rule_set_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/rule_set.h"

namespace tarot::rules_service {
namespace {

namespace v1 = ::tarot::rules::v1;
using testkit::IsOk;

v1::ListRuleSetsResponse Listed() {
  v1::ListRuleSetsResponse response;
  EXPECT_THAT(ListRuleSets(&response), IsOk());
  return response;
}

TEST(RuleSetServiceTest, ListsEveryNamedRuleSetWithItsValues) {
  const v1::ListRuleSetsResponse response = Listed();
  ASSERT_EQ(response.rule_sets_size(), static_cast<int>(rules::RuleSets().size()));
  EXPECT_EQ(response.rule_sets(0).name(), "fft");
  for (const v1::RuleSetInfo& info : response.rule_sets()) {
    EXPECT_FALSE(info.description().empty()) << info.name();
    EXPECT_FALSE(info.player_counts().empty()) << info.name();
    EXPECT_TRUE(wire::NameTells(info.name(), *wire::DecodeRuleSet(info.rules(), "rules")));
  }
}

// If the listed differences are applied to fft, the result must be the rule set. Each listed value
// must differ from the value of fft.
TEST(RuleSetServiceTest, ShowsExactlyTheParametersThatDifferFromTheFederation) {
  const v1::ListRuleSetsResponse response = Listed();
  for (const v1::RuleSetInfo& info : response.rule_sets()) {
    rules::RuleSet built = rules::FindRuleSet("fft")->rules;
    std::set<std::string> names;
    for (const v1::ParameterDifference& difference : info.differences()) {
      EXPECT_NE(difference.value(), difference.fft_value());
      EXPECT_EQ(rules::FindParameter(difference.parameter())->get(built), difference.fft_value());
      EXPECT_FALSE(difference.meaning().empty()) << difference.parameter();
      EXPECT_TRUE(names.insert(difference.parameter()).second) << difference.parameter();
      EXPECT_THAT(rules::SetParameter(built, difference.parameter(), difference.value()), IsOk());
    }
    EXPECT_EQ(built, rules::FindRuleSet(info.name())->rules) << info.name();
    EXPECT_EQ(info.differences().empty(), info.name() == "fft") << info.name();
  }
}

}  // namespace
}  // namespace tarot::rules_service
