// Precompiled for every target that sees gRPC: its headers cost more than our code.
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
