// The precompiled header of all targets that use gRPC, because gRPC's headers take longer to
// compile than our code.
#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
