#include "tests/hostile/fuzz_line.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/sync_stream.h>

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/base/clock.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/http_client.h"

namespace tarot::hostile {
namespace {

using google::protobuf::MethodDescriptor;
using testkit::HttpAnswer;
using testkit::HttpClient;
using testkit::WebAnswer;
using testkit::WebFrame;

constexpr absl::Duration kAnswerWithin = absl::Seconds(30);  // Sanitizers make processes slow.
constexpr absl::Duration kStreamTime = absl::Milliseconds(300);
constexpr std::size_t kStreamMessagesMax = 5;

std::string PathOf(const MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

// Returns a header `traceparent` that is right, wrong or empty.
std::string RandomTrace(Rng& rng) {
  std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (int i = rng.Below(4); i > 0; --i) {
    const auto at = static_cast<std::size_t>(rng.Below(static_cast<int>(trace.size()) + 1));
    // The bytes ' ' to '~' may stand in a header.
    trace.insert(at, 1, static_cast<char>(' ' + rng.Below(95)));
    if (rng.Below(4) == 0) trace.resize(at);
  }
  return trace;
}

class GrpcLine final : public FuzzLine {
 public:
  GrpcLine(const std::string& address, Rng& rng) : address_(address), rng_(rng) { Connect(); }

  void Connect() override { channel_ = rpc::MakeChannel(address_, true); }

  FuzzAnswer Call(const MethodDescriptor& method, const std::string& request,
                  const std::string& token) override {
    grpc::ClientContext context;
    const bool impatient = rng_.Below(64) == 0;
    const absl::Duration time = impatient                   ? absl::Milliseconds(rng_.Below(50))
                                : method.server_streaming() ? kStreamTime
                                                            : kAnswerWithin;
    context.set_deadline(absl::ToChronoTime(absl::Now() + time));
    if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    if (rng_.Below(8) == 0) context.AddMetadata("traceparent", RandomTrace(rng_));
    FuzzAnswer answer;
    const grpc::Status status = method.server_streaming() ? Stream(method, request, context, answer)
                                                          : Unary(method, request, context, answer);
    answer.status = status::FromGrpc(status);
    answer.ended_here = impatient && absl::IsDeadlineExceeded(answer.status);
    return answer;
  }

 private:
  grpc::Status Unary(const MethodDescriptor& method, const std::string& request,
                     grpc::ClientContext& context, FuzzAnswer& answer) {
    const std::string path = PathOf(method);
    const grpc::internal::RpcMethod rpc(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC);
    const grpc::Slice slice(request);
    const grpc::ByteBuffer bytes(&slice, 1);
    grpc::ByteBuffer response;
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
            channel_.get(), rpc, &context, bytes, &response);
    if (status.ok()) answer.messages.push_back(BytesOf(response));
    return status;
  }

  grpc::Status Stream(const MethodDescriptor& method, const std::string& request,
                      grpc::ClientContext& context, FuzzAnswer& answer) {
    const std::string path = PathOf(method);
    const grpc::internal::RpcMethod rpc(path.c_str(), grpc::internal::RpcMethod::SERVER_STREAMING);
    const grpc::Slice slice(request);
    const grpc::ByteBuffer bytes(&slice, 1);
    grpc::ByteBuffer response;
    const std::unique_ptr<grpc::ClientReader<grpc::ByteBuffer>> reader(
        grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(channel_.get(), rpc, &context,
                                                                      bytes));
    while (answer.messages.size() < kStreamMessagesMax && reader->Read(&response)) {
      answer.messages.push_back(BytesOf(response));
    }
    context.TryCancel();
    const grpc::Status status = reader->Finish();
    // CANCELLED comes from TryCancel, and DEADLINE_EXCEEDED from this line's own deadline.
    const bool ended_here = status.error_code() == grpc::StatusCode::CANCELLED ||
                            status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    return !answer.messages.empty() && ended_here ? grpc::Status::OK : status;
  }

  static std::string BytesOf(const grpc::ByteBuffer& buffer) {
    std::vector<grpc::Slice> slices;
    std::string bytes;
    if (!buffer.Dump(&slices).ok()) return bytes;
    for (const grpc::Slice& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    return bytes;
  }

  const std::string address_;
  Rng& rng_;
  std::shared_ptr<grpc::Channel> channel_;
};

class WebLine final : public FuzzLine {
 public:
  WebLine(const std::string& address, const std::string& gateway, Rng& rng)
      : address_(address), gateway_(gateway), rng_(rng) {
    Connect();
  }

  void Connect() override { client_ = std::make_unique<HttpClient>(address_, kAnswerWithin); }

  FuzzAnswer Call(const MethodDescriptor& method, const std::string& request,
                  const std::string& token) override {
    if (method.server_streaming()) return Stream(method, request, token);
    const Stopwatch watch;
    client_->SendCall(PathOf(method), request, token, RandomHeaders());
    const std::optional<HttpAnswer> answer = client_->Read();
    if (answer) return Decode(*answer);
    if (watch.Elapsed() >= kAnswerWithin) return {absl::InternalError("no answer came"), {}};
    return {absl::UnavailableError("the connection was lost"), {}};
  }

  void SendDamaged(const MethodDescriptor& method, const std::string& request,
                   const std::string& token, Memory& memory) override {
    std::string body = testkit::MessageFrame(request);
    if (rng_.Below(2) == 0) memory.Damage(body);
    std::string head =
        absl::StrCat("POST ", PathOf(method), " HTTP/1.1\r\nHost: tarot\r\n",
                     "Content-Type: application/grpc-web+proto\r\nAuthorization: Bearer ", token,
                     "\r\nX-Tarot-Client-Address: 127.0.0.9\r\n", RandomHeaders());
    if (rng_.Below(4) == 0) {
      head = absl::StrCat("GET /", rng_.Below(2) == 0 ? "t/" : "assets/", request.substr(0, 40),
                          " HTTP/1.1\r\nHost: tarot\r\nX-Tarot-Client-Address: 127.0.0.9\r\n");
      body.clear();
    } else if (rng_.Below(4) == 0) {
      absl::StrAppend(&head, "Transfer-Encoding: chunked\r\n");
      const std::string size = absl::StrCat(absl::Hex(body.size()));
      body = absl::StrCat(size, "\r\n", body, "\r\n0\r\n\r\n");
      if (rng_.Below(2) == 0) memory.Damage(body);
    } else {
      absl::StrAppend(
          &head, "Content-Length: ",
          rng_.Below(8) == 0 ? static_cast<std::size_t>(rng_.Below(100'000)) : body.size(), "\r\n");
    }
    if (rng_.Below(2) == 0) memory.Damage(head);
    // The gateway waits for the rest of a request that is not complete, so this line waits only
    // for a short time.
    HttpClient client(rng_.Below(4) == 0 ? address_ : gateway_, absl::Milliseconds(100));
    if (client.Send(absl::StrCat(head, "\r\n", body))) (void)client.Read();
  }

 private:
  FuzzAnswer Stream(const MethodDescriptor& method, const std::string& request,
                    const std::string& token) {
    HttpClient client(address_, kStreamTime);
    client.SendCall(PathOf(method), request, token, RandomHeaders());
    FuzzAnswer answer;
    while (answer.messages.size() < kStreamMessagesMax) {
      std::optional<WebFrame> frame = client.NextFrame();
      if (!frame) break;
      if (frame->trailer) {
        WebAnswer end;
        testkit::ParseTrailer(frame->content, end);
        answer.status = StatusOf(end.status, end.text, end.details);
        return answer;
      }
      answer.messages.push_back(std::move(frame->content));
    }
    // The time of the first message has no limit, and a refusal of HAProxy has no frame.
    answer.ended_here = answer.messages.empty();
    return answer;
  }

  static absl::Status StatusOf(int code, const std::string& text, const std::string& details) {
    return status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(code), text, details));
  }

  static FuzzAnswer Decode(const HttpAnswer& answer) {
    if (answer.code == 200) {
      WebAnswer web = testkit::ParseWebAnswer(answer);
      if (web.status < 0) return {absl::InternalError("an answer without a status"), {}};
      return {StatusOf(web.status, web.text, web.details), std::move(web.messages)};
    }
    // HAProxy or the HTTP door refused the call. gRPC's status is in the headers.
    const auto find = [&](const char* name) {
      const auto found = answer.headers.find(name);
      return found == answer.headers.end() ? std::string() : found->second;
    };
    int code = 0;
    std::string details;
    if (!absl::SimpleAtoi(find("grpc-status"), &code) || code == 0 ||
        !absl::Base64Unescape(find("grpc-status-details-bin"), &details)) {
      return {absl::InternalError(absl::StrCat("HTTP ", answer.code, ": ", answer.body)), {}};
    }
    return {StatusOf(code, find("grpc-message"), details), {}};
  }

  // Returns lines with headers that a browser may send, with random values.
  std::string RandomHeaders() {
    std::string lines;
    if (rng_.Below(8) == 0) absl::StrAppend(&lines, "traceparent: ", RandomTrace(rng_), "\r\n");
    if (rng_.Below(16) == 0) {
      const char* const kTimes[] = {"30S", "99999999H", "1", "-5S", "1x", "123456789S"};
      absl::StrAppend(&lines, "grpc-timeout: ", kTimes[rng_.Below(6)], "\r\n");
    }
    return lines;
  }

  const std::string address_;
  const std::string gateway_;
  Rng& rng_;
  std::unique_ptr<HttpClient> client_;
};

}  // namespace

std::unique_ptr<FuzzLine> MakeGrpcLine(const std::string& address, Rng& rng) {
  return std::make_unique<GrpcLine>(address, rng);
}

std::unique_ptr<FuzzLine> MakeWebLine(const std::string& address, const std::string& gateway,
                                      Rng& rng) {
  return std::make_unique<WebLine>(address, gateway, rng);
}

}  // namespace tarot::hostile
