#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "libs/testkit/status_matchers.h"
#include "services/ratings/testing/rating_store_contract.h"
#include "services/ratings/transport/rating_service.h"

namespace tarot::ratings_service {
namespace {

TEST(SeasonFileTest, HasTheNumbersWithFourDigits) {
  Season season = TestSeason(1);
  season.numbers.luck_share = 0.123456;
  season.numbers.noise_variance = 8816.98768;
  const auto text = SeasonFileText({season, TestSeason(2)});
  ASSERT_THAT(text, testkit::IsOk());
  const std::string path = testing::TempDir() + "/season.json";
  std::ofstream(path) << *text;
  const auto request = ReadSeasonFile(path);
  ASSERT_THAT(request, testkit::IsOk());
  ASSERT_EQ(request->ladders_size(), 2);
  EXPECT_DOUBLE_EQ(request->ladders(0).luck_share(), 0.1235);
  EXPECT_DOUBLE_EQ(request->ladders(0).noise_variance(), 8816.9877);
  EXPECT_EQ(request->ladders(0).rule_set(), season.rule_set);
  EXPECT_EQ(request->ladders(0).place_means_size(), season.numbers.player_count);
  EXPECT_EQ(request->ladders(0).provenance(), season.provenance);
}

TEST(SeasonFileTest, IsRefusedIfTheServiceWouldRefuseIt) {
  Season season = TestSeason(1);
  season.numbers.prior_variance = -1;
  const absl::Status status = SeasonFileText({TestSeason(2), season}).status();
  EXPECT_THAT(status, testkit::HasReason("BAD_REQUEST"));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("0.001"));
}

}  // namespace
}  // namespace tarot::ratings_service
