#include "libs/status/wire.h"

#include <string>

#include "absl/strings/string_view.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "libs/base/error.h"

namespace tarot::status {
namespace {

// An error may repeat words of a request. These limits keep the error short enough for the headers
// that the door and gRPC allow (8 KiB). In a header, each byte of the text may take three bytes.
constexpr std::size_t kMessageBytesMax = 600;
constexpr std::size_t kValueBytesMax = 300;

// Returns the longest beginning of `text` that has at most `bytes_max` bytes and does not cut a
// UTF-8 character.
std::string Cut(absl::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (bytes_max > 0 && inside(text[bytes_max])) --bytes_max;
  return std::string(text.substr(0, bytes_max));
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status wire;
  wire.set_code(static_cast<int>(status.code()));  // absl and gRPC use the same numbers for codes.
  wire.set_message(Cut(status.message(), kMessageBytesMax));
  const ErrorDetails details = GetErrorDetails(status);
  if (!details.reason.empty()) {
    google::rpc::ErrorInfo info;
    info.set_reason(details.reason);
    info.set_domain("tarot");
    for (const auto& [key, value] : details.metadata)
      (*info.mutable_metadata())[key] = Cut(value, kValueBytesMax);
    wire.add_details()->PackFrom(info);
  }
  if (details.reason == "BAD_REQUEST" && details.metadata.count("field") != 0) {
    google::rpc::BadRequest bad;
    for (const char* key : {"field", "other_field"}) {
      // An error has `other_field` only if the values of two fields contradict each other.
      if (details.metadata.count(key) == 0) continue;
      auto* violation = bad.add_field_violations();
      violation->set_field(details.metadata.at(key));
      violation->set_description(Cut(details.metadata.at("description"), kValueBytesMax));
    }
    wire.add_details()->PackFrom(bad);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(wire.code()), wire.message(),
                      wire.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  google::rpc::Status wire;
  google::rpc::ErrorInfo info;
  if (wire.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : wire.details()) {
      if (!detail.UnpackTo(&info)) continue;
      return Error(code, info.reason(), status.error_message(),
                   ErrorMetadata(info.metadata().begin(), info.metadata().end()));
    }
  }
  return absl::Status(code, status.error_message());
}

}  // namespace tarot::status
