#include "libs/rpc/options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "libs/rpc/call.h"

namespace tarot::rpc {
namespace {

template <typename T>
OptionRange Between(T min, T max, const std::string& text) {
  return {.text = text, .contains = [min, max](const absl::CommandLineFlag& flag) {
            const auto value = flag.TryGet<T>();
            return value && *value >= min && *value <= max;  // False for NaN.
          }};
}

OptionRange Text(std::string text, bool (*accepts)(absl::string_view)) {
  return {.text = std::move(text), .contains = [accepts](const absl::CommandLineFlag& flag) {
            return accepts(flag.TryGet<std::string>().value_or(""));
          }};
}

}  // namespace

OptionRange Range(int min, int max, absl::string_view unit) {
  return Between(min, max, absl::StrCat(min, " to ", max, " ", unit));
}

OptionRange Range(double min, double max, absl::string_view unit) {
  return Between(min, max, absl::StrCat(min, " to ", max, " ", unit));
}

OptionRange Range(absl::Duration min, absl::Duration max) {
  return Between(min, max,
                 absl::StrCat(absl::FormatDuration(min), " to ", absl::FormatDuration(max)));
}

OptionRange Address() { return Text("host:port", IsTarget); }

OptionRange AddressOrEmpty() {
  return Text("host:port, or empty",
              [](absl::string_view text) { return text.empty() || IsTarget(text); });
}

OptionRange Addresses() { return Text("host:port, or several separated by commas", IsTarget); }

OptionRange DoorAddresses() {
  return Text("[https://]host:port, or several separated by commas", [](absl::string_view text) {
    absl::ConsumePrefix(&text, "https://");
    return IsTarget(text);
  });
}

OptionRange Switch() {
  return Text("true or false", [](absl::string_view) { return true; });
}

OptionRange NameOrEmpty() {
  return Text("1 to 16 lower-case letters, digits or hyphens, or empty",
              [](absl::string_view text) {
                return text.size() <= 16 && std::all_of(text.begin(), text.end(), [](char c) {
                         return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
                       });
              });
}

OptionRange Path() {
  return Text("a path", [](absl::string_view) { return true; });
}

OptionRange Dsn() {
  return Text("a libpq connection string", [](absl::string_view) { return true; });
}

}  // namespace tarot::rpc
