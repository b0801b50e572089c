#include "services/gateway/transport/http_connection.h"

#include <sys/socket.h>

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/door.h"
#include "services/gateway/transport/web_frames.h"

namespace tarot::gateway_service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

// All answers have kCommonHeaders. All answers except those of calls also have kPageHeaders.
// Because of these headers, the browser loads nothing from another origin for the page, runs no
// inline script, and does not show the page inside a frame.
constexpr absl::string_view kCommonHeaders =
    "X-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";
constexpr absl::string_view kPageHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; media-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n";
constexpr absl::string_view kForever = "public, max-age=31536000, immutable";
constexpr absl::string_view kAskAgain = "no-cache";

absl::string_view PhraseOf(int code) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(code));
  return {phrase.data(), phrase.size()};
}

absl::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Returns true for a path such as "/package.Service/Method". No other path may reach gRPC, which
// would end the process if the path were not a valid header.
bool IsMethodPath(absl::string_view path) {
  if (!absl::ConsumePrefix(&path, "/")) return false;
  const std::size_t slash = path.find('/');
  if (slash == 0 || slash == absl::string_view::npos || slash + 1 == path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto c = static_cast<unsigned char>(path[i]);
    if (i != slash && !absl::ascii_isalnum(c) && c != '.' && c != '_') return false;
  }
  return true;
}

// Returns the text if gRPC accepts it as the value of metadata, and otherwise an empty text. Any
// other value would make gRPC end the process.
std::string MetadataValue(absl::string_view text) {
  for (const char c : text) {
    if (c < ' ' || c > '~') return "";
  }
  return std::string(text);
}

absl::Status RequestNotWhole() {
  return BadRequest("request",
                    absl::StrCat("not whole within ", absl::ToInt64Seconds(kRequestTimeout), " s"));
}

absl::Status RequestTooLong() {
  return BadRequest("request", absl::StrCat("longer than ", kRequestBytesMax, " bytes"));
}

// Returns the headers of a call's answer. `trace_id` is empty if the call has no trace.
std::string CallHeaders(absl::string_view trace_id) {
  std::string headers =
      absl::StrCat("Content-Type: ", kWebContentType, "\r\nCache-Control: no-store\r\n");
  if (!trace_id.empty()) absl::StrAppend(&headers, rpc::kTraceIdMetadata, ": ", trace_id, "\r\n");
  return headers;
}

}  // namespace

HttpConnection::HttpConnection(Socket socket, std::string client_address, HttpShared& shared)
    : socket_(std::move(socket)),
      peer_address_(std::move(client_address)),
      shared_(shared),
      in_(kHttpHeadBytesMax) {
  shared_.metrics.http_connections_open.Increment();
}

HttpConnection::~HttpConnection() { shared_.metrics.http_connections_open.Decrement(); }

void HttpConnection::Enter(Phase phase, absl::Duration limit) {
  phase_ = phase;
  deadline_ = shared_.clock.Now() + limit;
}

void HttpConnection::Start() { Await(); }

void HttpConnection::Await() {
  if (shared_.draining) return Close();
  Enter(Phase::kIdle, kHttpIdleTimeout);
  if (in_.size() > 0) return ReadHead();
  in_.shrink_to_fit();  // An idle connection keeps no memory for requests.
  WatchSocket();
}

// While a call runs, the socket becomes readable if the client goes away. OnReadable() then notices
// it.
void HttpConnection::WatchSocket() {
  if (std::exchange(watching_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->watching_ = false;
    if (!error) self->OnReadable();
  });
}

void HttpConnection::OnReadable() {
  if (phase_ == Phase::kIdle) return ReadHead();
  const bool in_call = (phase_ == Phase::kCall || phase_ == Phase::kWrite) && !answered_;
  if (!in_call || call_ == nullptr) return;
  char byte;
  const auto got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return WatchSocket();
  // If the client has sent its next request before it got the answer, the socket stays readable.
  // Then this connection could not notice any more that the client goes away. So the connection
  // closes.
  CloseFor(got > 0 ? shared_.metrics.http_early_data : shared_.metrics.http_clients_gone);
}

void HttpConnection::ReadHead() {
  Enter(Phase::kHead, kRequestTimeout);
  answered_ = overdue_ = body_read_ = streaming_ = head_sent_ = false;
  parser_.emplace();
  parser_->header_limit(kHttpHeadBytesMax);
  // The parser needs no limit for the body, because CheckCall() limits its size.
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  http::async_read_header(
      socket_, in_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
        if (self->phase_ == Phase::kClosed) return;
        if (!error) return self->OnHead();
        self->keep_alive_ = self->head_only_ = false;
        if (error == http::error::header_limit || error == http::error::buffer_overflow) {
          return self->AnswerText(431, "The headers are too long.");
        }
        if (error.category() == make_error_code(http::error::bad_version).category() &&
            error != http::error::end_of_stream && error != http::error::partial_message) {
          return self->AnswerText(400, "This is not a request of HTTP/1.1.");
        }
        self->Close();
      });
}

absl::string_view HttpConnection::Header(absl::string_view name) const {
  return View(parser_->get()[boost::beast::string_view(name.data(), name.size())]);
}

// Returns true if the call comes from a page of another origin. A browser sends the origin of the
// page in the header Origin. If the door has https or runs on the browser's machine, the browser
// also compares this origin with the door's own, and sends the result in Sec-Fetch-Site.
bool HttpConnection::IsOfForeignPage() const {
  const absl::string_view site = Header("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return true;
  if (parser_->get().find(http::field::origin) == parser_->get().end()) return false;
  absl::string_view origin = Header("Origin");
  if (!absl::ConsumePrefix(&origin, "https://") && !absl::ConsumePrefix(&origin, "http://")) {
    return true;
  }
  return !absl::EqualsIgnoreCase(origin, Header("Host"));
}

void HttpConnection::OnHead() {
  const auto& request = parser_->get();
  const bool has_body =
      parser_->chunked() || (parser_->content_length() && *parser_->content_length() > 0);
  body_read_ = !has_body;
  keep_alive_ = request.keep_alive() && !shared_.draining;
  head_only_ = request.method() == http::verb::head;
  const absl::string_view target = View(request.target());
  if (request.version() != 11 && request.version() != 10) {
    keep_alive_ = false;
    return AnswerText(505, "The server speaks HTTP/1.1.");
  }
  if (request.version() == 11 && request.count(http::field::host) != 1) {
    keep_alive_ = false;
    return AnswerText(400, "A request has one header Host.");
  }
  const absl::string_view path = target.substr(0, target.find('?'));
  if (!IsCleanPath(path)) return AnswerText(400, "The path is malformed.");
  switch (request.method()) {
    case http::verb::get:
    case http::verb::head:
      if (has_body) return AnswerText(400, "A request for a file has no body.");
      return AnswerFile(path);
    case http::verb::post:
      if (path.size() != target.size()) {
        return AnswerText(400, "A call has no query. The token belongs into its header.");
      }
      return CheckCall();
    default:
      return AnswerText(405, "The door takes GET, HEAD and POST.", "Allow: GET, HEAD, POST\r\n");
  }
}

void HttpConnection::AnswerFile(absl::string_view path) {
  if (path == "/health") {
    return shared_.ready() ? AnswerText(200, "ready") : AnswerText(503, "not ready");
  }
  if (absl::StartsWith(path, "/tarot.") || absl::StartsWith(path, "/grpc.")) {
    return AnswerText(405, "A method is called with POST.", "Allow: POST\r\n");
  }
  page_ = shared_.page;
  if (page_ == nullptr) return AnswerText(404, "This gateway has no page.");
  const PageFile* const file = page_->Find(path);
  if (file == nullptr) return AnswerText(404, "There is no such file.");
  const EncodedFile encoded = EncodingFor(*file, Header("Accept-Encoding"));
  const std::string etag =
      absl::StrCat("\"", file->etag, encoded.name.empty() ? "" : "-", encoded.name, "\"");
  std::string headers =
      absl::StrCat(kPageHeaders, "ETag: ", etag, "\r\nVary: Accept-Encoding\r\nCache-Control: ",
                   file->immutable ? kForever : kAskAgain, "\r\n");
  shared_.metrics.http_files.Increment();
  if (absl::StrContains(Header("If-None-Match"), etag)) {
    AddHead(304, headers);
    return Write(true);
  }
  absl::StrAppend(&headers, "Content-Type: ", file->type,
                  "\r\nContent-Length: ", encoded.content.size(), "\r\n");
  if (!encoded.name.empty()) absl::StrAppend(&headers, "Content-Encoding: ", encoded.name, "\r\n");
  AddHead(200, headers);
  if (!head_only_) out_.push_back(asio::buffer(encoded.content));
  Write(true);
}

void HttpConnection::CheckCall() {
  const absl::string_view path = View(parser_->get().target());
  if (IsOfForeignPage()) {
    shared_.metrics.http_foreign_origins.Increment();
    return AnswerText(403, "The call comes from a page of another origin.");
  }
  const absl::string_view type = Header("Content-Type");
  if (absl::StartsWith(type, kWebTextContentType)) {
    return AnswerText(415, "The server takes no base64. Use application/grpc-web+proto.");
  }
  if (type != kWebContentType && type != kWebContentTypeShort) {
    return AnswerText(415, "A call has the content type application/grpc-web+proto.");
  }
  if (parser_->get().version() != 11) {
    return AnswerText(505, "Calls need HTTP/1.1.");
  }
  if (!IsMethodPath(path)) return AnswerText(404, "There is no such method.");
  constexpr std::uint64_t kBodyMax = kRequestBytesMax + kFramePrefixBytes;
  if (parser_->content_length() && *parser_->content_length() > kBodyMax) {
    return RefuseCall(RequestTooLong());
  }
  parser_->body_limit(kBodyMax);
  if (body_read_) return StartCall();
  ReadBody();
}

void HttpConnection::ReadBody() {
  Enter(Phase::kBody, kRequestTimeout);
  http::async_read(socket_, in_, *parser_,
                   [self = shared_from_this()](error_code error, std::size_t) {
                     if (self->phase_ == Phase::kClosed) return;
                     if (!error) {
                       self->body_read_ = true;
                       return self->StartCall();
                     }
                     if (self->overdue_) return self->RefuseCall(RequestNotWhole());
                     if (error == http::error::body_limit) {
                       return self->RefuseCall(RequestTooLong());
                     }
                     self->CloseFor(self->shared_.metrics.http_clients_gone);
                   });
}

void HttpConnection::StartCall() {
  absl::StatusOr<grpc::ByteBuffer> message = ParseWebCall(parser_->get().body());
  if (!message.ok()) return RefuseCall(message.status());
  WebRequest request = {.method = std::string(View(parser_->get().target())),
                        .message = *std::move(message),
                        .authorization = MetadataValue(Header("Authorization")),
                        .traceparent = std::string(Header(rpc::kTraceMetadata)),
                        .client_address = peer_address_,
                        .timeout = ParseGrpcTimeout(Header("grpc-timeout"))};
  if (!rpc::IsTraceParent(request.traceparent)) request.traceparent.clear();
  if (request.client_address.empty()) {
    request.client_address = MetadataValue(Header(kClientAddressMetadata));
  }
  const Route* const route = shared_.routes.Find(request.method);
  streaming_ = request.streaming = route != nullptr && route->streaming;
  parser_.reset();  // A stream may stay open for long, and does not need its request any more.
  in_.shrink_to_fit();
  Enter(Phase::kCall);
  shared_.metrics.http_calls.Increment();
  shared_.metrics.http_calls_open.Increment();
  call_ = WebCall::Start(shared_.stub, std::move(request), shared_from_this(), shared_.post);
  WatchSocket();
}

void HttpConnection::OnMessage(grpc::ByteBuffer message) {
  if (!std::exchange(head_sent_, true)) {
    AddHead(200, absl::StrCat(CallHeaders(call_->trace_id()), "Transfer-Encoding: chunked\r\n"));
  }
  AddMessage(message, true);
  Write(false);
}

void HttpConnection::OnEnd(const grpc::Status& status, grpc::ByteBuffer message) {
  const std::string headers = CallHeaders(call_->trace_id());
  call_.reset();
  shared_.metrics.http_calls_open.Decrement();
  const std::string trailers = TrailerFrame(status);
  if (head_sent_) {
    chunk_ = absl::StrFormat("%x\r\n%s\r\n0\r\n\r\n", trailers.size(), trailers);
    out_.push_back(asio::buffer(chunk_));
    return Write(true);
  }
  const bool has_message = status.ok() && !streaming_;
  const std::size_t size = has_message ? kFramePrefixBytes + message.Length() : 0;
  AddHead(200, absl::StrCat(headers, "Content-Length: ", size + trailers.size(), "\r\n"));
  if (has_message) AddMessage(message, false);
  body_ = trailers;
  out_.push_back(asio::buffer(body_));
  Write(true);
}

void HttpConnection::RefuseCall(const absl::Status& status) {
  if (!body_read_) keep_alive_ = false;
  shared_.metrics.http_refused.Increment();
  AnswerWhole(200, CallHeaders(""), TrailerFrame(status::ToGrpc(status)));
}

void HttpConnection::AnswerText(int code, absl::string_view text, absl::string_view more_headers) {
  if (!body_read_) keep_alive_ = false;
  if (code >= 400) shared_.metrics.http_refused.Increment();
  AnswerWhole(
      code,
      absl::StrCat(kPageHeaders, more_headers,
                   "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"),
      absl::StrCat(text, "\n"));
}

void HttpConnection::AnswerWhole(int code, absl::string_view headers, std::string body) {
  body_ = std::move(body);
  AddHead(code, absl::StrCat(headers, "Content-Length: ", body_.size(), "\r\n"));
  if (!head_only_) out_.push_back(asio::buffer(body_));
  Write(true);
}

void HttpConnection::AddHead(int code, absl::string_view headers) {
  // The page compares Date with the browser's clock, which may be wrong.
  const std::string date =
      absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT", shared_.clock.Now(), absl::UTCTimeZone());
  head_ = absl::StrCat("HTTP/1.1 ", code, " ", PhraseOf(code), "\r\nDate: ", date, "\r\n",
                       kCommonHeaders, headers, keep_alive_ ? "" : "Connection: close\r\n", "\r\n");
  out_.push_back(asio::buffer(head_));
}

void HttpConnection::AddMessage(const grpc::ByteBuffer& message, bool chunked) {
  const std::size_t size = message.Length();
  if (chunked) {
    chunk_ = absl::StrFormat("%x\r\n", kFramePrefixBytes + size);
    out_.push_back(asio::buffer(chunk_));
  }
  prefix_ = MessagePrefix(size);
  out_.push_back(asio::buffer(prefix_));
  message.Dump(&slices_);
  for (const grpc::Slice& slice : slices_) {
    out_.push_back(asio::buffer(slice.begin(), slice.size()));
  }
  if (chunked) out_.push_back(asio::buffer("\r\n", 2));
}

void HttpConnection::Write(bool last) {
  answered_ = last;
  // The time limit grows by a second for every kHttpSlowestBytes, because the slowest network that
  // we serve takes this number of bytes per second.
  const auto seconds = static_cast<std::int64_t>(asio::buffer_size(out_) / kHttpSlowestBytes);
  Enter(Phase::kWrite, kHttpWriteTimeout + absl::Seconds(seconds));
  asio::async_write(socket_, out_,
                    [self = shared_from_this(), last](error_code error, std::size_t) {
                      if (self->phase_ == Phase::kClosed) return;
                      if (error) return self->CloseFor(self->shared_.metrics.http_clients_gone);
                      self->OnWritten(last);
                    });
}

void HttpConnection::OnWritten(bool last) {
  out_.clear();
  slices_.clear();
  if (!last) {
    Enter(Phase::kCall);
    return call_->Next();
  }
  head_.clear();
  body_.clear();
  page_.reset();
  parser_.reset();
  keep_alive_ && !shared_.draining ? Await() : Linger();
}

// Closes only the sending side, and waits for the client. If the server closed both sides before it
// has read all bytes of the client, the client could lose the answer.
void HttpConnection::Linger() {
  Enter(Phase::kLinger, kHttpLinger);
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  in_.clear();
  Discard();
}

void HttpConnection::Discard() {
  constexpr std::size_t kAtOnce = 4096;
  in_.clear();
  socket_.async_read_some(in_.prepare(kAtOnce),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (self->phase_ == Phase::kClosed) return;
                            error ? self->Close() : self->Discard();
                          });
}

void HttpConnection::Sweep(absl::Time now) {
  if (now < deadline_) return;
  error_code ignored;
  switch (phase_) {
    case Phase::kHead:
      return CloseFor(shared_.metrics.http_slow_requests);
    case Phase::kBody:
      shared_.metrics.http_slow_requests.Increment();
      overdue_ = true;
      deadline_ = absl::InfiniteFuture();
      socket_.cancel(ignored);
      return;
    case Phase::kWrite:
      return CloseFor(shared_.metrics.http_slow_readers);
    default:
      return Close();
  }
}

void HttpConnection::Drain() {
  if (phase_ == Phase::kIdle) Close();
}

void HttpConnection::CloseFor(prometheus::Counter& reason) {
  if (phase_ != Phase::kClosed) reason.Increment();
  Close();
}

void HttpConnection::Close() {
  if (phase_ == Phase::kClosed) return;
  Enter(Phase::kClosed);
  if (call_ != nullptr) {
    call_->Cancel();
    call_.reset();
    shared_.metrics.http_calls_open.Decrement();
  }
  error_code ignored;
  socket_.close(ignored);
  shared_.forget(*this);
}

}  // namespace tarot::gateway_service
