// Delays the packets of a network device, for kernels without netem.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <thread>

#include "absl/time/time.h"

namespace tarot::chaos {

// `tc` redirects the packets for `device` to a TAP device. This class reads them there and sends
// them to `device` in the same order, with a mark that makes `tc` let them pass. Needs root.
class DelayLine {
 public:
  static constexpr unsigned kMark = 0x7a;  // The SO_MARK of packets that have been delayed.

  // Makes the TAP device `tap`; the destructor removes it.
  DelayLine(const std::string& device, const std::string& tap);
  ~DelayLine();
  DelayLine(const DelayLine&) = delete;
  DelayLine& operator=(const DelayLine&) = delete;

  // Sets the delay of packets that arrive from now on. Earlier packets keep their delay.
  void set_delay(absl::Duration delay) { delay_us_ = absl::ToInt64Microseconds(delay); }

 private:
  struct Frame {
    std::int64_t due_us;
    std::string bytes;
  };

  void Run();
  void Receive();
  void SendDue();

  // `over_` is an eventfd, readable when the thread must end.
  int tap_ = -1, out_ = -1, over_ = -1;
  std::atomic<std::int64_t> delay_us_ = 0;
  std::deque<Frame> frames_;
  std::thread thread_;
};

}  // namespace tarot::chaos
