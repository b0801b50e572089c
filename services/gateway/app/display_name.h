// Which names a guest may choose: what every client can show, and nothing that deceives the eye.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway {

// INVALID_ARGUMENT BAD_REQUEST unless `name` is 1 to 32 printable characters of UTF-8, with no
// space at either end and no two together.
absl::Status CheckDisplayName(absl::string_view name);

}  // namespace tarot::gateway
