// Lets a thread that changes many things write to each stream and to the log once, and not once for
// each change.
#pragma once

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"

namespace tarot {

// Something that writes its waiting messages or entries, for example a stream.
class BatchedWriter {
 public:
  virtual ~BatchedWriter() = default;
  // Sends what waits. Called without locks, on the thread of the batch.
  virtual void WriteWaiting() = 0;
};

// While a WriteBatch exists, the writers of this thread do not write. When it is destroyed, each of
// them writes once. A write costs a system call and the wake-up of a thread, so two small messages
// cost nearly twice as much as a large one. Keep a batch for less than a millisecond, and do not
// wait while it exists. A WriteBatch inside another one of the same thread has no effect.
class WriteBatch {
 public:
  WriteBatch();
  ~WriteBatch();
  WriteBatch(const WriteBatch&) = delete;
  WriteBatch& operator=(const WriteBatch&) = delete;

  // If this thread has a WriteBatch, `writer` joins it, and the result is true. Then the batch
  // keeps the owner that `owner` returns until the write; null means that the writer outlives the
  // batch. `owner` is called only in this case.
  static bool Join(BatchedWriter& writer, absl::FunctionRef<std::shared_ptr<void>()> owner);

 private:
  struct Member {
    BatchedWriter* writer;
    std::shared_ptr<void> owner;
  };
  std::vector<Member> members_;
};

}  // namespace tarot
