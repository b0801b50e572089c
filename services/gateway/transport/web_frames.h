// The frames of gRPC-Web, in which browsers call the methods of players. A frame has one byte of
// flags, four bytes with the length (big-endian), and the content. A request is one frame with a
// message. An answer is a frame for each message, and then one frame with gRPC's trailers as text.
#pragma once

#include <grpcpp/grpcpp.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::gateway_service {

// Size of the flags and the length before the content of a frame, in bytes.
inline constexpr std::size_t kFramePrefixBytes = 5;

// The content types that a call may have. Answers have kWebContentType.
inline constexpr absl::string_view kWebContentType = "application/grpc-web+proto";
inline constexpr absl::string_view kWebContentTypeShort = "application/grpc-web";
// The content type of calls in base64 begins with this text. The door refuses such calls, because
// every browser can read binary answers.
inline constexpr absl::string_view kWebTextContentType = "application/grpc-web-text";

// Returns the message in `body`, which must be exactly one frame. Returns INVALID_ARGUMENT
// BAD_REQUEST for any other body, for example two frames, a part of a frame, or a compressed frame.
absl::StatusOr<grpc::ByteBuffer> ParseWebCall(absl::string_view body);

// Returns the first bytes of the frame for a message of `size` bytes: the flags and the length.
std::array<char, kFramePrefixBytes> MessagePrefix(std::size_t size);

// Returns the frame that ends an answer. It has the code, the text and the details of `status`.
std::string TrailerFrame(const grpc::Status& status);

// Returns the time in the value of a header `grpc-timeout`, for example "500m". Returns nullopt for
// any other text.
std::optional<absl::Duration> ParseGrpcTimeout(absl::string_view text);

}  // namespace tarot::gateway_service
