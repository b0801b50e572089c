#include "libs/rpc/process.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <prometheus/gauge.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/obs/log.h"
#include "libs/obs/log_limiter.h"
#include "libs/obs/metrics.h"
#include "libs/obs/process_metrics.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/rpc/tls.h"
#include "libs/status/wire.h"

namespace tarot::rpc {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Returns true if the flags of the source file `file` are ours and not Abseil's.
bool IsOurs(absl::string_view file) { return !absl::StrContains(file, "absl/flags/"); }

// Returns the flags of our code by name, without Abseil's own flags such as --help.
std::map<std::string, absl::CommandLineFlag*> OwnFlags() {
  std::map<std::string, absl::CommandLineFlag*> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (IsOurs(flag->Filename())) flags[std::string(name)] = flag;
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

void CheckRanges(const std::vector<OptionRow>& options) {
  for (const OptionRow& option : options) {
    const absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(option.flag);
    TAROT_CHECK(flag != nullptr);
    if (option.range.contains(*flag)) continue;
    std::fprintf(stderr, "--%s=%s: must be %s\n", std::string(option.flag).c_str(),
                 flag->CurrentValue().c_str(), option.range.text.c_str());
    std::exit(1);
  }
}

constexpr std::size_t kGrpcTextMax = 500;  // The log cuts gRPC messages after this many bytes.

// Writes gRPC's own messages as lines of our log. For example, gRPC reports that a port is in use.
// A hostile caller can cause such messages, so each place in gRPC's sources may log at most ten
// messages in ten seconds.
void LogForGrpc(gpr_log_func_args* line) {
  static auto* const limiter = new obs::LogLimiter(10, absl::Seconds(10));
  const std::optional<int> left_out =
      limiter->Admit(absl::StrCat(line->file, ":", line->line), RealClock().Now());
  if (!left_out) return;
  const bool error = line->severity == GPR_LOG_SEVERITY_ERROR;
  obs::Log(error ? obs::Level::kError : obs::Level::kInfo, "grpc",
           {{"why", absl::string_view(line->message).substr(0, kGrpcTextMax)},
            {"left_out", *left_out > 0 ? absl::StrCat(*left_out) : ""}});
}

// Logs only the reason of an abort. Protocol Buffers writes a line for every text that is not
// UTF-8, so a hostile caller could fill the disk with such lines. The caller gets a clear error in
// any case.
void LogForProtobuf(google::protobuf::LogLevel level, const char*, int, const std::string& why) {
  if (level != google::protobuf::LOGLEVEL_FATAL) return;
  obs::Log(obs::Level::kError, "protobuf", {{"why", why}});
}

constexpr absl::Duration kCheckTimeout = absl::Seconds(2);

// Returns the value of a flag of this program, or an empty text if the program has no such flag.
std::string ValueOf(absl::string_view flag) {
  const absl::CommandLineFlag* const found = absl::FindCommandLineFlag(flag);
  return found == nullptr ? "" : found->CurrentValue();
}

// Reads the flags of TAROT_TLS_OPTIONS. Ends the process if a file is wrong.
void ApplyTlsFlags() {
  const TlsFiles files = {.cert = ValueOf("tls_cert_file"),
                          .key = ValueOf("tls_key_file"),
                          .ca = ValueOf("tls_ca_file")};
  TransportSecurity security = {.tls = nullptr,
                                .allow_plaintext = ValueOf("allow_plaintext") == "true"};
  const int given = !files.cert.empty() + !files.key.empty() + !files.ca.empty();
  if (given != 0 && given != 3) {
    std::fprintf(stderr, "TLS needs all of --tls_cert_file, --tls_key_file and --tls_ca_file\n");
    std::exit(1);
  }
  if (given == 3) {
    absl::StatusOr<std::shared_ptr<const Tls>> tls = Tls::Open(files);
    if (!tls.ok()) {
      std::fprintf(stderr, "%s\n", std::string(tls.status().message()).c_str());
      std::exit(1);
    }
    security.tls = *std::move(tls);
  }
  UseTransportSecurity(std::move(security));
}

// Runs --check. `arguments` are those after --check, except flags.
[[noreturn]] void Check(const std::vector<char*>& arguments, const std::string& service) {
  if (arguments.empty() || arguments.size() > 2 || !IsTarget(arguments[0])) {
    std::fprintf(stderr, "--check takes an address, and liveness or readiness after it\n");
    std::exit(1);
  }
  const std::string name = arguments.size() == 2 ? arguments[1] : kReadiness;
  // Players reach the servers of these two programs, so these servers have no TLS.
  const bool for_players = service == "gateway" || service == "all_in_one";
  const absl::Status status =
      CheckHealth(arguments[0], name, kCheckTimeout, for_players ? "" : service);
  std::printf("%s: %s\n", name.c_str(),
              status.ok() ? "SERVING" : std::string(status.message()).c_str());
  std::exit(status.ok() ? 0 : 1);
}

constexpr absl::Duration kShowCertificateInterval = absl::Minutes(1);
constexpr absl::Duration kStartRetry = absl::Milliseconds(250);

// Waits at most `span` for a signal that stops the process. Returns whether the signal came.
bool StopSignalWithin(absl::Duration span) {
  const sigset_t signals = StopSignals();
  const timespec timeout = absl::ToTimespec(span);
  return ::sigtimedwait(&signals, nullptr, &timeout) > 0;
}

// Returns whether a later attempt to start may succeed although nothing in this process changes.
bool MayPass(const absl::Status& status) {
  if (GetErrorDetails(status).reason == "ADDRESS_TAKEN") return false;
  return absl::IsUnavailable(status) || absl::IsAborted(status);
}

void LogStartError(const char* message, const absl::Status& status) {
  obs::Log(obs::Level::kError, message,
           {{"reason", GetErrorDetails(status).reason}, {"why", status.message()}});
}

// Shows when the certificate of this process ends. The file may change, so the task repeats itself.
void ShowCertificate(const std::shared_ptr<prometheus::Registry>& registry, Scheduler& scheduler) {
  const std::shared_ptr<const Tls> tls = ProcessTransportSecurity().tls;
  if (tls == nullptr) return;
  prometheus::BuildGauge()
      .Name("tarot_rpc_certificate_expire_time_seconds")
      .Help("When the certificate in --tls_cert_file ends, in seconds since 1970.")
      .Register(*registry)
      .Add({})
      .Set(absl::ToDoubleSeconds(tls->ExpireTime() - absl::UnixEpoch()));
  scheduler.After(kShowCertificateInterval,
                  [registry, &scheduler] { ShowCertificate(registry, scheduler); });
}

// Answers each call with UNAVAILABLE NOT_READY.
class NotReadyService final : public grpc::CallbackGenericService {
 private:
  class RefusedCall final : public grpc::ServerGenericBidiReactor {
   public:
    RefusedCall() { Finish(status::ToGrpc(NotReady())); }

   private:
    void OnDone() override { delete this; }
  };

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new RefusedCall;
  }
};

// Listens at the service's address until the service can start, and refuses every call.
class WaitingServer {
 public:
  absl::Status Start(const std::string& address) {
    TAROT_ASSIGN_OR_RETURN(
        server_, Server::Start({.address = address, .ready = [] { return false; }}, {}, &refuse_));
    return absl::OkStatus();
  }
  void Stop() { server_.reset(); }

 private:
  NotReadyService refuse_;
  std::unique_ptr<Server> server_;
};

// Tries to start the service until an attempt succeeds. Returns CANCELLED if a signal comes first.
// If an attempt fails with an error that is final, returns this error.
absl::StatusOr<std::unique_ptr<Service>> StartWhenPossible(const RunOptions& options,
                                                           const Environment& environment,
                                                           StartCheck check,
                                                           const StartFunction& start) {
  std::string last_reason;
  while (true) {
    WaitingServer waiting;
    if (check) {
      TAROT_RETURN_IF_ERROR(waiting.Start(options.listen_address));
    }
    absl::Status status = check ? check(*environment.registry) : absl::OkStatus();
    while (!status.ok() && MayPass(status)) {
      // One line says why the service waits. Another line follows when the reason changes.
      const std::string reason = GetErrorDetails(status).reason;
      if (std::exchange(last_reason, reason) != reason) LogStartError("not ready", status);
      if (StopSignalWithin(kStartRetry)) return absl::CancelledError();
      status = check(*environment.registry);
    }
    waiting.Stop();
    if (!status.ok()) return status;
    absl::StatusOr<std::unique_ptr<Service>> service = start(environment);
    if (service.ok() || !MayPass(service.status()) || !check) return service;
    LogStartError("not ready", service.status());
    if (StopSignalWithin(kStartRetry)) return absl::CancelledError();
  }
}

}  // namespace

void InitProcess(int argc, char** argv, const std::string& service,
                 const std::vector<OptionRow>& options) {
  UseSteadyWaits();
  obs::SetServiceName(service);
  gpr_set_log_function(LogForGrpc);
  google::protobuf::SetLogHandler(LogForProtobuf);
  ::signal(SIGPIPE, SIG_IGN);
  // Debian's Abseil looks for lock cycles at every lock inside gRPC. This costs CPU time, so it is
  // turned off.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  absl::SetProgramUsageMessage(absl::StrCat("tarot-", service, " [--FLAG=VALUE...]\n  tarot-",
                                            service,
                                            " --check ADDRESS [liveness|readiness] [--tls_...]\n"
                                            "      exits with 0 if the process at ADDRESS is so"));
  absl::FlagsUsageConfig help;
  help.contains_help_flags = IsOurs;
  help.version_string = [service] {
    return absl::StrCat("tarot-", service, " ", obs::Version(), " commit ", obs::Commit(), "\n");
  };
  absl::SetFlagsUsageConfig(help);
  const sigset_t signals = StopSignals();
  // All threads that start later inherit this mask.
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  // Abseil treats --flagfile as part of the command line. The environment and the command line must
  // override the file. So this function parses --flagfile first and alone.
  std::vector<char*> file_arguments = {argv[0]};
  std::vector<char*> arguments = {argv[0]};
  const bool check = argc > 1 && absl::string_view(argv[1]) == "--check";
  for (int i = check ? 2 : 1; i < argc; ++i) {
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
  ApplyTlsFlags();
  if (check) Check({rest.begin() + 1, rest.end()}, service);
  if (rest.size() > 1) {
    std::fprintf(stderr, "%s: unexpected argument '%s'; see --help\n", argv[0], rest[1]);
    std::exit(1);
  }
  CheckRanges(options);
}

void LogEffectiveOptions() {
  std::string options;
  for (const auto& [name, flag] : OwnFlags()) {
    std::string value = flag->CurrentValue();
    // Secrets belong in files. But an operator may have put a password into a DSN, so this loop
    // does not log such a value.
    if (absl::StrContains(value, "password") || absl::StrContains(value, "@")) value = "(hidden)";
    absl::StrAppend(&options, options.empty() ? "" : " ", "--", name, "=", value);
  }
  obs::Log(obs::Level::kInfo, "effective options", {{"options", options}});
}

void RaiseDescriptorLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  const bool raised = ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
  obs::Log(raised ? obs::Level::kInfo : obs::Level::kError, "descriptor limit",
           {{"descriptors", absl::StrCat(limit.rlim_max)}, {"raised", raised ? "yes" : "no"}});
}

void WaitForStop() {
  const sigset_t signals = StopSignals();
  int signal = 0;
  ::sigwait(&signals, &signal);
  obs::Log(obs::Level::kInfo, "stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
}

int RunService(const RunOptions& options, StartCheck check, const StartFunction& start) {
  RaiseDescriptorLimit();
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  const auto registry = std::make_shared<prometheus::Registry>();
  const obs::MetricsServer metrics(options.metrics_address, registry);
  if (!metrics.ok()) return 1;  // MetricsServer has logged why it does not work.
  obs::Log(obs::Level::kInfo, "starting", {{"version", obs::Version()}, {"commit", obs::Commit()}});
  LogEffectiveOptions();
  ShowCertificate(registry, scheduler);
  std::atomic<bool> failed = false;
  const auto stop = [&failed](const absl::Status& why) {
    failed = true;
    LogStartError("the process stops because of an error", why);
    ::kill(::getpid(), SIGTERM);  // WaitForStop() waits for this signal.
  };
  const Environment environment = {.clock = clock,
                                   .scheduler = scheduler,
                                   .entropy = entropy,
                                   .registry = registry,
                                   .stop = stop};
  const absl::StatusOr<std::unique_ptr<Service>> service =
      StartWhenPossible(options, environment, std::move(check), start);
  if (absl::IsCancelled(service.status())) return 0;  // A signal came before the start.
  if (!service.ok()) {
    LogStartError("cannot start", service.status());
    return 1;
  }
  obs::Log(obs::Level::kInfo, "serving", {{"port", absl::StrCat((*service)->port())}});
  WaitForStop();
  (*service)->AnnounceShutdown();
  if (!failed && options.lame_duck > absl::ZeroDuration()) StopSignalWithin(options.lame_duck);
  (*service)->Shutdown();
  return failed ? 1 : 0;
}

int RunJob(const std::function<absl::Status()>& work) {
  obs::Log(obs::Level::kInfo, "starting", {{"version", obs::Version()}, {"commit", obs::Commit()}});
  LogEffectiveOptions();
  const absl::Status status = work();
  if (!status.ok()) LogStartError("failed", status);
  return status.ok() ? 0 : 1;
}

}  // namespace tarot::rpc
