// The code that every main() of a service shares: flags, metrics, clocks and signals.
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

// The objects that a service gets from main() or a test. The referenced objects must outlive the
// service.
struct Environment {
  Clock& clock;
  Scheduler& scheduler;
  Entropy& entropy;
  std::shared_ptr<prometheus::Registry> registry;
  // A function that stops the process as SIGTERM does, but with the exit code 1, and logs `why`. It
  // does not wait. Tests may leave it empty.
  std::function<void(const absl::Status& why)> stop = {};
};

// A running service. Its destructor shuts it down.
class Service {
 public:
  virtual ~Service() = default;
  // Returns the port of the gRPC server.
  virtual int port() const = 0;
  // Refuses new work and finishes the accepted work. Idempotent.
  virtual void Shutdown() = 0;
};

// Call it first in main(). Reads the flags. If several sources set a flag, the first of these wins:
// the command line, the environment (TAROT_<FLAG>), --flagfile, the default. If a value is outside
// its range in `options`, ends the process with exit code 1 and a message that names the flag, the
// value and the range. With --version, prints version and commit; with --help, prints the flags.
//
// Also sets the service's name for logs, makes timed waits follow the steady clock, ignores
// SIGPIPE, and blocks SIGTERM and SIGINT for WaitForStop.
void InitProcess(int argc, char** argv, const std::string& service,
                 const std::vector<OptionRow>& options);

// Logs the value of every flag of this program as "effective options". Hides values that may
// contain a password.
void LogEffectiveOptions();

// Raises this process's limit of open descriptors to the hard limit, and logs it. If Debian's gRPC
// cannot accept a connection because there are no descriptors left, it never accepts one again
// (CVE-2023-4785).
void RaiseDescriptorLimit();

// Waits until the process gets SIGTERM or SIGINT.
void WaitForStop();

// Runs a service. Raises the descriptor limit, serves /metrics at `metrics_address`, calls `start`,
// and shuts the service down on SIGTERM or SIGINT. If `start` returns null, it has done all the
// work, and the process ends at once. Returns the exit code of main(): 1 if the service cannot
// start or stops itself, otherwise 0. The log has the reason.
int RunService(
    const std::string& metrics_address,
    const std::function<absl::StatusOr<std::unique_ptr<Service>>(const Environment&)>& start);

}  // namespace tarot::rpc
