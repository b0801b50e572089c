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
  // Stops the process as SIGTERM does, but with the exit code 1, and logs `why`. The function
  // returns at once. Tests may leave it empty.
  std::function<void(const absl::Status& why)> stop = {};
};

// A running service. Its destructor shuts it down.
class Service {
 public:
  virtual ~Service() = default;
  // Returns the port of the gRPC server.
  virtual int port() const = 0;
  // Readiness fails from now on. The service still accepts all work. Idempotent.
  virtual void AnnounceShutdown() = 0;
  // Refuses new work and finishes the accepted work. Idempotent.
  virtual void Shutdown() = 0;
};

// Call this function first in main(). It reads the flags. If several sources set a flag, the first
// source in this order wins: the command line, the environment (TAROT_<FLAG>), --flagfile, the
// default. If a value is outside its range in `options`, the function ends the process with exit
// code 1 and a message with the flag, the value and the range.
//
// The function also sets the service's name for logs, makes timed waits follow the steady clock,
// ignores SIGPIPE, and blocks SIGTERM and SIGINT for WaitForStop.
//
// Some arguments end the process here. --version prints version and commit, and --help the flags.
// --check ADDRESS [NAME] asks the process at ADDRESS for its health NAME (by default readiness),
// and prints the answer. Besides --check, only the flags of TLS are allowed. The exit code is 0 if
// the answer is SERVING, and 1 for any other result.
//
// Sets the rules for the connections of this process (tls.h) from the flags of TAROT_TLS_OPTIONS
// (options.h). A program without these flags has no TLS. If a file is wrong, ends the process with
// exit code 1, and a message that names the file.
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

struct RunOptions {
  std::string listen_address;  // The address at which the service will listen.
  std::string metrics_address;
  // After SIGTERM, the service accepts everything for this time, and is not ready.
  absl::Duration lame_duck;
};

using StartFunction =
    std::function<absl::StatusOr<std::unique_ptr<Service>>(const Environment& environment)>;
// Returns OK if the service could start now, for example if its database answers.
using StartCheck = std::function<absl::Status(prometheus::Registry& registry)>;

// Raises the descriptor limit, serves /metrics, starts the service with the real clock and entropy,
// and shuts it down on SIGTERM or SIGINT. A second signal ends the lame duck's time. Returns the
// exit code of main(). This code is 1 if the service cannot start, or if it stops itself; then the
// log has the reason.
//
// Calls `check`, which may be empty, before each attempt to start. If `check` or `start` returns
// UNAVAILABLE or ABORTED, tries again after a quarter of a second. ADDRESS_TAKEN and all other
// errors are final. Between the attempts, the process is live and not ready, and answers each call
// with UNAVAILABLE NOT_READY.
int RunService(const RunOptions& options, StartCheck check, const StartFunction& start);

// Runs work that is not a service and listens nowhere, for example the migrations of a schema. Logs
// its error. Returns the exit code of main(): 0 if the work succeeds, and 1 if it fails.
int RunJob(const std::function<absl::Status()>& work);

}  // namespace tarot::rpc
