#include "libs/base/key_file.h"

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"

namespace tarot {
namespace {

constexpr std::size_t kSecretBytesMin = 32;
constexpr std::size_t kIdBytesMax = 255;

absl::Status BadKeyFile(const std::string& path, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "BAD_KEY_FILE",
               absl::StrCat("Key file ", path, ": ", why));
}

absl::StatusOr<SecretKey> ParseKey(const std::string& path, absl::string_view line) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 1));
  if (parts.first.empty() || absl::StrContains(parts.first, ".")) {
    return BadKeyFile(path, "a line does not have the form kid:base64, or its kid has a dot");
  }
  if (parts.first.size() > kIdBytesMax) return BadKeyFile(path, "a kid is too long");
  std::string secret;
  if (!absl::Base64Unescape(parts.second, &secret) || secret.size() < kSecretBytesMin) {
    return BadKeyFile(path, "a key is not base64 of 32 bytes or more");
  }
  return SecretKey{.id = parts.first, .secret = std::move(secret)};
}

}  // namespace

absl::StatusOr<std::vector<SecretKey>> ReadKeyFile(const std::string& path) {
  struct stat info {};
  std::ifstream in(path);
  if (!in || ::stat(path.c_str(), &info) != 0) return BadKeyFile(path, "cannot be read");
  // The group of the file may have the right to read it. In Kubernetes, a program that does not run
  // as root often reads its secrets through the group.
  if ((info.st_mode & S_IRWXO) != 0)
    return BadKeyFile(path, "users other than the owner and the group may use it; chmod 600");
  std::vector<SecretKey> keys;
  std::set<std::string> ids;
  for (std::string line; std::getline(in, line);) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    TAROT_ASSIGN_OR_RETURN(SecretKey key, ParseKey(path, text));
    if (!ids.insert(key.id).second) return BadKeyFile(path, "two keys have the same kid");
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return BadKeyFile(path, "the file has no key");
  return keys;
}

}  // namespace tarot
