// Hashes of passphrases (Argon2id), and recovery codes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/base/entropy.h"

namespace tarot::ratings_service {

// The cost of one hash, for the person who signs in and for a thief who guesses. A stored hash has
// its own cost, so a new cost applies to the passphrases that are set from then on.
struct HashCost {
  std::uint32_t rounds = 0;
  std::uint32_t kibibytes = 0;
};

// Returns the Argon2id hash of `passphrase` as text, with the cost and a random salt of 16 bytes.
std::string HashPassphrase(absl::string_view passphrase, const HashCost& cost, Entropy& entropy);

// Returns whether `hash` is a hash of `passphrase`. Takes as long as HashPassphrase with the cost
// of `hash`, whatever the result.
bool PassphraseMatches(absl::string_view passphrase, const std::string& hash);

// Returns a new recovery code of 125 random bits: five groups of five letters and digits
// (Crockford's base 32, which has no I, L, O and U).
std::string NewRecoveryCode(Entropy& entropy);

// Returns the SHA-256 of a recovery code, in hex. Upper and lower case, spaces and hyphens make no
// difference, and neither do letters in place of the digits that they look like. The hash needs no
// salt and no cost, because a code is random.
std::string HashRecoveryCode(absl::string_view code);

// Compares two hashes in a time that does not depend on them.
bool HashesEqual(absl::string_view a, absl::string_view b);

}  // namespace tarot::ratings_service
