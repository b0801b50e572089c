#include "services/ratings/metrics.h"

#include <gtest/gtest.h>

namespace tarot::ratings_service {
namespace {

TEST(MetricsTest, ZRmsIsTheRootMeanSquare) {
  prometheus::Registry registry;
  Metrics metrics(registry);
  EXPECT_EQ(metrics.z_rms.Value(), 0);
  metrics.ObserveSurprises({1, -1, 1, -1});
  EXPECT_NEAR(metrics.z_rms.Value(), 1, 1e-12);
  metrics.ObserveSurprises({3, -3, 3, -3});
  EXPECT_NEAR(metrics.z_rms.Value() * metrics.z_rms.Value(), 5, 1e-12);
}

TEST(MetricsTest, ZRmsForgetsOldResults) {
  prometheus::Registry registry;
  Metrics metrics(registry);
  for (int i = 0; i < 1000; ++i) metrics.ObserveSurprises({3});
  for (int i = 0; i < 10'000; ++i) metrics.ObserveSurprises({1});
  EXPECT_NEAR(metrics.z_rms.Value(), 1, 0.01);
}

}  // namespace
}  // namespace tarot::ratings_service
