// Defines a call about one table. This replica answers the call, or forwards it to the table's
// host. The messages are bytes, so that they can be forwarded unchanged.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "libs/base/error.h"
#include "libs/rpc/client_network.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/trace.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/host_router.h"

namespace tarot::rules_service {

// Returns INVALID_ARGUMENT BAD_REQUEST if `bytes` are not a message of this type.
template <typename Message>
absl::StatusOr<Message> Parse(const grpc::ByteBuffer& bytes) {
  Message message;
  // Deserialize consumes its argument, so pass it a copy of the buffer. The copy shares the bytes.
  grpc::ByteBuffer copy(bytes);
  if (grpc::SerializationTraits<Message>::Deserialize(&copy, &message).ok()) return message;
  return BadRequest("request", "must be a message of this method");
}

template <typename Message>
grpc::ByteBuffer Bytes(const Message& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  // Serialize can fail only for messages of 2 GiB or more.
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &own);
  return bytes;
}

// Returns the table and the request id of the request in `bytes`, for a log line about the call. If
// the table or the request id is missing or malformed, the result has an empty value for it.
template <typename Request>
rpc::CallSubject SubjectOf(const grpc::ByteBuffer& bytes) {
  rpc::CallSubject subject;
  const absl::StatusOr<Request> message = Parse<Request>(bytes);
  if (!message.ok()) return subject;
  if (ParseTableName(message->name(), "name").ok()) subject.table = message->name();
  if constexpr (requires { message->request_id(); }) {
    const auto id = ParseRequestId(message->request_id(), "request_id");
    if (id.ok()) subject.request_id = message->request_id();
  }
  return subject;
}

// Parses the request, and stores the table's id in `call.context`. If this replica must answer the
// call, runs `here(context, message, finish)`. If another replica hosts the table, forwards the
// call. Never waits, if `here` does not.
template <typename Request, typename Here>
void AnswerTableCall(HostRouter& router, HostRouter::Call call, rpc::Dispatcher::Finish finish,
                     Here& here) {
  const absl::StatusOr<Request> message = Parse<Request>(call.request);
  if (!message.ok()) return finish(message.status());
  const absl::StatusOr<TableId> table = ParseTableName(message->name(), "name");
  if (!table.ok()) return finish(table.status());
  call.context.table = *table;
  if (router.Forward(call, finish)) return;
  here(call.context, *message, std::move(finish));
}

// Runs the other overload of AnswerTableCall on a worker, for a unary call.
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
                                 {.context = {.caller = caller,
                                              .deadline = router.DeadlineOf(*context),
                                              .trace = rpc::TraceParentOf(*context),
                                              .network = rpc::ClientNetworkOf(*context)},
                                  .forwarded = HostRouter::Forwarded(*context),
                                  .method = method,
                                  .request = *request,
                                  .response = *response},
                                 std::move(finish), here);
      },
      [request] { return SubjectOf<Request>(*request); });
}

}  // namespace tarot::rules_service
