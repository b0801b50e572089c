#include "services/ratings/app/passphrase.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "libs/base/check.h"

namespace tarot::ratings_service {
namespace {

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
// The number of parallel parts of one hash. It is 1, because a hash runs on one thread.
constexpr std::uint32_t kLanes = 1;

constexpr absl::string_view kLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kCodeLetters = 25;
constexpr std::size_t kGroupLetters = 5;

// Returns the character of a code that `c` stands for. Codes have no O, I and L, so a person who
// writes O means 0, and a person who writes I or L means 1.
char Meant(char c) {
  const char upper = absl::ascii_toupper(static_cast<unsigned char>(c));
  if (upper == 'O') return '0';
  return upper == 'I' || upper == 'L' ? '1' : upper;
}

}  // namespace

std::string HashPassphrase(absl::string_view passphrase, const HashCost& cost, Entropy& entropy) {
  std::array<std::uint8_t, kSaltBytes> salt;
  entropy.Fill(absl::MakeSpan(salt));
  std::vector<char> text(
      argon2_encodedlen(cost.rounds, cost.kibibytes, kLanes, kSaltBytes, kHashBytes, Argon2_id));
  const int failed = argon2id_hash_encoded(cost.rounds, cost.kibibytes, kLanes, passphrase.data(),
                                           passphrase.size(), salt.data(), salt.size(), kHashBytes,
                                           text.data(), text.size());
  TAROT_CHECK(failed == ARGON2_OK);
  return text.data();
}

bool PassphraseMatches(absl::string_view passphrase, const std::string& hash) {
  return argon2id_verify(hash.c_str(), passphrase.data(), passphrase.size()) == ARGON2_OK;
}

std::string NewRecoveryCode(Entropy& entropy) {
  std::array<std::uint8_t, kCodeLetters> bytes;
  entropy.Fill(absl::MakeSpan(bytes));
  std::string code;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % kGroupLetters == 0) code += '-';
    code += kLetters[bytes[i] % kLetters.size()];
  }
  return code;
}

std::string HashRecoveryCode(absl::string_view code) {
  std::string letters;
  for (const char c : code) {
    if (c != '-' && c != ' ') letters += Meant(c);
  }
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(letters.data()), letters.size(),
         reinterpret_cast<unsigned char*>(hash.data()));
  return absl::BytesToHexString(hash);
}

bool HashesEqual(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace tarot::ratings_service
