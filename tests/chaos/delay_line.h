// A detour for the packets of a network device, on which they lose time: for kernels without netem.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <thread>

#include "absl/time/time.h"

namespace tarot::chaos {

// The packets come in by a TAP device, to which `tc` sends what was meant for `device`, and go out
// by `device` in the same order, with a mark by which `tc` lets them pass. Needs root.
class LateLine {
 public:
  static constexpr unsigned kMark = 0x7a;  // SO_MARK of what has been late already.

  // The TAP device is called `tap`, and goes when this does.
  LateLine(const std::string& device, const std::string& tap);
  ~LateLine();
  LateLine(const LateLine&) = delete;
  LateLine& operator=(const LateLine&) = delete;

  // Holds for what comes from now on; what is on its way keeps its time.
  void set_delay(absl::Duration delay) { delay_us_ = absl::ToInt64Microseconds(delay); }

 private:
  struct Frame {
    std::int64_t due_us;
    std::string bytes;
  };

  void Carry();
  void Take();
  void GiveWhatIsDue();

  int tap_ = -1, out_ = -1, over_ = -1;  // `over_` is an eventfd: readable when it is time to end.
  std::atomic<std::int64_t> delay_us_ = 0;
  std::deque<Frame> frames_;
  std::thread thread_;
};

}  // namespace tarot::chaos
