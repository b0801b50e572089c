// Keeps a jump of the wall clock from lengthening timed waits of Abseil and gRPC.
#pragma once

namespace tarot {

// Debian's Abseil waits until a time of the wall clock. If that clock jumps forward and back, a
// thread sleeps for the length of the jump. gRPC's timers wait on one such thread, so gRPC then
// neither reconnects nor notices a dead connection. In a program that calls this function, these
// waits end by the steady clock, from the start of the program. Each timed wait then reads two
// clocks.
void UseSteadyWaits();

}  // namespace tarot
