// Writes one JSON line per event on stderr: time, level, service, message, then the fields that are
// not empty. Never log a hidden card, a token or a seed.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::obs {

enum class Level { kInfo, kWarning, kError };

using Fields = std::initializer_list<std::pair<absl::string_view, absl::string_view>>;

// Sets the `service` of every line; call once in main().
void SetServiceName(absl::string_view service);

// Writes the line with one write(2). Thread-safe.
void Log(Level level, absl::string_view message, Fields fields = {});

// Returns the line with its newline. Replaces bytes that are not UTF-8 by U+FFFD.
std::string FormatLine(absl::Time time, Level level, absl::string_view service,
                       absl::string_view message, Fields fields);

}  // namespace tarot::obs
