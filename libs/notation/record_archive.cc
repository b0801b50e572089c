#include "libs/notation/record_archive.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/record_bytes_form.h"

namespace tarot::notation {

bool IsArchive(absl::string_view bytes) { return absl::StartsWith(bytes, kArchiveMagic); }

void AppendToArchive(absl::string_view record, std::string& archive) {
  if (archive.empty()) archive = kArchiveMagic;
  PutText(archive, record);
}

absl::StatusOr<std::vector<absl::string_view>> SplitArchive(absl::string_view archive) {
  if (!IsArchive(archive)) return BadRequest("archive", "does not begin as one");
  archive.remove_prefix(absl::string_view(kArchiveMagic).size());
  std::vector<absl::string_view> records;
  while (!archive.empty()) {
    std::size_t size = 0;
    std::size_t at = 0;
    bool more = true;
    for (; more && at < archive.size() && at < 5; ++at) {
      const auto byte = static_cast<unsigned char>(archive[at]);
      size |= static_cast<std::size_t>(byte & 0x7F) << (7 * at);
      more = byte >= 0x80;
    }
    archive.remove_prefix(at);
    if (more || size > archive.size()) {
      return BadRequest("archive", absl::StrCat("cut short in record ", records.size() + 1));
    }
    records.push_back(archive.substr(0, size));
    archive.remove_prefix(size);
  }
  return records;
}

}  // namespace tarot::notation
