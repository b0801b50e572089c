#include "libs/dealing/secret_box.h"

#include <openssl/evp.h>

#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"

namespace tarot::dealing {
namespace {

constexpr char kVersion = 1;
// The first two bytes of a sealed secret are the version and the length of the key's id.
constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kTagBytes = 16;
// A key in the key file may be longer than 32 bytes, and AES-256 takes a key of 32 bytes. So the
// key of AES-256 is the SHA-256 of kKeyWord followed by the key in the file.
constexpr char kKeyWord[] = "tarot secret 1";

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

absl::Status Unreadable(absl::string_view key, absl::string_view why) {
  return Error(absl::StatusCode::kInternal, "SECRET_UNREADABLE",
               absl::StrCat("A stored secret cannot be read with key \"", key, "\": ", why, "."),
               {{"key", std::string(key)}, {"why", std::string(why)}});
}

}  // namespace

SecretBox::SecretBox(const std::vector<SecretKey>& keys) {
  TAROT_CHECK(!keys.empty());
  for (const SecretKey& key : keys) {
    Ready ready{.id = key.id, .key = {}};
    const std::string material = absl::StrCat(kKeyWord, key.secret);
    TAROT_CHECK(EVP_Digest(material.data(), material.size(), ready.key.data(), nullptr,
                           EVP_sha256(), nullptr) == 1);
    keys_.push_back(std::move(ready));
  }
}

std::string SecretBox::Seal(absl::string_view secret, absl::string_view place,
                            const Nonce& nonce) const {
  const Ready& key = keys_.front();
  const Context context(EVP_CIPHER_CTX_new());
  std::string tag(kTagBytes, '\0');
  std::string text(secret.size(), '\0');
  int size = 0;
  TAROT_CHECK(context != nullptr &&
              EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.key.data(),
                                 nonce.data()) == 1 &&
              EVP_EncryptUpdate(context.get(), nullptr, &size, Bytes(place),
                                static_cast<int>(place.size())) == 1 &&
              EVP_EncryptUpdate(context.get(), Bytes(text), &size, Bytes(secret),
                                static_cast<int>(secret.size())) == 1 &&
              EVP_EncryptFinal_ex(context.get(), Bytes(text) + size, &size) == 1 &&
              EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, Bytes(tag)) == 1);
  std::string sealed = {kVersion, static_cast<char>(key.id.size())};
  absl::StrAppend(&sealed, key.id, std::string(nonce.begin(), nonce.end()), tag, text);
  return sealed;
}

absl::StatusOr<std::string> SecretBox::Open(absl::string_view sealed,
                                            absl::string_view place) const {
  if (sealed.size() < kHeadBytes || sealed[0] != kVersion) return Unreadable("", "malformed");
  const std::size_t id_size = static_cast<std::uint8_t>(sealed[1]);
  if (sealed.size() < kHeadBytes + id_size + Nonce{}.size() + kTagBytes) {
    return Unreadable("", "malformed");
  }
  const absl::string_view id = sealed.substr(kHeadBytes, id_size);
  const absl::string_view nonce = sealed.substr(kHeadBytes + id_size, Nonce{}.size());
  const absl::string_view rest = sealed.substr(kHeadBytes + id_size + nonce.size());
  std::string tag(rest.substr(0, kTagBytes));
  const absl::string_view text = rest.substr(kTagBytes);
  for (const Ready& key : keys_) {
    if (key.id != id) continue;
    const Context context(EVP_CIPHER_CTX_new());
    std::string secret(text.size(), '\0');
    int size = 0;
    TAROT_CHECK(context != nullptr &&
                EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.key.data(),
                                   Bytes(nonce)) == 1 &&
                EVP_DecryptUpdate(context.get(), nullptr, &size, Bytes(place),
                                  static_cast<int>(place.size())) == 1 &&
                EVP_DecryptUpdate(context.get(), Bytes(secret), &size, Bytes(text),
                                  static_cast<int>(text.size())) == 1 &&
                EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, Bytes(tag)) ==
                    1);
    if (EVP_DecryptFinal_ex(context.get(), Bytes(secret) + size, &size) == 1) return secret;
    return Unreadable(key.id, "the key is wrong, or the bytes were changed or moved");
  }
  return Unreadable(absl::CHexEscape(id), "this process has no key with this id");
}

}  // namespace tarot::dealing
