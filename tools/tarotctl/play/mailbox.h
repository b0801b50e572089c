// Hands the newest value of a watch from its callback thread to the thread that waits for input.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "tools/tarotctl/play/input.h"

namespace tarot::tarotctl {

// Thread-safe. `input` outlives it.
template <typename T>
class Mailbox {
 public:
  explicit Mailbox(Input& input) : input_(input) {}

  void Put(T value) {
    {
      std::lock_guard lock(mutex_);
      newest_ = std::move(value);
    }
    input_.Wake();
  }

  void End(absl::Status status) {
    {
      std::lock_guard lock(mutex_);
      end_ = std::move(status);
    }
    input_.Wake();
  }

  // The newest value not taken yet.
  std::optional<T> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(newest_, std::nullopt);
  }

  // How the watch ended; values put before it are still to be taken.
  std::optional<absl::Status> end() const {
    std::lock_guard lock(mutex_);
    return end_;
  }

 private:
  Input& input_;
  mutable std::mutex mutex_;
  std::optional<T> newest_;
  std::optional<absl::Status> end_;
};

}  // namespace tarot::tarotctl
