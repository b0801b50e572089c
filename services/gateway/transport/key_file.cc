#include "services/gateway/transport/key_file.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {
namespace {

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Encodes the data of a token that a revocation needs: ID:SIGN_IN_MICROSECONDS:EXPIRE_SECONDS. A
// player's token carries this text in the field for the name of a service. Gateways of older
// releases ignore this field, so they accept newer tokens.
std::string EncodeInfo(const TokenInfo& token) {
  return absl::StrCat(token.id.ToString(), ":", absl::ToUnixMicros(token.sign_in_time), ":",
                      absl::ToUnixSeconds(token.expire_time));
}

absl::StatusOr<TokenInfo> DecodeInfo(absl::string_view text) {
  if (text.empty()) return TokenInfo{};  // Tokens of older releases have an empty text here.
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  std::int64_t sign_in_micros = 0;
  std::int64_t expire_seconds = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &sign_in_micros) ||
      !absl::SimpleAtoi(parts[2], &expire_seconds)) {
    return MalformedToken();
  }
  const std::optional<Uuid> id = Uuid::Parse(parts[0]);
  if (!id || id->empty()) return MalformedToken();
  return TokenInfo{.id = *id,
                   .sign_in_time = absl::FromUnixMicros(sign_in_micros),
                   .expire_time = absl::FromUnixSeconds(expire_seconds)};
}

}  // namespace

absl::StatusOr<std::shared_ptr<KeyFile>> KeyFile::Open(const std::string& path) {
  std::shared_ptr<KeyFile> file(new KeyFile(path));
  TAROT_RETURN_IF_ERROR(file->Reload().status());
  return file;
}

absl::StatusOr<bool> KeyFile::Reload() {
  // Reads the state of the file (`now`) before the content. So if the file changes during the read,
  // the next Reload() sees the change.
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

std::string KeyFile::Sign(const SignedInPlayer& player) const {
  return keys()->Sign({.player = player.id,
                       .display_name = player.display_name,
                       .service = EncodeInfo(player.token)},
                      player.token.expire_time);
}

absl::StatusOr<SignedInPlayer> KeyFile::Verify(absl::string_view token, absl::Time now) const {
  TAROT_ASSIGN_OR_RETURN(rpc::Caller caller, keys()->Verify(token, now));
  if (caller.player.empty()) return NotAPlayersToken();
  TAROT_ASSIGN_OR_RETURN(const TokenInfo info, DecodeInfo(caller.service));
  return SignedInPlayer{
      .id = caller.player, .display_name = std::move(caller.display_name), .token = info};
}

std::shared_ptr<const rpc::KeyRing> KeyFile::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

}  // namespace tarot::gateway_service
