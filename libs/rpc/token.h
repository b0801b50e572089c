// The text of signed tokens: kid.payload.signature, the last two in base64url. `kid` is the id of
// the key that signed the first two parts.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::rpc {

// Returns UNAUTHENTICATED BAD_TOKEN with the metadata `why`.
absl::Status BadToken(const char* why);

// Returns the text `kid.payload` of a token. The key `kid` must sign this text.
std::string TokenText(absl::string_view kid, const Caller& caller, absl::Time expire_time);

// Returns the whole token. `signature` has the raw bytes, which the function writes in base64url.
std::string WithSignature(const std::string& text, absl::string_view signature);

// The parts of a token, which may be forged. The views point into the token.
struct TokenParts {
  absl::string_view kid;
  absl::string_view text;  // The signed part.
  std::string payload;     // Bytes.
  std::string signature;   // Bytes.
};

// The content of a token's payload.
struct TokenContent {
  Caller caller;
  absl::Time expire_time;
};

// Returns BAD_TOKEN if the token does not have three parts in base64url.
absl::StatusOr<TokenParts> SplitToken(absl::string_view token);

// Returns BAD_TOKEN if the payload is malformed. Does not compare `expire_time` with the clock.
absl::StatusOr<TokenContent> DecodePayload(absl::string_view payload);

}  // namespace tarot::rpc
