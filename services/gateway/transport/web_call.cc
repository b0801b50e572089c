#include "services/gateway/transport/web_call.h"

#include <utility>

#include "libs/rpc/call.h"
#include "libs/rpc/trace.h"
#include "services/gateway/transport/door.h"

namespace tarot::gateway_service {

std::shared_ptr<WebCall> WebCall::Start(grpc::GenericStub& stub, WebRequest request,
                                        std::shared_ptr<WebCallReader> reader, Post post) {
  const std::shared_ptr<WebCall> call(
      new WebCall(std::move(request), std::move(reader), std::move(post)));
  call->self_ = call;
  call->Begin(stub);
  return call;
}

WebCall::WebCall(WebRequest request, std::shared_ptr<WebCallReader> reader, Post post)
    : request_(std::move(request)), reader_(std::move(reader)), post_(std::move(post)) {}

void WebCall::Begin(grpc::GenericStub& stub) {
  if (!request_.authorization.empty()) {
    context_.AddMetadata("authorization", request_.authorization);
  }
  context_.AddMetadata(kClientAddressMetadata, request_.client_address);
  rpc::PassTraceOn(request_.traceparent, context_);
  if (request_.timeout) rpc::SetTimeout(context_, *request_.timeout);
  if (!request_.streaming) {
    stub.PrepareUnaryCall(&context_, request_.method, grpc::StubOptions(), &request_.message,
                          &message_, &unary_);
    unary_.StartCall();
    return;
  }
  stub.PrepareBidiStreamingCall(&context_, request_.method, grpc::StubOptions(), &stream_);
  held_ = reading_ = true;
  stream_.AddHold();
  stream_.StartWriteLast(&request_.message, grpc::WriteOptions());
  stream_.StartRead(&message_);
  stream_.StartCall();
}

void WebCall::Stream::OnReadDone(bool ok) {
  call.post_([self = call.shared_from_this(), ok] { self->Read(ok); });
}

void WebCall::Read(bool ok) {
  reading_ = false;
  if (!ok || reader_ == nullptr) return EndHold();
  reader_->OnMessage(std::move(message_));
}

void WebCall::Next() {
  if (reader_ == nullptr) return;  // After Cancel() no read may start, because the hold is removed.
  reading_ = true;
  stream_.StartRead(&message_);
}

std::string WebCall::trace_id() const {
  const auto& metadata = context_.GetServerInitialMetadata();
  const auto found = metadata.find(rpc::kTraceIdMetadata);
  if (found == metadata.end()) return "";
  return std::string(found->second.data(), found->second.size());
}

void WebCall::Cancel() {
  if (std::exchange(reader_, nullptr) == nullptr) return;
  context_.TryCancel();
  if (!reading_) EndHold();
}

void WebCall::EndHold() {
  if (std::exchange(held_, false)) stream_.RemoveHold();
}

void WebCall::Done(const grpc::Status& status) {
  // A copy is needed, because the task may destroy this object before `post` returns.
  const Post post = post_;
  post([self = std::move(self_), status] {
    const std::shared_ptr<WebCallReader> reader = std::exchange(self->reader_, nullptr);
    if (reader != nullptr) reader->OnEnd(status, std::move(self->message_));
  });
}

}  // namespace tarot::gateway_service
