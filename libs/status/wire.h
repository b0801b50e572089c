// Converts between absl::Status and gRPC; no other code does. Reasons travel as google.rpc details.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"

namespace tarot::status {

// Converts to gRPC. The reason and metadata of Error() become google.rpc.ErrorInfo. A BadRequest()
// also becomes google.rpc.BadRequest.
grpc::Status ToGrpc(const absl::Status& status);

// Converts from gRPC, so that GetErrorDetails() works on the result.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tarot::status
