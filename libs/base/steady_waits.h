// Timed waits of Abseil and gRPC that a jump of the wall clock does not lengthen.
#pragma once

namespace tarot {

// Debian's Abseil waits until a moment of the wall clock: when that has gone forward and comes
// back, by an operator or a time server, a thread sleeps as much longer, and gRPC, whose timers
// wait on one such thread, neither reconnects nor notices a dead connection meanwhile. A program
// that calls this has, from its start, such waits end by the steady clock. Costs two readings of a
// clock for each timed wait.
void UseSteadyWaits();

}  // namespace tarot
