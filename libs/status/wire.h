// Converts between absl::Status and grpc::Status. No other code does this. An error's reason and
// metadata travel in the details of a google.rpc.Status.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"

namespace tarot::status {

// Converts to gRPC. The reason and metadata of an Error() become a google.rpc.ErrorInfo. For
// BAD_REQUEST, a google.rpc.BadRequest also names the fields.
grpc::Status ToGrpc(const absl::Status& status);

// Converts from gRPC. GetErrorDetails() of the result returns the reason and metadata.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tarot::status
