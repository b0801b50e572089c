#include "libs/rpc/key_ring.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <utility>

#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/rpc/token.h"

namespace tarot::rpc {
namespace {

bool SameBytes(absl::string_view a, absl::string_view b) {  // Compares in constant time.
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
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
  const std::string text = TokenText(key.id, caller, expire_time);
  return WithSignature(text, key.mac->Of(text));
}

absl::StatusOr<Caller> KeyRing::Verify(absl::string_view token, absl::Time now) const {
  TAROT_ASSIGN_OR_RETURN(const TokenParts parts, SplitToken(token));
  for (const Ready& key : keys_) {
    if (parts.kid != key.id) continue;
    if (!SameBytes(parts.signature, key.mac->Of(parts.text))) return BadToken("forged");
    TAROT_ASSIGN_OR_RETURN(TokenContent content, DecodePayload(parts.payload));
    if (now >= content.expire_time) return BadToken("ended");
    return std::move(content.caller);
  }
  return BadToken("of an unknown key");
}

}  // namespace tarot::rpc
