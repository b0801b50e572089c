// The keys of the tokens between services. Each service signs with its own private keys (Ed25519),
// and knows the public keys of all services. So no service can sign in the name of another service.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/rpc/key_ring.h"

namespace tarot::rpc {

// Paths of key files; an empty path means that there is no such file. There must be `shared`, or
// both `signing` and `services`. Only owner and group may open `shared` and `signing`.
struct ServiceKeyFiles {
  std::string service = {};  // The service of this process, for example "bot".
  // A key ring that all services have in common (KeyRing). With this key ring, each service can
  // sign as any other service and as any player. So the key ring is only for services of one
  // process, and for the change from an older release.
  std::string shared = {};
  // The private keys of this service: lines of `kid:base64`, where base64 has the DER form (PKCS#8)
  // of an Ed25519 key. The first key signs.
  std::string signing = {};
  // The public keys of all services: lines of `service:kid:base64`, where base64 has the DER form
  // of the key (SubjectPublicKeyInfo).
  std::string services = {};
};

// A map that forgets its oldest entries. It holds at least the newest `size` entries, and at most
// twice as many. Not thread-safe.
template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(std::size_t size) : size_(size) {}

  // Returns null if there is no such entry. The pointer is valid until the next call.
  const Value* Find(const std::string& key) {
    if (const auto young = young_.find(key); young != young_.end()) return &young->second;
    const auto old = old_.find(key);
    if (old == old_.end()) return nullptr;
    Value value = std::move(old->second);
    return &Put(key, std::move(value));
  }
  Value& Put(const std::string& key, Value value) {
    if (young_.size() >= size_) old_ = std::exchange(young_, {});
    return young_.insert_or_assign(key, std::move(value)).first->second;
  }
  void Clear() {
    young_.clear();
    old_.clear();
  }

 private:
  const std::size_t size_;
  std::unordered_map<std::string, Value> young_, old_;
};

// The keys of one service. Looks at most once a second whether a file has changed. If so, reads all
// files again. If a file then has an error, logs the error and keeps the old keys. Thread-safe.
class ServiceKeys {
 public:
  // Returns FAILED_PRECONDITION BAD_KEY_FILE if a file cannot be read or has a wrong line, or if
  // the first signing key is not among the public keys of this service.
  static absl::StatusOr<std::shared_ptr<ServiceKeys>> Open(const ServiceKeyFiles& files);
  // Makes keys that come from no file.
  explicit ServiceKeys(KeyRing shared);
  ~ServiceKeys();

  // The name of the service, or empty if the keys come from no file.
  const std::string& service() const { return files_.service; }

  // Returns a token for `caller` that is valid for four to five minutes. Other services accept only
  // the gateway's tokens for players. So for a player, a service with keys of its own returns the
  // newest token of this player that Verify has seen. The gateway signs every token itself.
  std::string Sign(const Caller& caller, absl::Time now);

  struct Verified {
    Caller caller;
    // The service whose key signed the token, or nullopt for a key of the shared ring.
    std::optional<std::string> issuer;
  };
  // Returns UNAUTHENTICATED BAD_TOKEN like KeyRing::Verify.
  absl::StatusOr<Verified> Verify(absl::string_view token, absl::Time now);

 private:
  struct Keys;
  struct Signed {
    std::string token;
    absl::Time time;
  };
  struct Remembered {
    Verified verified;
    absl::Time expire_time;
  };

  ServiceKeys(ServiceKeyFiles files, std::shared_ptr<const Keys> keys, std::string stamp);
  static absl::StatusOr<std::shared_ptr<const Keys>> Read(const ServiceKeyFiles& files);
  // Returns the keys in use, after a look at the files.
  std::shared_ptr<const Keys> Current(absl::Time now);
  // Keeps the token of a player for Sign. The caller holds `mutex_`.
  void RememberPlayer(const Verified& verified, const std::string& token, absl::Time expire_time);

  const ServiceKeyFiles files_;
  std::mutex mutex_;  // Guards the members below.
  std::shared_ptr<const Keys> keys_;
  absl::Time looked_ = absl::InfinitePast();  // The time of the last look at the files.
  std::string stamp_;                         // Changes when a file changes.
  // A signature costs some 30 µs and its check some 90 µs. So tokens are used again for a while.
  RecentMap<Signed> signed_;
  RecentMap<Remembered> verified_;
  RecentMap<Signed> of_players_;  // Tokens of players from the gateway, with their time of expiry.
};

// Opens the files that TAROT_IDENTITY_OPTIONS (options.h) names.
template <typename Options>
absl::StatusOr<std::shared_ptr<ServiceKeys>> OpenServiceKeys(const std::string& service,
                                                             const Options& options) {
  return ServiceKeys::Open({.service = service,
                            .shared = options.internal_key_file,
                            .signing = options.signing_key_file,
                            .services = options.service_keys_file});
}

}  // namespace tarot::rpc
