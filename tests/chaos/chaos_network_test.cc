// A short run of chaos on a bad network. Needs root.
#include "tests/chaos/network.h"
#include "tests/chaos/short_run.h"

namespace tarot::chaos {
namespace {

TEST(ChaosNetworkTest, NothingIsLostDoubledLeakedOrStuck) {
  ASSERT_TRUE(Network::Possible()) << "needs root and what network.h names";
  // A seed with at least one of each.
  ExpectThatAllHolds(1,
                     {FaultKind::kPartition, FaultKind::kIsolate, FaultKind::kNoPostgres,
                      FaultKind::kPlayers, FaultKind::kLoss, FaultKind::kDelay},
                     true);
}

}  // namespace
}  // namespace tarot::chaos
