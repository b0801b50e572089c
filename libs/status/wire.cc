#include "libs/status/wire.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "libs/base/error.h"

namespace tarot::status {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status wire;
  wire.set_code(static_cast<int>(status.code()));  // absl and gRPC use the same numbers for codes.
  wire.set_message(std::string(status.message()));
  const ErrorDetails details = GetErrorDetails(status);
  if (!details.reason.empty()) {
    google::rpc::ErrorInfo info;
    info.set_reason(details.reason);
    info.set_domain("tarot");
    for (const auto& [key, value] : details.metadata) (*info.mutable_metadata())[key] = value;
    wire.add_details()->PackFrom(info);
  }
  if (details.reason == "BAD_REQUEST" && details.metadata.count("field") != 0) {
    google::rpc::BadRequest bad;
    for (const char* key : {"field", "other_field"}) {
      // `other_field` is there if the values of two fields contradict each other.
      if (details.metadata.count(key) == 0) continue;
      auto* violation = bad.add_field_violations();
      violation->set_field(details.metadata.at(key));
      violation->set_description(details.metadata.at("description"));
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
