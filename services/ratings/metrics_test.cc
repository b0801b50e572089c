#include "services/ratings/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <string>

namespace tarot::ratings_service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SurprisesTest : public testing::Test {
 protected:
  std::string Text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  prometheus::Registry registry_;
  Metrics metrics_{registry_};
};

TEST_F(SurprisesTest, ZRmsIsTheRootMeanSquare) {
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"4\",season=\"0\"} 0\n"));
  metrics_.ObserveSurprises(0, {3, -3, 3, -3});
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"4\",season=\"0\"} 3\n"));
  metrics_.ObserveSurprises(0, {-5, 5, -5, 5});
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"4\",season=\"0\"} 4.123"));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_results_total{players=\"4\",season=\"0\"} 8\n"));
}

TEST_F(SurprisesTest, ZRmsForgetsOldResults) {
  for (int i = 0; i < 1000; ++i) metrics_.ObserveSurprises(0, {3, 3, 3});
  for (int i = 0; i < 10'000; ++i) metrics_.ObserveSurprises(0, {1, 1, 1});
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"3\",season=\"0\"} 1.0000"));
}

TEST_F(SurprisesTest, EachTableSizeAndSeasonHasItsOwnZRms) {
  metrics_.ObserveSurprises(0, {2, 2, 2});
  metrics_.ObserveSurprises(0, {3, 3, 3, 3, 3});
  metrics_.ObserveSurprises(1, {1, 1, 1, 1, 1});
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"3\",season=\"0\"} 2\n"));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"4\",season=\"0\"} 0\n"));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"5\",season=\"0\"} 3\n"));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"5\",season=\"1\"} 1\n"));
}

// Only the newest season has series. So the number of series does not grow with the number of
// seasons.
TEST_F(SurprisesTest, NewSeasonReplacesOldSeason) {
  metrics_.ObserveSurprises(1, {2, 2, 2, 2});
  metrics_.ObserveSurprises(2, {3, 3, 3, 3});
  metrics_.ObserveSurprises(1, {9, 9, 9, 9});
  EXPECT_THAT(Text(), Not(HasSubstr("season=\"1\"")));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_z_rms{players=\"4\",season=\"2\"} 3\n"));
  EXPECT_THAT(Text(), HasSubstr("tarot_ratings_results_total{players=\"4\",season=\"2\"} 4\n"));
}

}  // namespace
}  // namespace tarot::ratings_service
