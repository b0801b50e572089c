// Bodies of the templates of client.h; include that one.
#pragma once

#include "libs/base/status_macros.h"
#include "libs/client/block_message.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"

namespace tarot::client {

// One call through all its attempts: the request stays the same, with its request_id.
template <typename Service, typename Request, typename Response>
struct Client::CallState {
  CallState(Method<Service, Request, Response> its_method, const Request& its_request,
            Done<Response> its_done)
      : method(its_method), request(its_request), done(std::move(its_done)) {}

  // Thread-safe; does nothing when the call is over.
  void Cancel() {
    const std::lock_guard lock(mutex);
    cancelled = true;
    if (context) context->TryCancel();
  }

  const Method<Service, Request, Response> method;
  const Request request;
  Done<Response> done;
  BlockMessage<Response> response;
  std::optional<grpc::ClientContext> context;  // A new one for every attempt.
  int failures = 0;
  std::mutex mutex;  // Guards the life of `context`, and `cancelled`.
  bool cancelled = false;
};

template <typename Service>
Service& Client::Get(Gateway& gateway) {
  if constexpr (std::is_same_v<Service, Sessions>) return *gateway.sessions.async();
  if constexpr (std::is_same_v<Service, Tables>) return *gateway.tables.async();
  if constexpr (std::is_same_v<Service, Records>) return *gateway.records.async();
  if constexpr (std::is_same_v<Service, Matchmaking>) return *gateway.matchmaking.async();
  if constexpr (std::is_same_v<Service, Ratings>) return *gateway.ratings.async();
}

template <typename Service, typename Request, typename Response>
std::function<void()> Client::Start(Method<Service, Request, Response> method,
                                    const std::type_identity_t<Request>& request,
                                    std::type_identity_t<Done<Response>> done) {
  CallStarted();
  const auto state =
      std::make_shared<CallState<Service, Request, Response>>(method, request, std::move(done));
  Attempt(state);
  return [weak = std::weak_ptr(state)] {
    if (const auto call = weak.lock()) call->Cancel();
  };
}

template <typename Service, typename Request, typename Response>
void Client::Attempt(std::shared_ptr<CallState<Service, Request, Response>> state) {
  {
    const std::lock_guard lock(state->mutex);
    state->context.emplace();
    if (state->cancelled) state->context->TryCancel();
  }
  Prepare(*state->context);
  rpc::SetTimeout(*state->context, options_.call_timeout);
  auto* const call = state.get();
  const std::size_t gateway = InUse();
  (Get<Service>(*gateways_[gateway]).*call->method)(
      &*call->context, &call->request, &*call->response,
      [this, gateway, state = std::move(state)](const grpc::Status& status) mutable {
        // Holds the channel, whose last owner must be no thread of gRPC: that would join itself.
        {
          const std::lock_guard lock(state->mutex);
          state->context.reset();
        }
        if (status.ok()) {
          state->done(&*state->response);
          return CallEnded();
        }
        // Late is as good as lost: the same request_id makes the repeat harmless.
        const bool lost = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                          status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
        if (lost) Failed(gateway);
        const bool again = lost && ++state->failures < options_.retry.attempts_max && !stopping();
        if (!again) {
          state->done(status::FromGrpc(status));
          return CallEnded();
        }
        const absl::Duration wait = options_.retry.Backoff(state->failures, entropy_);
        scheduler_.After(wait,
                         [this, state = std::move(state)]() mutable { Attempt(std::move(state)); });
      });
}

template <typename Service, typename Request, typename Response>
absl::StatusOr<Response> Client::Call(Method<Service, Request, Response> method,
                                      const std::type_identity_t<Request>& request) {
  std::promise<absl::StatusOr<Response>> answer;
  Start(method, request, [&answer](const absl::StatusOr<const Response*>& result) {
    if (!result.ok()) return answer.set_value(result.status());
    answer.set_value(**result);
  });
  return answer.get_future().get();
}

}  // namespace tarot::client
