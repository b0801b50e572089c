// Declares hashes of passphrases (Argon2id) and recovery codes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/base/entropy.h"

namespace tarot::ratings_service {

// How much work and memory the computation of one hash needs. A stored hash contains its own cost.
// So a new cost applies only to passphrases that are set later.
struct HashCost {
  std::uint32_t rounds = 0;
  std::uint32_t kibibytes = 0;
};

// Returns the Argon2id hash of `passphrase` as text, with the cost and a random salt of 16 bytes.
std::string HashPassphrase(absl::string_view passphrase, const HashCost& cost, Entropy& entropy);

// Returns true if `hash` is a hash of `passphrase`. Takes as long as HashPassphrase() with the cost
// in `hash`, even if the result is false.
bool PassphraseMatches(absl::string_view passphrase, const std::string& hash);

// Returns a new recovery code of 125 random bits. The code has five groups of five letters and
// digits, from Crockford's base 32, which has no I, L, O and U.
std::string NewRecoveryCode(Entropy& entropy);

// Returns the SHA-256 of a recovery code as hexadecimal text. Ignores case, spaces and hyphens.
// Reads the letter O as 0, and the letters I and L as 1. The hash needs no salt and no cost,
// because a code is random.
std::string HashRecoveryCode(absl::string_view code);

// Compares two hashes. The time of the comparison does not depend on the hashes.
bool HashesEqual(absl::string_view a, absl::string_view b);

}  // namespace tarot::ratings_service
