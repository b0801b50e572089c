// The part that every service's main() shares: flags, metrics, clocks, signals.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/rpc/options.h"

namespace tarot::rpc {

// The clocks, the entropy and the registry of a service. The referenced objects outlive the
// service.
struct Environment {
  Clock& clock;
  Scheduler& scheduler;
  Entropy& entropy;
  std::shared_ptr<prometheus::Registry> registry;
};

// A running service. main(), all_in_one and tests hold one. The destructor shuts it down.
class Service {
 public:
  virtual ~Service() = default;
  // Returns the port of the gRPC server.
  virtual int port() const = 0;
  // Refuses new work and finishes accepted work. Idempotent.
  virtual void Shutdown() = 0;
};

// Reads the flags. If several sources set a flag, the first of these wins: the command line, the
// environment (TAROT_<FLAG>), --flagfile, the default. Sets the service's name for logs, makes
// timed waits follow the steady clock, ignores SIGPIPE, and blocks SIGTERM and SIGINT for
// WaitForStop. Call it first in main(). A value outside its row's range ends the process with exit
// code 1 and a message that names the flag, the value and the range.
void InitProcess(int argc, char** argv, const std::string& service,
                 const std::vector<OptionRow>& options);

// Logs every flag that this program defines, as "effective options".
void LogEffectiveOptions();

// Raises this process's limit of open descriptors to the hard limit, and logs it. Debian's gRPC
// never accepts a connection again after one failed for lack of a descriptor (CVE-2023-4785).
void RaiseDescriptorLimit();

// Waits for SIGTERM or SIGINT.
void WaitForStop();

// Raises the descriptor limit, serves /metrics at `metrics_address`, starts the service with the
// real clock and entropy, and shuts it down on SIGTERM or SIGINT. Returns the exit code of main().
// This is 1 if the service cannot start; the log then has the reason.
int RunService(
    const std::string& metrics_address,
    const std::function<absl::StatusOr<std::unique_ptr<Service>>(const Environment&)>& start);

}  // namespace tarot::rpc
