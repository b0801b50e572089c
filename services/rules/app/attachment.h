// A place beside a value for what somebody makes of it: made once, however many ask.
#pragma once

#include <memory>
#include <mutex>

namespace tarot::rules_service {

// Always of one type. Thread-safe. A copy of the value is another value: it starts without one.
class Attachment {
 public:
  Attachment() = default;
  Attachment(const Attachment&) {}
  Attachment& operator=(const Attachment&) {
    made_.reset();
    return *this;
  }

  // What `make()` returned to the first who asked; lives as long as the value.
  template <typename T, typename Make>
  const T& Get(Make make) const {
    const std::lock_guard lock(mutex_);
    if (made_ == nullptr) made_ = std::make_shared<const T>(make());
    return *static_cast<const T*>(made_.get());
  }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const void> made_;
};

}  // namespace tarot::rules_service
