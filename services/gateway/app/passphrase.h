// Checks the passphrases that players choose for their accounts.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// Returns `passphrase` in Unicode's composed form (NFC), so that each keyboard gives the same
// bytes. Returns INVALID_ARGUMENT BAD_REQUEST for `field` if the passphrase is empty, is not UTF-8,
// or has more than kPassphraseCharactersMax characters. The error does not contain the passphrase.
absl::StatusOr<std::string> ComposePassphrase(absl::string_view passphrase,
                                              absl::string_view field);

// Returns the composed form of a new passphrase. Returns the errors of ComposePassphrase(), and
// INVALID_ARGUMENT BAD_REQUEST for `field` also in three other cases: the passphrase has fewer than
// kPassphraseCharactersMin characters, or fewer than kPassphraseDifferentMin different characters,
// or it looks like `name` (both have the same NameKeys::login).
absl::StatusOr<std::string> ComposeNewPassphrase(absl::string_view passphrase,
                                                 absl::string_view name, absl::string_view field);

}  // namespace tarot::gateway_service
