// One HTTP/1.1 connection of a browser, or of HAProxy on behalf of browsers. It answers one request
// at a time: with a file of the page, or with the answer of a call in gRPC-Web.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/page_files.h"
#include "services/gateway/transport/routes.h"
#include "services/gateway/transport/web_call.h"

namespace tarot::gateway_service {

class HttpConnection;

// The state that all connections of a door share. It must outlive the connections.
struct HttpShared {
  grpc::GenericStub& stub;
  const Routes& routes;
  Clock& clock;
  Metrics& metrics;
  Post post;
  std::function<bool()> ready;            // The answer of /health.
  std::shared_ptr<const PageFiles> page;  // Null while there is no page.
  bool draining = false;                  // True if each connection must close after its answer.
  // Called once when a connection is over.
  std::function<void(HttpConnection&)> forget;
};

// All functions run on the thread of the door. A shared_ptr must own the object.
class HttpConnection final : public WebCallReader,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  // `client_address` is the address of the client without its port. It is empty if HAProxy is the
  // client. In this case each request has the address in the header x-tarot-client-address.
  HttpConnection(Socket socket, std::string client_address, HttpShared& shared);
  ~HttpConnection() override;

  // Waits for the first request.
  void Start();
  // Ends the current phase if its deadline has passed. The door calls this function every second.
  void Sweep(absl::Time now);
  // Closes the connection if it has no request.
  void Drain();
  // Closes the connection, and cancels its call.
  void Cut() { Close(); }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  enum class Phase {
    kIdle,    // The connection waits for a request.
    kHead,    // The connection reads the head of a request.
    kBody,    // The connection reads the body of a request.
    kCall,    // The connection waits for the answer of the gRPC server.
    kWrite,   // The connection writes a part of the answer.
    kLinger,  // The server has closed its side, and waits until the client closes too.
    kClosed,
  };

  void Enter(Phase phase, absl::Duration limit = absl::InfiniteDuration());
  void Await();
  void WatchSocket();
  void OnReadable();
  void ReadHead();
  void OnHead();
  void AnswerFile(absl::string_view path);
  void CheckCall();
  void ReadBody();
  void StartCall();

  void OnMessage(grpc::ByteBuffer message) override;
  void OnEnd(const grpc::Status& status, grpc::ByteBuffer message) override;

  // Answers a call with the error `status`, without the gRPC server. Closes the connection
  // afterwards if the request was not read to its end.
  void RefuseCall(const absl::Status& status);
  void AnswerText(int code, absl::string_view text, absl::string_view more_headers = "");
  void AnswerWhole(int code, absl::string_view headers, std::string body);
  void AddHead(int code, absl::string_view headers);
  void AddMessage(const grpc::ByteBuffer& message, bool chunked);
  void Write(bool last);
  void OnWritten(bool last);
  void Linger();
  void Discard();
  void Close();
  void CloseFor(prometheus::Counter& reason);

  // Returns the value of a header of the request, or an empty text if there is none.
  absl::string_view Header(absl::string_view name) const;
  bool IsOfForeignPage() const;

  Socket socket_;
  const std::string peer_address_;
  HttpShared& shared_;
  Phase phase_ = Phase::kIdle;
  absl::Time deadline_;
  bool watching_ = false;  // True while the connection waits for its socket to become readable.
  bool overdue_ = false;   // The body did not come in time.
  bool answered_ = false;  // The last part of the answer is being written.
  bool keep_alive_ = false;
  bool body_read_ = false;
  bool head_only_ = false;  // The method is HEAD.
  bool streaming_ = false;
  bool head_sent_ = false;
  boost::beast::flat_buffer in_;
  std::optional<Parser> parser_;
  std::shared_ptr<WebCall> call_;

  // The part of the answer that is being written.
  std::string head_;
  std::string body_;
  std::string chunk_;
  std::array<char, 5> prefix_;
  std::vector<grpc::Slice> slices_;
  std::shared_ptr<const PageFiles> page_;  // Keeps the file.
  std::vector<boost::asio::const_buffer> out_;
};

}  // namespace tarot::gateway_service
