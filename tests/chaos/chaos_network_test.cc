// A short chaos run with network faults. Needs root.
#include "tests/chaos/network.h"
#include "tests/chaos/short_run.h"

namespace tarot::chaos {
namespace {

TEST(ChaosNetworkTest, LosesRepeatsLeaksAndBlocksNothing) {
  ASSERT_TRUE(Network::Possible()) << "needs root and the kernel features that network.h names";
  // This seed has at least one fault of each kind.
  ExpectNoFindings(1,
                   {FaultKind::kPartition, FaultKind::kIsolate, FaultKind::kNoPostgres,
                    FaultKind::kPlayers, FaultKind::kLoss, FaultKind::kDelay},
                   true);
}

}  // namespace
}  // namespace tarot::chaos
