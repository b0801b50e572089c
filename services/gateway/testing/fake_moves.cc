#include "services/gateway/testing/fake_moves.h"

#include <utility>

namespace tarot::gateway_service {

class FakeMoves::Stream final : public rpc::ServerBidiStream<rules::v1::SubmitActionsRequest,
                                                             rules::v1::SubmitActionsResponse> {
 public:
  static std::shared_ptr<Stream> Open(FakeMoves& owner) {
    const std::shared_ptr<Stream> stream(new Stream(owner));
    if (owner.unknown) stream->CloseNow(absl::UnimplementedError(""));
    stream->Begin();
    return stream;
  }

 private:
  explicit Stream(FakeMoves& owner)
      : ServerBidiStream(owner.calls_.Method("tarot.rules.v1.TableFeedService/SubmitActions")),
        owner_(owner) {}

  bool OnRequest(rules::v1::SubmitActionsRequest& request) override {
    for (const rules::v1::PlayerCall& call : request.calls()) {
      ++owner_.moves;
      rules::v1::CallAnswer answer;
      answer.set_call(call.call());
      if (!owner_.on_move(call, answer)) continue;
      const std::lock_guard lock(mutex());
      *waiting_.add_answers() = answer;
    }
    Advance();
    return true;
  }
  void OnRequestsDone() override { Close(absl::OkStatus()); }
  bool TakeLocked() override {
    if (waiting_.answers_size() == 0 && (hello_ || closing_locked())) return false;
    hello_ = true;
    taken_.Clear();
    taken_.Swap(&waiting_);
    return true;
  }
  void Fill(rules::v1::SubmitActionsResponse& response) override { response.Swap(&taken_); }
  void DropLocked() override { waiting_.Clear(); }
  void OnWritten() override {
    if (!std::exchange(told_, true)) ++owner_.open;
  }
  void OnOver() override {
    if (told_) --owner_.open;
    const std::lock_guard lock(owner_.mutex_);
    owner_.streams_.erase(std::static_pointer_cast<Stream>(shared_from_this()));
  }

  FakeMoves& owner_;
  bool hello_ = false;  // True after gRPC has taken the empty first message.
  bool told_ = false;   // True after gRPC has written the empty first message.
  rules::v1::SubmitActionsResponse waiting_, taken_;
};

FakeMoves::Call* FakeMoves::Open() {
  const auto stream = Stream::Open(*this);
  const std::lock_guard lock(mutex_);
  streams_.insert(stream);
  return stream.get();
}

void FakeMoves::Drop() {
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) stream->CloseNow(absl::UnavailableError("gone"));
}

}  // namespace tarot::gateway_service
