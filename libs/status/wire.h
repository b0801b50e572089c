// The one border between absl::Status and gRPC. Reasons travel as google.rpc details.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"

namespace tarot::status {

// Error()'s reason and metadata become google.rpc.ErrorInfo; BadRequest() also a
// google.rpc.BadRequest.
grpc::Status ToGrpc(const absl::Status& status);

// Returns the inverse: GetErrorDetails() works on the result.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tarot::status
