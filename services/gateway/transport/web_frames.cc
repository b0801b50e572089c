#include "services/gateway/transport/web_frames.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {
namespace {

constexpr char kMessageFlags = 0;
constexpr char kTrailerFlags = static_cast<char>(0x80);
constexpr std::size_t kTimeoutDigitsMax = 8;

std::array<char, kFramePrefixBytes> Prefix(char flags, std::size_t size) {
  return {flags, static_cast<char>(size >> 24 & 0xff), static_cast<char>(size >> 16 & 0xff),
          static_cast<char>(size >> 8 & 0xff), static_cast<char>(size & 0xff)};
}

std::size_t LengthIn(absl::string_view prefix) {
  std::size_t size = 0;
  for (const char byte : prefix.substr(1, 4)) size = size << 8 | static_cast<std::uint8_t>(byte);
  return size;
}

// Encodes the text as gRPC does. Each percent sign, and each byte that is not printable ASCII,
// becomes a percent sign and two hexadecimal digits.
std::string PercentEncode(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      out.push_back(c);
    } else {
      absl::StrAppend(&out, "%", absl::AsciiStrToUpper(absl::BytesToHexString({&c, 1})));
    }
  }
  return out;
}

// Encodes binary trailers as gRPC does: in base64 without padding.
std::string Base64(absl::string_view bytes) {
  const std::string padded = absl::Base64Escape(bytes);
  return padded.substr(0, padded.find('='));
}

}  // namespace

absl::StatusOr<grpc::ByteBuffer> ParseWebCall(absl::string_view body) {
  if (body.empty()) return NotOneMessage();
  if (body.size() < kFramePrefixBytes) return BadRequest("request", "not a frame of gRPC-Web");
  if (body[0] != kMessageFlags) {
    return BadRequest("request", "not a plain message: the server takes no compressed message");
  }
  const std::size_t size = LengthIn(body.substr(0, kFramePrefixBytes));
  body.remove_prefix(kFramePrefixBytes);
  if (body.size() < size) return BadRequest("request", "shorter than its frame says");
  if (body.size() > size) return NotOneMessage();
  const grpc::Slice slice(body.data(), body.size());
  return grpc::ByteBuffer(&slice, 1);
}

std::array<char, kFramePrefixBytes> MessagePrefix(std::size_t size) {
  return Prefix(kMessageFlags, size);
}

std::string TrailerFrame(const grpc::Status& status) {
  std::string text = absl::StrCat("grpc-status: ", status.error_code(), "\r\n");
  if (!status.error_message().empty()) {
    absl::StrAppend(&text, "grpc-message: ", PercentEncode(status.error_message()), "\r\n");
  }
  if (!status.error_details().empty()) {
    absl::StrAppend(&text, "grpc-status-details-bin: ", Base64(status.error_details()), "\r\n");
  }
  const auto prefix = Prefix(kTrailerFlags, text.size());
  return absl::StrCat(absl::string_view(prefix.data(), prefix.size()), text);
}

std::optional<absl::Duration> ParseGrpcTimeout(absl::string_view text) {
  if (text.size() < 2 || text.size() > kTimeoutDigitsMax + 1) return std::nullopt;
  const absl::string_view digits = text.substr(0, text.size() - 1);
  for (const char c : digits) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
  }
  std::int64_t count = 0;
  if (!absl::SimpleAtoi(digits, &count)) return std::nullopt;
  switch (text.back()) {
    case 'H':
      return absl::Hours(count);
    case 'M':
      return absl::Minutes(count);
    case 'S':
      return absl::Seconds(count);
    case 'm':
      return absl::Milliseconds(count);
    case 'u':
      return absl::Microseconds(count);
    case 'n':
      return absl::Nanoseconds(count);
    default:
      return std::nullopt;
  }
}

}  // namespace tarot::gateway_service
