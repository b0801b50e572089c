// A simple client of HTTP/1.1 and gRPC-Web for tests. It sends exactly the bytes that the test
// gives, even if they are wrong, and waits for the answer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::testkit {

struct HttpAnswer {
  int code = 0;
  std::map<std::string, std::string> headers;  // The names are in small letters.
  std::string body;
};

// One frame of gRPC-Web.
struct WebFrame {
  bool trailer = false;
  std::string content;
};

// The answer to a call in gRPC-Web.
struct WebAnswer {
  int code = 0;                       // The code of HTTP.
  std::vector<std::string> messages;  // Their bytes.
  int status = -1;                    // The grpc-status; -1 if none came.
  std::string text;                   // The grpc-message, not decoded.
  std::string details;                // The bytes of the error's details.
  std::string reason;                 // The reason in the details of the error.
};

// One connection. Not thread-safe.
class HttpClient {
 public:
  // Connects to host:port (host is an IPv4 address) or unix:PATH. A function that reads waits at
  // most `timeout` for the next bytes.
  explicit HttpClient(const std::string& address, absl::Duration timeout = absl::Seconds(10));
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends the bytes. Returns false if the server has closed the connection.
  bool Send(absl::string_view bytes);
  // Reads one answer. Returns nullopt if the connection ends too early. If the connection ends
  // within a body of chunks, returns the chunks that have come. `head_only` says that the answer
  // has no body, whatever its headers say.
  std::optional<HttpAnswer> Read(bool head_only = false);
  // Returns true if the server closes the connection. Discards the bytes that come before the
  // close.
  bool Ends();
  int fd() const { return fd_; }
  // Closes the connection at once, so that the server gets a reset.
  void Abort();
  // Makes the receive buffer so small that the server soon cannot send more.
  void ShrinkBuffer();

  // Sends a request without a body. `headers` are lines that end with \r\n.
  std::optional<HttpAnswer> Get(absl::string_view path, absl::string_view headers = "",
                                absl::string_view method = "GET");

  // Sends one call. `method` is a path, for example "/tarot.rules.v1.TableService/GetTable".
  void SendCall(absl::string_view method, absl::string_view message, absl::string_view token,
                absl::string_view headers = "");
  // Sends one call and reads its whole answer.
  WebAnswer Call(absl::string_view method, absl::string_view message, absl::string_view token = "",
                 absl::string_view headers = "");
  // Reads the next frame of the answer to SendCall. Returns nullopt at the end of the answer.
  std::optional<WebFrame> NextFrame();

 private:
  bool Fill();  // Reads more bytes into in_. Returns false at the end of the connection.
  bool ReadHead(HttpAnswer& answer);
  bool ReadChunk(std::string& out);  // Returns false at the last chunk, or if the connection ends.

  int fd_ = -1;
  const int timeout_ms_;
  std::string in_;
  bool in_stream_ = false;  // True if NextFrame() has read the head of the answer.
  bool chunked_ = false;
  bool answer_over_ = false;
  std::string frames_;  // Bytes of frames that NextFrame has not returned yet.
};

// Returns one frame with a message.
std::string MessageFrame(absl::string_view message);
// Splits a whole answer into its frames.
WebAnswer ParseWebAnswer(const HttpAnswer& answer);
// Puts the status of a trailer frame into `answer`.
void ParseTrailer(absl::string_view trailer, WebAnswer& answer);

}  // namespace tarot::testkit
