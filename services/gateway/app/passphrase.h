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

// As ComposePassphrase(), but for a new passphrase. It must also have at least
// kPassphraseCharactersMin characters and kPassphraseDifferentMin different ones, and its
// NameKeys::login must not be that of `name`.
absl::StatusOr<std::string> ComposeNewPassphrase(absl::string_view passphrase,
                                                 absl::string_view name, absl::string_view field);

}  // namespace tarot::gateway_service
