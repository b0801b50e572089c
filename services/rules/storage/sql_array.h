// Texts of Postgres arrays, element by element: "{1,2}". libpqxx 6.4 has no array parameters.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// Elements of one kind, in the order in which they are added. Whatever a value holds, it stays one
// element: only Add* put characters into the text, and what could end an element is escaped.
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
  // A text, or an array as a text. Zero bytes are cut off: Postgres has no such texts.
  void AddText(absl::string_view text);
  void AddNull();

  // Nothing may be added after.
  std::string Finish() &&;

 private:
  void Separate();

  std::string text_ = "{";
};

}  // namespace tarot::rules_service
