#include "services/gateway/testing_moves.h"

#include <utility>

namespace tarot::gateway {

class FakeMoves::Stream final : public Reactor {
 public:
  explicit Stream(FakeMoves& owner) : owner_(owner) {}

  // Both need the owner's mutex.
  void Begin() {
    if (owner_.unknown) return End(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, ""));
    writing_ = true;
    StartWrite(&response_);
    StartRead(&request_);
  }
  void End(const grpc::Status& status) {
    if (!std::exchange(ended_, true)) Finish(status);
  }

 private:
  void OnReadDone(bool ok) override {
    const std::lock_guard lock(owner_.mutex_);
    if (!ok) return End(grpc::Status::OK);
    for (const rules::v1::PlayerCall& call : request_.calls()) {
      ++owner_.moves;
      rules::v1::CallAnswer answer;
      answer.set_call(call.call());
      if (owner_.on_move(call, answer)) *waiting_.add_answers() = answer;
    }
    Write();
    if (!ended_) StartRead(&request_);
  }
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(owner_.mutex_);
    writing_ = false;
    if (!std::exchange(told_, true) && ok) ++owner_.open;
    if (ok) Write();
  }
  void Write() {
    if (writing_ || ended_ || waiting_.answers_size() == 0) return;
    writing_ = true;
    response_.Clear();
    response_.Swap(&waiting_);
    StartWrite(&response_);
  }
  void OnCancel() override {
    const std::lock_guard lock(owner_.mutex_);
    End(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    {
      const std::lock_guard lock(owner_.mutex_);
      owner_.streams_.erase(this);
      if (told_) --owner_.open;
    }
    delete this;
  }

  FakeMoves& owner_;
  bool told_ = false;
  bool writing_ = false;
  bool ended_ = false;
  rules::v1::SubmitActionsRequest request_;
  rules::v1::SubmitActionsResponse response_, waiting_;
};

FakeMoves::Reactor* FakeMoves::Open() {
  const std::lock_guard lock(mutex_);
  Stream* const stream = *streams_.insert(new Stream(*this)).first;
  stream->Begin();
  return stream;
}

void FakeMoves::Drop() {
  const std::lock_guard lock(mutex_);
  for (Stream* stream : std::set<Stream*>(streams_)) {
    stream->End(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone"));
  }
}

}  // namespace tarot::gateway
