#include "services/rules/storage/sql_array.h"

#include "absl/strings/str_cat.h"

namespace tarot::rules_service {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace

void SqlArray::Separate() {
  if (text_.size() > 1) text_ += ',';
}

void SqlArray::AddNumber(std::int64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
}

void SqlArray::AddId(const Uuid& id) {
  Separate();
  // Without dashes: Postgres reads both forms.
  for (const std::uint8_t byte : id.bytes()) {
    text_ += kHexDigits[byte >> 4];
    text_ += kHexDigits[byte & 15];
  }
}

void SqlArray::AddBytes(absl::string_view bytes) {
  Separate();
  text_ += "\"\\\\x";  // An array's quotes take away one of the two backslashes.
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text_ += kHexDigits[byte >> 4];
    text_ += kHexDigits[byte & 15];
  }
  text_ += '"';
}

void SqlArray::AddText(absl::string_view text) {
  Separate();
  text_ += '"';
  for (const char c : text.substr(0, text.find('\0'))) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void SqlArray::AddNull() {
  Separate();
  text_ += "NULL";
}

std::string SqlArray::Finish() && {
  text_ += '}';
  return std::move(text_);
}

}  // namespace tarot::rules_service
