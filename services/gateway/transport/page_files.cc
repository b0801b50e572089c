#include "services/gateway/transport/page_files.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kIndex = "/index.html";
constexpr std::size_t kEtagBytes = 12;  // An etag is made of this number of bytes of the SHA-256.
constexpr std::size_t kHashCharacters = 8;

constexpr std::pair<absl::string_view, absl::string_view> kTypes[] = {
    {".css", "text/css; charset=utf-8"},
    {".html", "text/html; charset=utf-8"},
    {".ico", "image/x-icon"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".mp3", "audio/mpeg"},
    {".ogg", "audio/ogg"},
    {".png", "image/png"},
    {".svg", "image/svg+xml; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".wav", "audio/wav"},
    {".webmanifest", "application/manifest+json"},
    {".webp", "image/webp"},
};

std::string TypeOf(absl::string_view path) {
  for (const auto& [ending, type] : kTypes) {
    if (absl::EndsWith(path, ending)) return std::string(type);
  }
  return "application/octet-stream";
}

std::string EtagOf(const std::string& content) {
  std::uint8_t hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const std::uint8_t*>(content.data()), content.size(), hash);
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash), kEtagBytes});
}

// Returns true if the name of the file contains a hash. esbuild writes names such as
// "main-5CZ2TSGV.js", with a hash of eight capital letters and digits.
bool HasHash(absl::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == absl::string_view::npos || dot < kHashCharacters + 1) return false;
  const absl::string_view hash = path.substr(dot - kHashCharacters, kHashCharacters);
  const char before = path[dot - kHashCharacters - 1];
  return (before == '-' || before == '.') && std::all_of(hash.begin(), hash.end(), [](char c) {
           return absl::ascii_isupper(static_cast<unsigned char>(c)) ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

// Decodes percent-encoding, such as "%20". Returns nullopt if a percent sign is not followed by two
// hexadecimal digits.
std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const absl::string_view hex = text.substr(i + 1, 2);
    if (hex.size() != 2 || !std::all_of(hex.begin(), hex.end(), [](char c) {
          return absl::ascii_isxdigit(static_cast<unsigned char>(c));
        })) {
      return std::nullopt;
    }
    out.append(absl::HexStringToBytes(hex));
    i += 2;
  }
  return out;
}

// Returns true if `header` names `coding` with a weight other than 0.
bool Accepts(absl::string_view header, absl::string_view coding) {
  for (absl::string_view part : absl::StrSplit(header, ',')) {
    const std::vector<absl::string_view> words = absl::StrSplit(part, ';');
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(words[0]), coding)) continue;
    if (words.size() < 2) return true;
    absl::string_view weight = absl::StripAsciiWhitespace(words[1]);
    double q = 0;
    return absl::ConsumePrefix(&weight, "q=") && absl::SimpleAtod(weight, &q) && q > 0;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PageFiles>> PageFiles::Read(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto page = std::make_shared<PageFiles>();
  std::error_code error;
  std::size_t bytes = 0;
  std::vector<std::pair<std::string, std::string>> encoded;  // The files NAME.br and NAME.gz.
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const std::string path =
        absl::StrCat("/", fs::relative(at->path(), folder, error).generic_string());
    std::ifstream in(at->path(), std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in.good() && !in.eof()) return BadPageFolder(folder, absl::StrCat(path, " is unreadable"));
    bytes += content.size();
    if (bytes > kPageBytesMax) return BadPageFolder(folder, "its files are too large together.");
    if (absl::EndsWith(path, ".br") || absl::EndsWith(path, ".gz")) {
      encoded.emplace_back(path, std::move(content));
      continue;
    }
    PageFile& file = page->files_[path];
    file.type = TypeOf(path);
    file.etag = EtagOf(content);
    file.immutable = absl::StartsWith(path, "/assets/") || HasHash(path);
    file.plain = std::move(content);
  }
  if (error) return BadPageFolder(folder, error.message());
  for (auto& [path, content] : encoded) {
    const auto file = page->files_.find(path.substr(0, path.size() - 3));
    if (file == page->files_.end()) continue;
    (absl::EndsWith(path, ".br") ? file->second.brotli : file->second.gzip) = std::move(content);
  }
  if (page->files_.count(kIndex) == 0) return BadPageFolder(folder, "it has no index.html.");
  return page;
}

const PageFile* PageFiles::Find(absl::string_view path) const {
  const std::optional<std::string> decoded = PercentDecode(path);
  if (!decoded) return nullptr;
  auto found = files_.find(*decoded);
  if (found != files_.end()) return &found->second;
  // The routes of the page have no dot in their last segment. A path with such a dot names a file
  // that does not exist.
  if (absl::StrContains(decoded->substr(decoded->rfind('/')), '.')) return nullptr;
  found = files_.find(absl::StrCat(decoded->substr(0, decoded->find('/', 1)), ".html"));
  if (found != files_.end()) return &found->second;
  return &files_.find(kIndex)->second;
}

EncodedFile EncodingFor(const PageFile& file, absl::string_view accept_encoding) {
  if (!file.brotli.empty() && Accepts(accept_encoding, "br")) return {"br", file.brotli};
  if (!file.gzip.empty() && Accepts(accept_encoding, "gzip")) return {"gzip", file.gzip};
  return {"", file.plain};
}

bool IsCleanPath(absl::string_view path) {
  const std::optional<std::string> decoded = PercentDecode(path);
  if (!decoded || !absl::StartsWith(*decoded, "/")) return false;
  for (const char c : *decoded) {
    if (c < ' ' || c > '~' || c == '\\' || c == '%') return false;
  }
  const std::vector<absl::string_view> segments =
      absl::StrSplit(absl::string_view(*decoded).substr(1), '/');
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] == "." || segments[i] == "..") return false;
    if (segments[i].empty() && i + 1 < segments.size()) return false;
  }
  return true;
}

}  // namespace tarot::gateway_service
