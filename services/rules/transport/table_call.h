// A call about one table, answered here or by the table's host. Its messages are bytes.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "libs/base/error.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/trace.h"
#include "services/rules/app/request_context.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/names.h"

namespace tarot::rules_service {

// The message in `bytes`. INVALID_ARGUMENT BAD_REQUEST when it is none.
template <typename Message>
absl::StatusOr<Message> Parse(const grpc::ByteBuffer& bytes) {
  Message message;
  grpc::ByteBuffer copy(bytes);  // Of the slices' references: parsing takes them.
  if (grpc::SerializationTraits<Message>::Deserialize(&copy, &message).ok()) return message;
  return BadRequest("request", "not a message of this method");
}

template <typename Message>
grpc::ByteBuffer Bytes(const Message& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  // Fails for messages of 2 GiB only.
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &own);
  return bytes;
}

// For the log, when `bytes` say so; else nothing of it.
template <typename Request>
rpc::Dispatcher::Subject SubjectOf(const grpc::ByteBuffer& bytes) {
  rpc::Dispatcher::Subject subject;
  const absl::StatusOr<Request> message = Parse<Request>(bytes);
  if (!message.ok()) return subject;
  if (ParseTableName(message->name(), "name").ok()) subject.table = message->name();
  if constexpr (requires { message->request_id(); }) {
    const auto id = ParseRequestId(message->request_id(), "request_id");
    if (id.ok()) subject.request_id = message->request_id();
  }
  return subject;
}

// On a worker. `here(context, message, finish)` answers a call that is not sent to another replica.
template <typename Request, typename Here>
void AnswerTableCall(HostRouter& router, const HostRouter::Call& call,
                     rpc::Dispatcher::Finish finish, Here& here) {
  const absl::StatusOr<Request> message = Parse<Request>(call.request);
  if (!message.ok()) return finish(message.status());
  const absl::StatusOr<TableId> table = ParseTableName(message->name(), "name");
  if (!table.ok()) return finish(table.status());
  if (router.Forward(call, *table, finish)) return;
  here(RequestContext{.caller = call.caller, .table = *table}, *message, std::move(finish));
}

// The same for a call of its own.
template <typename Request, typename Here>
grpc::ServerUnaryReactor* AnswerTableCall(rpc::Dispatcher& dispatcher, HostRouter& router,
                                          grpc::CallbackServerContext* context, const char* method,
                                          rpc::Access access, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response, Here here) {
  return dispatcher.UnaryLater(
      context, method, access,
      [=, &router, here = std::move(here)](const rpc::Caller& caller,
                                           rpc::Dispatcher::Finish finish) mutable {
        AnswerTableCall<Request>(router,
                                 {.deadline = context->raw_deadline(),
                                  .forwarded = HostRouter::Forwarded(*context),
                                  .method = method,
                                  .caller = caller,
                                  .traceparent = rpc::TraceParentOf(*context),
                                  .request = *request,
                                  .response = *response},
                                 std::move(finish), here);
      },
      [request] { return SubjectOf<Request>(*request); });
}

}  // namespace tarot::rules_service
