#include "services/gateway/transport/key_file.h"

#include <utility>

#include "libs/base/error.h"
#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {
namespace {

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

absl::StatusOr<std::shared_ptr<KeyFile>> KeyFile::Open(const std::string& path) {
  std::shared_ptr<KeyFile> file(new KeyFile(path));
  TAROT_RETURN_IF_ERROR(file->Reload().status());
  return file;
}

absl::StatusOr<bool> KeyFile::Reload() {
  // `now` is taken before the content is read. So if the file changes during the read, the next
  // Reload sees the change.
  struct stat now {};
  const bool found = ::stat(path_.c_str(), &now) == 0;
  {
    const std::lock_guard lock(mutex_);
    if (found && keys_ != nullptr && SameFile(now, seen_)) return false;
  }
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(path_));
  const std::lock_guard lock(mutex_);
  keys_ = std::make_shared<const rpc::KeyRing>(std::move(keys));
  seen_ = now;
  return true;
}

std::string KeyFile::Sign(const SignedInPlayer& player, absl::Time expire_time) const {
  return keys()->Sign({.player = player.id, .display_name = player.display_name}, expire_time);
}

absl::StatusOr<SignedInPlayer> KeyFile::Verify(absl::string_view token, absl::Time now) const {
  TAROT_ASSIGN_OR_RETURN(rpc::Caller caller, keys()->Verify(token, now));
  if (caller.player.empty()) return NotAPlayersToken();
  return SignedInPlayer{.id = caller.player, .display_name = std::move(caller.display_name)};
}

std::shared_ptr<const rpc::KeyRing> KeyFile::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

}  // namespace tarot::gateway_service
