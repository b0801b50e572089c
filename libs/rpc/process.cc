#include "libs/rpc/process.h"

#include <grpc/support/log.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "libs/base/steady_waits.h"
#include "libs/obs/log.h"
#include "libs/rpc/channel.h"

namespace tarot::rpc {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// The flags that we define, without Abseil's own (--help, --flagfile, ...), by name.
std::map<std::string, absl::CommandLineFlag*> OwnFlags() {
  std::map<std::string, absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::StrContains(flag->Filename(), "absl/flags/")) flags[std::string(name)] = flag;
  }
  return flags;
}

void ApplyEnvironment() {
  for (const auto& [name, flag] : OwnFlags()) {
    const std::string variable = absl::StrCat("TAROT_", absl::AsciiStrToUpper(name));
    const char* value = std::getenv(variable.c_str());
    std::string error;
    if (value == nullptr || flag->ParseFrom(value, &error)) continue;
    std::fprintf(stderr, "%s: %s\n", variable.c_str(), error.c_str());
    std::exit(1);
  }
}

// What is wrong with a value that its type allows; empty when nothing is.
std::string Senseless(const absl::CommandLineFlag& flag, bool may_be_zero) {
  const auto range = [&](auto value, auto zero, auto infinity) -> std::string {
    const bool enough = may_be_zero ? value >= zero : value > zero;  // Neither is true of NaN.
    if (enough && value < infinity) return "";
    return may_be_zero ? "must be 0 or above" : "must be above 0";
  };
  if (const auto value = flag.TryGet<int>())
    return range(static_cast<double>(*value), 0.0, HUGE_VAL);
  if (const auto value = flag.TryGet<double>()) return range(*value, 0.0, HUGE_VAL);
  if (const auto value = flag.TryGet<absl::Duration>()) {
    return range(*value, absl::ZeroDuration(), absl::InfiniteDuration());
  }
  const auto text = flag.TryGet<std::string>();
  const bool address = absl::EndsWith(flag.Name(), "_address") && text && !text->empty();
  return address && !IsTarget(*text) ? "must be host:port" : "";
}

void CheckValues(std::initializer_list<absl::string_view> may_be_zero) {
  for (const auto& [name, flag] : OwnFlags()) {
    const bool zero = std::count(may_be_zero.begin(), may_be_zero.end(), name) > 0;
    const std::string why = Senseless(*flag, zero);
    if (why.empty()) continue;
    std::fprintf(stderr, "--%s=%s: %s\n", name.c_str(), flag->CurrentValue().c_str(), why.c_str());
    std::exit(1);
  }
}

// What gRPC itself has to say (a port that is taken, for one) in the form of our lines.
void LogForGrpc(gpr_log_func_args* line) {
  const bool error = line->severity == GPR_LOG_SEVERITY_ERROR;
  obs::Log(error ? obs::Level::kError : obs::Level::kInfo, "grpc", {{"why", line->message}});
}

}  // namespace

void InitProcess(int argc, char** argv, const std::string& service,
                 std::initializer_list<absl::string_view> may_be_zero) {
  UseSteadyWaits();
  obs::SetServiceName(service);
  gpr_set_log_function(LogForGrpc);
  ::signal(SIGPIPE, SIG_IGN);
  // Debian's Abseil looks for lock cycles inside gRPC on every lock: two per cent of our time.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const sigset_t signals = StopSignals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // Inherited by every thread made after this.

  // Abseil reads --flagfile as part of the command line. Read alone and first, it comes below the
  // environment, which comes below the rest of the command line.
  std::vector<char*> file_arguments = {argv[0]};
  std::vector<char*> arguments = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const bool separate = argument == "--flagfile" && i + 1 < argc;
    const bool file = separate || absl::StartsWith(argument, "--flagfile=");
    std::vector<char*>& to = file ? file_arguments : arguments;
    to.push_back(argv[i]);
    if (separate) to.push_back(argv[++i]);
  }
  absl::ParseCommandLine(static_cast<int>(file_arguments.size()), file_arguments.data());
  ApplyEnvironment();
  const std::vector<char*> rest =
      absl::ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
  if (rest.size() > 1) {
    std::fprintf(stderr, "%s: unexpected argument '%s'; see --help\n", argv[0], rest[1]);
    std::exit(1);
  }
  CheckValues(may_be_zero);
}

void LogEffectiveOptions() {
  std::string options;
  for (const auto& [name, flag] : OwnFlags()) {
    std::string value = flag->CurrentValue();
    // Secrets belong into files; one that was put into a dsn all the same must not reach the log.
    if (absl::StrContains(value, "password") || absl::StrContains(value, "@")) value = "(hidden)";
    absl::StrAppend(&options, options.empty() ? "" : " ", "--", name, "=", value);
  }
  obs::Log(obs::Level::kInfo, "effective options", {{"options", options}});
}

void WaitForStop() {
  const sigset_t signals = StopSignals();
  int signal = 0;
  ::sigwait(&signals, &signal);
  obs::Log(obs::Level::kInfo, "stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
}

}  // namespace tarot::rpc
