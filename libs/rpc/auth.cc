#include "libs/rpc/auth.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <prometheus/counter.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/obs/log.h"

namespace tarot::rpc {
namespace {

// The time for which a token between services is valid. It must be much longer than the small
// differences between the clocks of machines. It must be short, because a stolen token is useful
// until its end.
constexpr absl::Duration kCallTokenLifetime = absl::Minutes(5);

// Refusals for the same reason are logged at most once in this time.
constexpr absl::Duration kRefusalLogInterval = absl::Seconds(10);

absl::Status BadToken(const char* why) {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN",
               absl::StrCat("The token is ", why, "."), {{"why", why}});
}

bool SameBytes(absl::string_view a, absl::string_view b) {  // Compares in constant time.
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// Returns four lines: the time of expiry in Unix seconds, the player, the service, and the display
// name. The name is last because it may contain any character.
std::string EncodePayload(const Caller& caller, absl::Time expire_time) {
  return absl::StrCat(absl::ToUnixSeconds(expire_time), "\n",
                      caller.player.empty() ? "" : caller.player.ToString(), "\n", caller.service,
                      "\n", caller.display_name);
}

absl::StatusOr<Caller> DecodePayload(absl::string_view payload, absl::Time now) {
  const std::vector<std::string> lines = absl::StrSplit(payload, absl::MaxSplits('\n', 3));
  std::int64_t expire_seconds = 0;
  if (lines.size() != 4 || !absl::SimpleAtoi(lines[0], &expire_seconds)) {
    return BadToken("malformed");
  }
  if (now >= absl::FromUnixSeconds(expire_seconds)) return BadToken("ended");
  Caller caller{.display_name = lines[3], .service = lines[2]};
  if (!lines[1].empty()) {
    const std::optional<PlayerId> player = PlayerId::Parse(lines[1]);
    if (!player) return BadToken("malformed");
    caller.player = *player;
  }
  return caller;
}

}  // namespace

// HMAC-SHA256 with one key. The constructor sets up the algorithm and the key once, because this
// costs more than the MAC of one token. Thread-safe.
class KeyRing::Mac {
 public:
  explicit Mac(const std::string& secret) {
    EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
    begun_.reset(EVP_MAC_CTX_new(hmac));
    EVP_MAC_free(hmac);
    std::string digest = OSSL_DIGEST_NAME_SHA2_256;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    TAROT_CHECK(begun_ != nullptr &&
                EVP_MAC_init(begun_.get(), Bytes(secret), secret.size(), params) == 1);
  }

  std::string Of(absl::string_view text) const {
    const Context context(EVP_MAC_CTX_dup(begun_.get()));
    unsigned char mac[EVP_MAX_MD_SIZE];
    std::size_t size = 0;
    TAROT_CHECK(context != nullptr &&
                EVP_MAC_update(context.get(), Bytes(text), text.size()) == 1 &&
                EVP_MAC_final(context.get(), mac, &size, sizeof mac) == 1);
    return {reinterpret_cast<const char*>(mac), size};
  }

 private:
  struct Free {
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
  };
  using Context = std::unique_ptr<EVP_MAC_CTX, Free>;

  static const unsigned char* Bytes(absl::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }

  Context begun_;
};

KeyRing::KeyRing(const std::vector<Key>& keys) {
  for (const Key& key : keys) keys_.push_back({key.id, std::make_shared<const Mac>(key.secret)});
}

absl::StatusOr<KeyRing> KeyRing::FromFile(const std::string& path) {
  TAROT_ASSIGN_OR_RETURN(std::vector<SecretKey> read, ReadKeyFile(path));
  std::vector<Key> keys;
  for (SecretKey& key : read) {
    keys.push_back({.id = std::move(key.id), .secret = std::move(key.secret)});
  }
  return KeyRing(keys);
}

std::string KeyRing::Sign(const Caller& caller, absl::Time expire_time) const {
  const Ready& key = keys_.front();
  const std::string text =
      absl::StrCat(key.id, ".", absl::WebSafeBase64Escape(EncodePayload(caller, expire_time)));
  return absl::StrCat(text, ".", absl::WebSafeBase64Escape(key.mac->Of(text)));
}

absl::StatusOr<Caller> KeyRing::Verify(absl::string_view token, absl::Time now) const {
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  std::string payload;
  std::string mac;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &payload) ||
      !absl::WebSafeBase64Unescape(parts[2], &mac)) {
    return BadToken("malformed");
  }
  for (const Ready& key : keys_) {
    if (parts[0] != key.id) continue;
    const absl::string_view text = token.substr(0, parts[0].size() + 1 + parts[1].size());
    if (!SameBytes(mac, key.mac->Of(text))) return BadToken("forged");
    return DecodePayload(payload, now);
  }
  return BadToken("of an unknown key");
}

// Counts refused tokens by reason, and logs some of them. Never logs a token.
class Authenticator::Refusals {
 public:
  explicit Refusals(prometheus::Registry& registry) {
    auto& family = prometheus::BuildCounter()
                       .Name("tarot_rpc_tokens_refused_total")
                       .Help("Calls that this service refused because of their internal token.")
                       .Register(registry);
    for (Reason& reason : reasons_) reason.counter = &family.Add({{"why", reason.label}});
  }

  void Count(const grpc::CallbackServerContext& context, absl::string_view why, absl::Time now) {
    for (Reason& reason : reasons_) {
      if (why != reason.why) continue;
      reason.counter->Increment();
      std::int64_t count = 0;
      {
        const std::lock_guard lock(mutex_);
        ++reason.unlogged;
        // If the clock was set back, `reason.logged` is in the future, and this refusal is logged
        // too.
        if (now >= reason.logged && now < reason.logged + kRefusalLogInterval) return;
        reason.logged = now;
        count = std::exchange(reason.unlogged, 0);
      }
      obs::Log(obs::Level::kWarning, "token refused",
               {{"why", why}, {"from", context.peer()}, {"count", absl::StrCat(count)}});
    }
  }

 private:
  struct Reason {
    const char* why;
    const char* label;
    prometheus::Counter* counter = nullptr;
    absl::Time logged = absl::InfinitePast();
    std::int64_t unlogged = 0;  // Refusals since the last line.
  };

  std::mutex mutex_;  // Guards `logged` and `unlogged`.
  std::array<Reason, 5> reasons_ = {{{"missing", "missing"},
                                     {"malformed", "malformed"},
                                     {"forged", "forged"},
                                     {"ended", "expired"},
                                     {"of an unknown key", "unknown_key"}}};
};

Authenticator::Authenticator(KeyRing keys, Clock& clock) : keys_(std::move(keys)), clock_(clock) {}

Authenticator::Authenticator(KeyRing keys, Clock& clock, prometheus::Registry& registry)
    : keys_(std::move(keys)), clock_(clock), refusals_(std::make_unique<Refusals>(registry)) {}

Authenticator::~Authenticator() = default;

absl::StatusOr<Caller> Authenticator::Authenticate(const grpc::CallbackServerContext& context,
                                                   Access access) const {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(kCallerMetadata);
  const bool missing = found == metadata.end();
  if (missing && access == Access::kEveryCaller) return Caller{};
  const absl::Time now = clock_.Now();
  absl::StatusOr<Caller> caller =
      missing ? BadToken("missing")
              : keys_.Verify(absl::string_view(found->second.data(), found->second.size()), now);
  if (!caller.ok()) {
    if (refusals_ != nullptr) {
      refusals_->Count(context, GetErrorDetails(caller.status()).metadata.at("why"), now);
    }
    return caller;
  }
  if (access == Access::kService && caller->service.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "NOT_A_SERVICE",
                 "Only services may call this method.");
  }
  if (access == Access::kPlayer && caller->player.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "NOT_A_PLAYER",
                 "Only players may call this method.");
  }
  return caller;
}

void Authenticator::Sign(grpc::ClientContext& context, const Caller& caller) const {
  context.AddMetadata(kCallerMetadata, keys_.Sign(caller, clock_.Now() + kCallTokenLifetime));
}

}  // namespace tarot::rpc
