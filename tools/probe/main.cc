// tarot-probe: plays a deal at the public door again and again, and exports what it saw.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "libs/obs/log.h"
#include "libs/rpc/process.h"
#include "tools/probe/probe.h"

#define TAROT_PROBE_OPTIONS(OPTION)                                                         \
  OPTION(std::string, door_address, "127.0.0.1:7100", DoorAddresses(), "The public door.")  \
  OPTION(std::string, metrics_address, "127.0.0.1:8109", Address(), "Address of /metrics.") \
  OPTION(absl::Duration, pause, absl::Minutes(1), Range(absl::Seconds(1), absl::Hours(1)),  \
         "Pause between two rounds.")

TAROT_PROBE_OPTIONS(TAROT_OPTION_FLAG)

namespace tarot::probe {
namespace {

struct Options {
  TAROT_PROBE_OPTIONS(TAROT_OPTION_FIELD)
};

// Plays rounds on a thread of its own until it is shut down.
class Instance final : public rpc::Service {
 public:
  Instance(Options options, const rpc::Environment& environment)
      : options_(std::move(options)),
        registry_(environment.registry),
        metrics_(*registry_),
        round_{.address = options_.door_address,
               .metrics = metrics_,
               .clock = environment.clock,
               .scheduler = environment.scheduler,
               .entropy = environment.entropy,
               .stopping = [this] { return stopping(); }},
        thread_([this] { Run(); }) {}
  ~Instance() override { Shutdown(); }

  int port() const override { return 0; }  // The probe serves only its metrics.
  void AnnounceShutdown() override {}

  void Shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stopped_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  bool stopping() {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }

  void Run() {
    // If no round ever succeeds, the time since the last success counts from the start of the
    // probe.
    metrics_.last_success.Set(absl::ToDoubleSeconds(round_.clock.Now() - absl::UnixEpoch()));
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      PlayRound(round_).IgnoreError();  // The round has counted and logged its error.
      lock.lock();
      stopped_.wait_for(lock, absl::ToChronoMilliseconds(options_.pause),
                        [this] { return stopping_; });
    }
  }

  const Options options_;
  const std::shared_ptr<prometheus::Registry> registry_;
  Metrics metrics_;
  const Environment round_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread thread_;  // The thread uses the members above, so this member is last.
};

}  // namespace
}  // namespace tarot::probe

int main(int argc, char** argv) {
  tarot::rpc::InitProcess(argc, argv, "probe", {TAROT_PROBE_OPTIONS(TAROT_OPTION_RANGE)});
  const tarot::probe::Options options = {TAROT_PROBE_OPTIONS(TAROT_OPTION_VALUE)};
  return tarot::rpc::RunService({.metrics_address = options.metrics_address}, /*check=*/nullptr,
                                [&](const tarot::rpc::Environment& environment)
                                    -> absl::StatusOr<std::unique_ptr<tarot::rpc::Service>> {
                                  return std::make_unique<tarot::probe::Instance>(options,
                                                                                  environment);
                                });
}
