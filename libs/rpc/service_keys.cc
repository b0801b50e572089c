#include "libs/rpc/service_keys.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/obs/log.h"
#include "libs/rpc/permissions.h"
#include "libs/rpc/token.h"

namespace tarot::rpc {
namespace {

// A token between services is valid for this time. The time is long enough that small differences
// between the clocks of machines do not matter. It is short enough that a stolen token is soon
// useless.
constexpr absl::Duration kTokenLifetime = absl::Minutes(5);
// After a service has signed a token for a caller, it sends the same token for this caller again
// during this time.
constexpr absl::Duration kUseAgain = absl::Minutes(1);
constexpr absl::Duration kLookInterval = absl::Seconds(1);
constexpr std::size_t kTokensRemembered = 20'000;
// Tokens above this length are not remembered. A token of the gateway has about 200 bytes.
constexpr std::size_t kTokenBytesMax = 1'000;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

absl::Status BadKeyFile(const std::string& path, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "BAD_KEY_FILE",
               absl::StrCat("Key file ", path, ": ", why));
}

Key ReadKey(bool is_private, const std::string& der) {
  const unsigned char* at = Bytes(der);
  const auto size = static_cast<long>(der.size());
  Key key(is_private ? d2i_AutoPrivateKey(nullptr, &at, size) : d2i_PUBKEY(nullptr, &at, size));
  if (key != nullptr && EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) key.reset();
  return key;
}

std::string SignatureOf(EVP_PKEY* key, absl::string_view text) {
  const Context context(EVP_MD_CTX_new());
  unsigned char signature[64];
  std::size_t size = sizeof signature;
  TAROT_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
              EVP_DigestSign(context.get(), signature, &size, Bytes(text), text.size()) == 1);
  return {reinterpret_cast<const char*>(signature), size};
}

bool IsSignature(EVP_PKEY* key, absl::string_view text, absl::string_view signature) {
  const Context context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                          text.size()) == 1;
}

// Returns a text that changes when one of the files changes.
std::string StampOf(const ServiceKeyFiles& files) {
  std::string stamp;
  for (const std::string& path : {files.shared, files.signing, files.services}) {
    struct stat info {};
    if (path.empty() || ::stat(path.c_str(), &info) != 0) {
      stamp += "-;";
      continue;
    }
    absl::StrAppend(&stamp, info.st_dev, " ", info.st_ino, " ", info.st_size, " ",
                    info.st_mtim.tv_sec, " ", info.st_mtim.tv_nsec, ";");
  }
  return stamp;
}

}  // namespace

struct ServiceKeys::Keys {
  struct Own {
    std::string id;
    Key key;
  };
  struct Public {
    std::string service;
    Key key;
  };

  std::optional<KeyRing> shared;
  std::vector<Own> own;
  std::map<std::string, Public, std::less<>> services;  // By id.
};

namespace {

using PublicKeys = std::map<std::string, std::pair<std::string, Key>, std::less<>>;

// Reads the file of public keys: id to service and key.
absl::StatusOr<PublicKeys> ReadPublicKeys(const std::string& path) {
  std::ifstream in(path);
  if (!in) return BadKeyFile(path, "cannot be read");
  PublicKeys keys;
  for (std::string line; std::getline(in, line);) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 2));
    std::string der;
    if (parts.size() != 3 || parts[0].empty() || parts[1].empty() ||
        !absl::Base64Unescape(parts[2], &der)) {
      return BadKeyFile(path, "a line does not have the form service:kid:base64");
    }
    Key key = ReadKey(/*is_private=*/false, der);
    if (key == nullptr) return BadKeyFile(path, "a key is not a public key of Ed25519 in DER");
    if (!keys.try_emplace(parts[1], parts[0], std::move(key)).second) {
      return BadKeyFile(path, "two keys have the same kid");
    }
  }
  return keys;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ServiceKeys::Keys>> ServiceKeys::Read(
    const ServiceKeyFiles& files) {
  const auto keys = std::make_shared<Keys>();
  if (!files.shared.empty() || (files.signing.empty() && files.services.empty())) {
    TAROT_ASSIGN_OR_RETURN(keys->shared, KeyRing::FromFile(files.shared));
  }
  if (!files.signing.empty()) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<SecretKey> own, ReadKeyFile(files.signing));
    for (const SecretKey& line : own) {
      Key key = ReadKey(/*is_private=*/true, line.secret);
      if (key == nullptr) {
        return BadKeyFile(files.signing, "a key is not a private key of Ed25519 in DER");
      }
      keys->own.push_back({line.id, std::move(key)});
    }
  }
  if (!files.services.empty()) {
    TAROT_ASSIGN_OR_RETURN(PublicKeys all, ReadPublicKeys(files.services));
    for (auto& [id, key] : all) {
      keys->services[id] = {.service = key.first, .key = std::move(key.second)};
    }
  }
  if (keys->own.empty() && !keys->shared) {
    return BadKeyFile(files.services, "without private keys this service cannot sign");
  }
  if (!keys->own.empty()) {
    const auto found = keys->services.find(keys->own.front().id);
    if (found == keys->services.end() || found->second.service != files.service ||
        EVP_PKEY_eq(found->second.key.get(), keys->own.front().key.get()) != 1) {
      return BadKeyFile(files.signing, absl::StrCat("its first key is not a key of ", files.service,
                                                    " in ", files.services));
    }
  }
  return keys;
}

absl::StatusOr<std::shared_ptr<ServiceKeys>> ServiceKeys::Open(const ServiceKeyFiles& files) {
  // The stamp is older than the content. So if a file changes during the read, the next look sees
  // the change.
  std::string stamp = StampOf(files);
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<const Keys> keys, Read(files));
  return std::shared_ptr<ServiceKeys>(new ServiceKeys(files, std::move(keys), std::move(stamp)));
}

ServiceKeys::ServiceKeys(ServiceKeyFiles files, std::shared_ptr<const Keys> keys, std::string stamp)
    : files_(std::move(files)),
      keys_(std::move(keys)),
      stamp_(std::move(stamp)),
      signed_(kTokensRemembered),
      verified_(kTokensRemembered),
      of_players_(kTokensRemembered) {}

ServiceKeys::ServiceKeys(KeyRing shared) : ServiceKeys({}, nullptr, "") {
  const auto keys = std::make_shared<Keys>();
  keys->shared = std::move(shared);
  keys_ = keys;
}

ServiceKeys::~ServiceKeys() = default;

std::shared_ptr<const ServiceKeys::Keys> ServiceKeys::Current(absl::Time now) {
  const bool in_files = !stamp_.empty();
  {
    const std::lock_guard lock(mutex_);
    // If the clock was set back, `looked_` is in the future.
    if (!in_files || (now >= looked_ && now < looked_ + kLookInterval)) return keys_;
    looked_ = now;
  }
  std::string stamp = StampOf(files_);
  {
    const std::lock_guard lock(mutex_);
    if (stamp == stamp_) return keys_;
    stamp_ = stamp;
  }
  absl::StatusOr<std::shared_ptr<const Keys>> read = Read(files_);
  if (!read.ok()) {
    obs::Log(obs::Level::kError, "the new keys cannot be used, so the old keys stay in use",
             {{"why", read.status().message()}});
    const std::lock_guard lock(mutex_);
    return keys_;
  }
  obs::Log(obs::Level::kInfo, "the new keys are in use");
  const std::lock_guard lock(mutex_);
  keys_ = *std::move(read);
  signed_.Clear();
  verified_.Clear();
  of_players_.Clear();
  return keys_;
}

std::string ServiceKeys::Sign(const Caller& caller, absl::Time now) {
  const std::shared_ptr<const Keys> keys = Current(now);
  if (keys->own.empty()) return keys->shared->Sign(caller, now + kTokenLifetime);
  const std::string player = caller.player.empty() ? "" : caller.player.ToString();
  const std::string id = absl::StrCat(player, "\n", caller.service, "\n", caller.display_name);
  {
    const std::lock_guard lock(mutex_);
    if (!player.empty() && files_.service != kPlayersService) {
      const Signed* const passed_on = of_players_.Find(player);
      if (passed_on != nullptr && now < passed_on->time) return passed_on->token;
    }
    const Signed* const signed_before = signed_.Find(id);
    if (signed_before != nullptr && now >= signed_before->time &&
        now < signed_before->time + kUseAgain) {
      return signed_before->token;
    }
  }
  const Keys::Own& key = keys->own.front();
  const std::string text = TokenText(key.id, caller, now + kTokenLifetime);
  std::string token = WithSignature(text, SignatureOf(key.key.get(), text));
  const std::lock_guard lock(mutex_);
  if (keys == keys_) signed_.Put(id, {token, now});
  return token;
}

absl::StatusOr<ServiceKeys::Verified> ServiceKeys::Verify(absl::string_view token, absl::Time now) {
  const std::shared_ptr<const Keys> keys = Current(now);
  TAROT_ASSIGN_OR_RETURN(const TokenParts parts, SplitToken(token));
  const auto key = keys->services.find(parts.kid);
  if (key == keys->services.end()) {
    if (!keys->shared) return BadToken("of an unknown key");
    TAROT_ASSIGN_OR_RETURN(Caller caller, keys->shared->Verify(token, now));
    return Verified{.caller = std::move(caller), .issuer = std::nullopt};
  }
  const std::string whole(token);
  {
    const std::lock_guard lock(mutex_);
    const Remembered* const before = verified_.Find(whole);
    if (before != nullptr) {
      if (now >= before->expire_time) return BadToken("ended");
      const Remembered remembered = *before;
      RememberPlayer(remembered.verified, whole, remembered.expire_time);
      return remembered.verified;
    }
  }
  if (!IsSignature(key->second.key.get(), parts.text, parts.signature)) return BadToken("forged");
  TAROT_ASSIGN_OR_RETURN(TokenContent content, DecodePayload(parts.payload));
  if (now >= content.expire_time) return BadToken("ended");
  Verified verified = {.caller = std::move(content.caller), .issuer = key->second.service};
  const std::lock_guard lock(mutex_);
  if (keys != keys_ || whole.size() > kTokenBytesMax) return verified;
  verified_.Put(whole, {verified, content.expire_time});
  RememberPlayer(verified, whole, content.expire_time);
  return verified;
}

void ServiceKeys::RememberPlayer(const Verified& verified, const std::string& token,
                                 absl::Time expire_time) {
  if (verified.caller.player.empty() || *verified.issuer != kPlayersService) return;
  const std::string player = verified.caller.player.ToString();
  const Signed* const known = of_players_.Find(player);
  if (known == nullptr || known->time < expire_time) of_players_.Put(player, {token, expire_time});
}

}  // namespace tarot::rpc
