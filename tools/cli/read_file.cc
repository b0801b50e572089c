#include "tools/cli/read_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tarot::cli {
namespace {

absl::Status WhyNot(int error) {
  return {absl::ErrnoToStatusCode(error), absl::StrCat("cannot be read: ", std::strerror(error))};
}

}  // namespace

// This does not use std::ifstream, because its iterators throw on a directory.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (file == nullptr) return WhyNot(errno);
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), size);
  }
  if (std::ferror(file.get()) != 0) return WhyNot(errno);
  return text;
}

}  // namespace tarot::cli
