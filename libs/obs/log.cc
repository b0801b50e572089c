#include "libs/obs/log.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/real_clock.h"

namespace tarot::obs {
namespace {

std::string& ServiceName() {
  // The string is never destroyed, because threads may still log while the process ends.
  static std::string& name = *new std::string("tarot");
  return name;
}

const char* Name(Level level) {
  switch (level) {
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "unknown";
}

// Returns the length in bytes of the UTF-8 character at the start of `text`, or 0 if `text` does
// not begin with a valid one.
std::size_t CharacterLength(absl::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // Refuses an overlong form.
  if (lead == 0xED && byte(1) > 0x9F) return 0;  // Refuses a surrogate.
  if (lead == 0xF0 && byte(1) < 0x90) return 0;  // Refuses an overlong form.
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // Refuses a number beyond U+10FFFF.
  return length;
}

void AppendString(std::string& out, absl::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const char c = text[0];
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

void SetServiceName(absl::string_view service) { ServiceName() = std::string(service); }

std::string FormatLine(absl::Time time, Level level, absl::string_view service,
                       absl::string_view message, Fields fields) {
  std::string line = "{\"time\":\"";
  absl::StrAppend(&line, absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone()),
                  "\",\"level\":\"", Name(level), "\",\"service\":");
  AppendString(line, service);
  line += ",\"message\":";
  AppendString(line, message);
  for (const auto& [key, value] : fields) {
    if (value.empty()) continue;
    line += ',';
    AppendString(line, key);
    line += ':';
    AppendString(line, value);
  }
  line += "}\n";
  return line;
}

void Log(Level level, absl::string_view message, Fields fields) {
  const std::string line = FormatLine(RealClock().Now(), level, ServiceName(), message, fields);
  // The loop ignores all errors except EINTR, because there is no other place to report them.
  while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

absl::string_view LoggableMessage(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return status.message();
    default:
      return "";
  }
}

}  // namespace tarot::obs
