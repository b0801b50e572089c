// A call of a browser to the gateway's own gRPC server, through a channel inside the process. So
// the server checks and limits this call like the call of any other client.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace tarot::gateway_service {

// The parts of a browser's request that the door passes on. The door drops all other parts.
struct WebRequest {
  std::string method;  // For example "/tarot.rules.v1.TableService/GetTable".
  bool streaming = false;
  grpc::ByteBuffer message;
  std::string authorization;
  std::string traceparent;
  std::string client_address;
  std::optional<absl::Duration> timeout;
};

// Gets the answer of a call. All functions run on the thread of the door.
class WebCallReader {
 public:
  virtual ~WebCallReader() = default;
  // Gets a message of a stream. Call WebCall::Next() to get the next one.
  virtual void OnMessage(grpc::ByteBuffer message) = 0;
  // The call is over. `message` is the answer of a unary call; it is empty for a stream.
  virtual void OnEnd(const grpc::Status& status, grpc::ByteBuffer message) = 0;
};

// Gives a task to the thread of the door, which runs it later, not inside this call. Any thread may
// call this function.
using Post = std::function<void(absl::AnyInvocable<void()>)>;

// All functions run on the thread of the door.
class WebCall : public std::enable_shared_from_this<WebCall> {
 public:
  // Starts the call. `post` keeps the door's thread alive until the call is over. The call owns
  // `reader` until OnEnd() or Cancel().
  static std::shared_ptr<WebCall> Start(grpc::GenericStub& stub, WebRequest request,
                                        std::shared_ptr<WebCallReader> reader, Post post);

  // Asks for the next message of a stream. Call this function once after each OnMessage().
  void Next();
  // Returns the id of the call's trace. Call this function only in OnMessage() or OnEnd().
  std::string trace_id() const;
  // Cancels the call. Afterwards, no function of the reader is called.
  void Cancel();

 private:
  struct Unary final : grpc::ClientUnaryReactor {
    explicit Unary(WebCall& owner) : call(owner) {}
    void OnDone(const grpc::Status& status) override { call.Done(status); }
    WebCall& call;
  };
  struct Stream final : grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
    explicit Stream(WebCall& owner) : call(owner) {}
    void OnReadDone(bool ok) override;
    void OnDone(const grpc::Status& status) override { call.Done(status); }
    WebCall& call;
  };

  WebCall(WebRequest request, std::shared_ptr<WebCallReader> reader, Post post);
  void Begin(grpc::GenericStub& stub);
  void Done(const grpc::Status& status);  // Runs on a thread of gRPC.
  void Read(bool ok);
  void EndHold();

  WebRequest request_;
  std::shared_ptr<WebCallReader> reader_;
  const Post post_;
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;
  std::shared_ptr<WebCall> self_;  // Keeps this object until gRPC has finished with it.
  bool reading_ = false;
  bool held_ = false;  // True while a hold of gRPC keeps the stream open between two reads.
  Unary unary_{*this};
  Stream stream_{*this};
};

}  // namespace tarot::gateway_service
