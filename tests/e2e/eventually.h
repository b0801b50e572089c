// Waits for a condition by asking again and again.
#pragma once

#include <chrono>
#include <thread>

#include "absl/time/time.h"

namespace tarot::e2e {

template <typename Done>
bool Eventually(absl::Duration limit, Done done) {
  const auto end = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(limit);
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return done();
}

}  // namespace tarot::e2e
