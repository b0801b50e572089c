// The files of the page, which the gateway keeps in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// One file. The build of the page may also write NAME.br and NAME.gz, with the same content in
// brotli and gzip. `brotli` and `gzip` are empty if there is no such file.
struct PageFile {
  std::string type;  // The content type.
  std::string etag;  // Without quotes. Files with different contents have different etags.
  // True if the name contains a hash of the content. Then browsers keep the file and do not ask
  // again.
  bool immutable = false;
  std::string plain;
  std::string brotli;
  std::string gzip;
};

// The content of a file in the encoding that a client gets.
struct EncodedFile {
  absl::string_view name;  // The header Content-Encoding; empty for the plain content.
  const std::string& content;
};

class PageFiles {
 public:
  // Reads every file of `folder` and of the folders below it. Returns FAILED_PRECONDITION
  // BAD_PAGE_FOLDER if the folder cannot be read, has no index.html, or has more than kPageBytesMax
  // bytes. Blocks while it reads.
  static absl::StatusOr<std::shared_ptr<const PageFiles>> Read(const std::string& folder);

  // Returns the file for the path of a URL, without its query. The routes of the page, for example
  // "/t/ID", have no file. A route gets the HTML file with the name of its first segment, here
  // t.html, because this file has the right title. If there is no such file, the route gets
  // index.html. Returns null for any other path.
  const PageFile* Find(absl::string_view path) const;

  std::size_t count() const { return files_.size(); }

 private:
  absl::flat_hash_map<std::string, PageFile> files_;  // The keys begin with a slash.
};

// Returns the best content that a client with the header `accept_encoding` can read: brotli, else
// gzip, else the plain content.
EncodedFile EncodingFor(const PageFile& file, absl::string_view accept_encoding);

// Returns true for a path as browsers send it. After the percent signs are decoded, the path must
// begin with a slash and consist of printable ASCII. It must have no backslash, no segment "." or
// "..", and no empty segment except the last one.
bool IsCleanPath(absl::string_view path);

}  // namespace tarot::gateway_service
