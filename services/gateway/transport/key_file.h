// Signs and checks the players' tokens with keys from a file. Operators may change the file at any
// time.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <string>

#include "libs/rpc/auth.h"
#include "services/gateway/app/sessions.h"

namespace tarot::gateway_service {

// Thread-safe.
class KeyFile final : public TokenSigner {
 public:
  static absl::StatusOr<std::shared_ptr<KeyFile>> Open(const std::string& path);

  std::string Sign(const SignedInPlayer& player) const override;
  absl::StatusOr<SignedInPlayer> Verify(absl::string_view token, absl::Time now) const override;

  // Reads the file again if it has changed. Returns true if new keys are in use. If the new file
  // has an error, returns the error and keeps the old keys.
  absl::StatusOr<bool> Reload();

 private:
  explicit KeyFile(std::string path) : path_(std::move(path)) {}
  std::shared_ptr<const rpc::KeyRing> keys() const;

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const rpc::KeyRing> keys_;
  struct stat seen_ {};
};

}  // namespace tarot::gateway_service
