// A short run of chaos without faults of the network, which chaos_network_test has. Longer:
// tools/dev chaos.
#include "tests/chaos/short_run.h"

namespace tarot::chaos {
namespace {

TEST(ChaosTest, NothingIsLostDoubledLeakedOrStuck) {
  ExpectThatAllHolds(4, {FaultKind::kKill, FaultKind::kTerm, FaultKind::kStop, FaultKind::kClock,
                         FaultKind::kPgKill, FaultKind::kPgTerminate, FaultKind::kPgCut,
                         FaultKind::kPgDelay, FaultKind::kPgFreeze});
}

}  // namespace
}  // namespace tarot::chaos
