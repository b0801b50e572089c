// The files of the page, which the gateway keeps in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// One file. The build of the page may put NAME.br and NAME.gz beside NAME: the same content in
// brotli or gzip. `brotli` and `gzip` are empty if there is no such file.
struct PageFile {
  std::string type;        // The content type.
  std::string etag;        // Without quotes. Files with different content have different values.
  bool immutable = false;  // The name changes with the content, so clients never ask again.
  std::string plain;
  std::string brotli;
  std::string gzip;
};

// The encoding in which a client gets a file.
struct EncodedFile {
  absl::string_view name;  // For the header content-encoding; empty for the plain content.
  const std::string& content;
};

class PageFiles {
 public:
  // Reads every file of `folder` and of the folders below it. Returns FAILED_PRECONDITION
  // BAD_PAGE_FOLDER if the folder cannot be read, has no index.html, or has more than
  // kPageBytesMax bytes. Blocks while it reads.
  static absl::StatusOr<std::shared_ptr<const PageFiles>> Read(const std::string& folder);

  // Returns the file for the path of a URL, without its query. The routes of the page, for example
  // "/t/ID", have no file, so they get index.html. Returns null for any other path.
  const PageFile* Find(absl::string_view path) const;

  std::size_t count() const { return files_.size(); }

 private:
  absl::flat_hash_map<std::string, PageFile> files_;  // The keys begin with a slash.
};

// Returns the brotli content if a client with the header `accept_encoding` can read it, otherwise
// the gzip content if the client can read it, otherwise the plain content.
EncodedFile EncodingFor(const PageFile& file, absl::string_view accept_encoding);

// Returns true if the path is one that a browser sends. It begins with a slash. It has no empty
// segment except the last one, no "." or "..", and no backslash. All its characters are printable
// ASCII. This must be true after the percent signs are decoded.
bool IsCleanPath(absl::string_view path);

}  // namespace tarot::gateway_service
