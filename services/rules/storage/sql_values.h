// Values as texts of Postgres: times and arrays. libpqxx 6.4 has no array parameters.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// "2026-11-21T01:02:03.000004+00:00" or infinity. A timestamptz has microseconds: the rest is cut
// off.
std::string SqlTime(absl::Time time);
absl::Time TimeFromEpoch(const std::string& seconds);  // "1795222923.000004"

std::vector<int> IntsFromSql(const std::string& array);  // "{1,2}"

// An array parameter, "{1,2}", of elements of one kind. Whatever a value holds, it stays one
// element: only Add* write characters, and they escape all that could end an element.
class SqlArray {
 public:
  void AddNumber(std::int64_t value);
  void AddId(const Uuid& id);
  template <typename Tag>
  void AddId(const Id<Tag>& id) {
    AddId(id.uuid);
  }
  // A bytea, in Postgres's hex form.
  void AddBytes(absl::string_view bytes);
  // A text, or an array as a text. It ends before the first zero byte: Postgres allows none.
  void AddText(absl::string_view text);
  void AddNull();

  // Ends the array: add nothing after it.
  std::string Finish() &&;

 private:
  void Separate();
  void AppendHex(const std::uint8_t* bytes, std::size_t size);

  std::string text_ = "{";
};

}  // namespace tarot::rules_service
