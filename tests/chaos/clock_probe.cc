// clock_probe FILE waits as Abseil and gRPC do, while its wall clock jumps an hour forward and
// back. clock_shim.cc reads the offset of the clock from FILE. The exit code is 0 if no wait was
// too long.
#include <grpcpp/alarm.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>

#include "absl/synchronization/notification.h"
#include "libs/base/real_clock.h"

namespace {

constexpr int kWaitMilliseconds = 400;

void SetClockOffset(const char* path, std::int64_t nanoseconds) {
  std::FILE* const file = std::fopen(path, "r+b");
  if (file == nullptr || std::fwrite(&nanoseconds, sizeof nanoseconds, 1, file) != 1) _exit(2);
  std::fclose(file);
}

// Starts `wait` while the clock is an hour ahead, corrects the clock, and returns whether `wait`
// ends soon after that.
bool EndsInTime(const char* path, const std::function<void()>& wait) {
  SetClockOffset(path, 3'600'000'000'000);
  std::promise<void> over;
  std::thread([&] {
    wait();
    over.set_value();
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(kWaitMilliseconds / 4));
  SetClockOffset(path, 0);
  const auto in_time = over.get_future().wait_for(std::chrono::seconds(10));
  return in_time == std::future_status::ready;
}

void WaitByAbseil() {
  absl::Notification never;
  never.WaitForNotificationWithTimeout(absl::Milliseconds(kWaitMilliseconds));
}

void WaitByGrpc() {
  std::promise<void> rang;
  grpc::Alarm alarm;
  alarm.Set(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                         gpr_time_from_millis(kWaitMilliseconds, GPR_TIMESPAN)),
            [&rang](bool) { rang.set_value(); });
  rang.get_future().wait();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tarot::UseSteadyWaits();
  const bool abseil = EndsInTime(argv[1], WaitByAbseil);
  const bool grpc = EndsInTime(argv[1], WaitByGrpc);
  if (!abseil) std::fprintf(stderr, "a timed wait of Abseil does not end\n");
  if (!grpc) std::fprintf(stderr, "a timer of gRPC does not fire\n");
  // If a wait has not ended, its thread still sleeps. No code waits for this thread.
  _exit(abseil && grpc ? 0 : 1);
}
