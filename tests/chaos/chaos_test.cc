// A short chaos run without network faults. chaos_network_test makes network faults, and `tools/dev
// chaos` makes longer runs.
#include "tests/chaos/short_run.h"

namespace tarot::chaos {
namespace {

TEST(ChaosTest, LosesRepeatsLeaksAndBlocksNothing) {
  ExpectNoFindings(4, {FaultKind::kKill, FaultKind::kTerm, FaultKind::kStop, FaultKind::kClock,
                       FaultKind::kPgKill, FaultKind::kPgTerminate, FaultKind::kPgCut,
                       FaultKind::kPgDelay, FaultKind::kPgFreeze});
}

}  // namespace
}  // namespace tarot::chaos
