// Prevents a jump of the wall clock from making timed waits of Abseil and gRPC longer.
#pragma once

namespace tarot {

// Debian's Abseil waits until a time of the wall clock. If that clock jumps forward and back, a
// thread sleeps for the length of the jump. gRPC's timers wait on one such thread, so gRPC then
// neither reconnects nor notices a dead connection. If a program calls the function below, these
// waits end by the steady clock, from the start of the program. The cost is that each timed wait
// reads two clocks.
void UseSteadyWaits();

}  // namespace tarot
