#include "libs/testkit/http_client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/status/wire.h"

namespace tarot::testkit {
namespace {

constexpr std::size_t kPrefixBytes = 5;

int Connect(const std::string& address) {
  absl::string_view rest = address;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    TAROT_CHECK(rest.size() < sizeof name.sun_path);
    std::copy(rest.begin(), rest.end(), name.sun_path);
    if (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return fd;
    close(fd);
    return -1;
  }
  const std::pair<std::string, std::string> parts = absl::StrSplit(rest, ':');
  int port = 0;
  TAROT_CHECK(absl::SimpleAtoi(parts.second, &port));
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  TAROT_CHECK(inet_pton(AF_INET, parts.first.c_str(), &name.sin_addr) == 1);
  if (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return fd;
  close(fd);
  return -1;
}

std::size_t LengthOf(absl::string_view prefix) {
  std::size_t size = 0;
  for (const char byte : prefix.substr(1, 4)) size = size << 8 | static_cast<std::uint8_t>(byte);
  return size;
}

// Removes the first frame from `bytes` and returns it. Returns nullopt if `bytes` has no whole
// frame.
std::optional<WebFrame> TakeFrame(std::string& bytes) {
  if (bytes.size() < kPrefixBytes) return std::nullopt;
  const std::size_t size = LengthOf(bytes);
  if (bytes.size() < kPrefixBytes + size) return std::nullopt;
  WebFrame frame = {.trailer = (bytes[0] & 0x80) != 0, .content = bytes.substr(kPrefixBytes, size)};
  bytes.erase(0, kPrefixBytes + size);
  return frame;
}

}  // namespace

HttpClient::HttpClient(const std::string& address, absl::Duration timeout)
    : fd_(Connect(address)), timeout_ms_(static_cast<int>(absl::ToInt64Milliseconds(timeout))) {}

HttpClient::~HttpClient() {
  if (fd_ >= 0) close(fd_);
}

bool HttpClient::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpClient::Fill() {
  if (fd_ < 0) return false;
  pollfd readable = {.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&readable, 1, timeout_ms_) != 1) return false;
  char bytes[16 << 10];
  const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  in_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

bool HttpClient::ReadHead(HttpAnswer& answer) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return false;
  }
  const std::string head = in_.substr(0, end);
  in_.erase(0, end + 4);
  bool first = true;
  for (absl::string_view line : absl::StrSplit(head, "\r\n")) {
    if (std::exchange(first, false)) {
      if (!absl::SimpleAtoi(line.substr(line.find(' ') + 1, 3), &answer.code)) return false;
      continue;
    }
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    answer.headers[absl::AsciiStrToLower(parts.first)] = parts.second;
  }
  return true;
}

bool HttpClient::ReadChunk(std::string& out) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n")) == std::string::npos) {
    if (!Fill()) return false;
  }
  const std::size_t size = std::strtoul(in_.c_str(), nullptr, 16);
  while (in_.size() < end + 2 + size + 2) {
    if (!Fill()) return false;
  }
  out.append(in_, end + 2, size);
  in_.erase(0, end + 2 + size + 2);
  return size > 0;
}

std::optional<HttpAnswer> HttpClient::Read(bool head_only) {
  HttpAnswer answer;
  if (!ReadHead(answer)) return std::nullopt;
  if (head_only || answer.code == 304) return answer;
  if (answer.headers.count("transfer-encoding") > 0) {
    while (ReadChunk(answer.body)) {
    }
    return answer;
  }
  std::size_t size = 0;
  if (!absl::SimpleAtoi(answer.headers["content-length"], &size)) return answer;
  while (in_.size() < size) {
    if (!Fill()) return std::nullopt;
  }
  answer.body = in_.substr(0, size);
  in_.erase(0, size);
  return answer;
}

bool HttpClient::Ends() {
  while (true) {
    pollfd readable = {.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, timeout_ms_) != 1) return false;
    char bytes[4096];
    if (recv(fd_, bytes, sizeof bytes, 0) <= 0) return true;
  }
}

void HttpClient::Abort() {
  const linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close(std::exchange(fd_, -1));
}

void HttpClient::ShrinkBuffer() {
  const int bytes = 1;
  setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

std::optional<HttpAnswer> HttpClient::Get(absl::string_view path, absl::string_view headers,
                                          absl::string_view method) {
  Send(absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: tarot.test\r\n", headers, "\r\n"));
  return Read(method == "HEAD");
}

void HttpClient::SendCall(absl::string_view method, absl::string_view message,
                          absl::string_view token, absl::string_view headers) {
  const std::string frame = MessageFrame(message);
  in_stream_ = chunked_ = answer_over_ = false;
  frames_.clear();
  Send(absl::StrCat("POST ", method,
                    " HTTP/1.1\r\nHost: tarot.test\r\nContent-Type: application/grpc-web+proto\r\n",
                    token.empty() ? "" : absl::StrCat("Authorization: Bearer ", token, "\r\n"),
                    headers, "Content-Length: ", frame.size(), "\r\n\r\n", frame));
}

WebAnswer HttpClient::Call(absl::string_view method, absl::string_view message,
                           absl::string_view token, absl::string_view headers) {
  SendCall(method, message, token, headers);
  const std::optional<HttpAnswer> answer = Read();
  return answer ? ParseWebAnswer(*answer) : WebAnswer{};
}

std::optional<WebFrame> HttpClient::NextFrame() {
  if (!in_stream_) {
    HttpAnswer head;
    if (!ReadHead(head)) return std::nullopt;
    in_stream_ = true;
    chunked_ = head.headers.count("transfer-encoding") > 0;
    std::size_t size = 0;
    if (!chunked_ && absl::SimpleAtoi(head.headers["content-length"], &size)) {
      while (in_.size() < size) {
        if (!Fill()) return std::nullopt;
      }
      frames_ = in_.substr(0, size);
      in_.erase(0, size);
      answer_over_ = true;
    }
  }
  while (true) {
    if (std::optional<WebFrame> frame = TakeFrame(frames_)) return frame;
    if (answer_over_) return std::nullopt;
    if (!ReadChunk(frames_)) answer_over_ = true;
  }
}

std::string MessageFrame(absl::string_view message) {
  std::string frame(kPrefixBytes, '\0');
  for (std::size_t i = 0; i < 4; ++i) {
    frame[4 - i] = static_cast<char>(message.size() >> (8 * i) & 0xff);
  }
  absl::StrAppend(&frame, message);
  return frame;
}

WebAnswer ParseWebAnswer(const HttpAnswer& answer) {
  WebAnswer out = {.code = answer.code};
  std::string rest = answer.body;
  while (const std::optional<WebFrame> frame = TakeFrame(rest)) {
    if (frame->trailer) {
      ParseTrailer(frame->content, out);
    } else {
      out.messages.push_back(frame->content);
    }
  }
  return out;
}

void ParseTrailer(absl::string_view trailer, WebAnswer& answer) {
  for (const absl::string_view line : absl::StrSplit(trailer, "\r\n", absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (parts.first == "grpc-status") TAROT_CHECK(absl::SimpleAtoi(parts.second, &answer.status));
    if (parts.first == "grpc-message") answer.text = parts.second;
    if (parts.first == "grpc-status-details-bin") {
      TAROT_CHECK(absl::Base64Unescape(parts.second, &answer.details));
    }
  }
  const grpc::Status status(static_cast<grpc::StatusCode>(answer.status), "", answer.details);
  answer.reason = GetErrorDetails(status::FromGrpc(status)).reason;
}

}  // namespace tarot::testkit
