#include "libs/base/write_batch.h"

namespace tarot {
namespace {

thread_local WriteBatch* current = nullptr;

}  // namespace

WriteBatch::WriteBatch() {
  if (current == nullptr) current = this;
}

WriteBatch::~WriteBatch() {
  if (current != this) return;
  current = nullptr;  // From here on, WriteWaiting and the code that it calls write at once.
  for (const Member& member : members_) member.writer->WriteWaiting();
}

bool WriteBatch::Join(BatchedWriter& writer, absl::FunctionRef<std::shared_ptr<void>()> owner) {
  if (current == nullptr) return false;
  // A batch has few members: a replica has two streams for each gateway.
  for (const Member& member : current->members_) {
    if (member.writer == &writer) return true;
  }
  current->members_.push_back({&writer, owner()});
  return true;
}

}  // namespace tarot
