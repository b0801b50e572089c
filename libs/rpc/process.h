// What the main() of every service does around its own wiring.
#pragma once

#include <string>

namespace tarot::rpc {

// Flags over environment (TAROT_<FLAG>) over --flagfile over defaults. Sets the service's name for
// logs, has timed waits end by the steady clock, ignores SIGPIPE, blocks SIGTERM and SIGINT for
// WaitForStop. Call first in main().
void InitProcess(int argc, char** argv, const std::string& service);

// Logs every flag that this program defines, as "effective options".
void LogEffectiveOptions();

// Sleeps until SIGTERM or SIGINT.
void WaitForStop();

}  // namespace tarot::rpc
