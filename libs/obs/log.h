// Writes one line of JSON to stderr for each event. The line has the time, level, service and
// message, and then the fields that are not empty. Never log a hidden card, a token or a seed.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::obs {

enum class Level { kInfo, kWarning, kError };

using Fields = std::initializer_list<std::pair<absl::string_view, absl::string_view>>;

// Sets the `service` of all later lines. Call it once, before the first line.
void SetServiceName(absl::string_view service);

// Writes one line with one write(2). Thread-safe.
void Log(Level level, absl::string_view message, Fields fields = {});

// Returns the line that Log() writes, with a newline at its end. Replaces each byte that is not
// valid UTF-8 by U+FFFD.
std::string FormatLine(absl::Time time, Level level, absl::string_view service,
                       absl::string_view message, Fields fields);

// Returns the part of `status` that a log line may contain: the message of a fault of the platform
// (INTERNAL, UNKNOWN, DATA_LOSS, UNAVAILABLE, DEADLINE_EXCEEDED), and an empty text for all other
// codes. The message of a refusal is for the caller only, because it may tell the caller's hand,
// for example "You must follow hearts.". `status` must outlive the result.
absl::string_view LoggableMessage(const absl::Status& status);

}  // namespace tarot::obs
