// What the main() of every service does around its own wiring.
#pragma once

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace tarot::rpc {

// Flags over environment (TAROT_<FLAG>) over --flagfile over defaults. Sets the service's name for
// logs, has timed waits end by the steady clock, ignores SIGPIPE, blocks SIGTERM and SIGINT for
// WaitForStop. Call first in main().
// What makes no sense ends the process with exit code 1 and the flag's name: numbers and durations
// must be above 0 (those of `may_be_zero` not below), and what is named *_address is host:port.
void InitProcess(int argc, char** argv, const std::string& service,
                 std::initializer_list<absl::string_view> may_be_zero = {});

// Logs every flag that this program defines, as "effective options".
void LogEffectiveOptions();

// Sleeps until SIGTERM or SIGINT.
void WaitForStop();

}  // namespace tarot::rpc
