#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/rules/app/errors.h"
#include "services/rules/storage/archive_store.h"

namespace tarot::rules_service {
namespace {

// Closes a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  const int fd_;
};

bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

class DirectoryArchiveStore final : public ArchiveStore {
 public:
  explicit DirectoryArchiveStore(std::string directory) : directory_(std::move(directory)) {}

  // Writes the file under a temporary name first. So a reader never sees a part of a file. Syncs
  // the file and the directory before the call returns.
  absl::Status Write(const std::string& name, absl::string_view bytes) override {
    const std::string path = absl::StrCat(directory_, "/", name);
    const std::string temporary = absl::StrCat(path, ".part");
    {
      const Descriptor file(
          ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
      if (!file.ok() || !WriteAll(file.get(), bytes) || ::fsync(file.get()) != 0) {
        return ArchiveAway();
      }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) return ArchiveAway();
    const Descriptor directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.ok() || ::fsync(directory.get()) != 0) return ArchiveAway();
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Read(const std::string& name, std::int64_t offset,
                                   std::int64_t size) override {
    const Descriptor file(
        ::open(absl::StrCat(directory_, "/", name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok()) return ArchiveAway();
    std::string bytes(static_cast<std::size_t>(size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t read = ::pread(file.get(), bytes.data() + got, bytes.size() - got,
                                   static_cast<off_t>(offset) + static_cast<off_t>(got));
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) return ArchiveAway();
      if (read == 0) return ArchiveDamaged();
      got += static_cast<std::size_t>(read);
    }
    return bytes;
  }

 private:
  const std::string directory_;
};

}  // namespace

std::unique_ptr<ArchiveStore> MakeDirectoryArchiveStore(std::string directory) {
  return std::make_unique<DirectoryArchiveStore>(std::move(directory));
}

}  // namespace tarot::rules_service
