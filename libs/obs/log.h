// One JSON line per event on stderr: time, level, service, message, then the fields given.
// Never a hidden card, a token or a seed.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tarot::obs {

enum class Level { kInfo, kWarning, kError };

// Sets the `service` of every line; call once in main().
void SetServiceName(absl::string_view service);

// Thread-safe; one write(2) a line.
void Log(Level level, absl::string_view message,
         std::initializer_list<std::pair<absl::string_view, absl::string_view>> fields = {});

}  // namespace tarot::obs
