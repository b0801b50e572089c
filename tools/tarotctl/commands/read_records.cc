#include "tools/tarotctl/commands/read_records.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tools/tarotctl/view/record_notation.h"

namespace tarot::tarotctl {

absl::StatusOr<std::vector<notation::Document>> ReadRecords(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return ParseRecords(text);
}

}  // namespace tarot::tarotctl
