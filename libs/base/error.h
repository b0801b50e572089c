// Defines errors inside the process, and macros that return an error early. An error is an
// absl::Status with a reason for programs and a text for people. This file needs no protobuf, so
// code in app/ may include it. libs/status turns an error into a google.rpc.Status for the wire.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot {

using ErrorMetadata = std::vector<std::pair<std::string, std::string>>;

// Makes an error. `reason` is UPPER_SNAKE_CASE and listed in docs/errors.md. `metadata` has every
// part of `message` that varies, so that no client must parse the text. Neither `message` nor
// `metadata` may name a card that is hidden from the caller.
absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   const ErrorMetadata& metadata = {});

// Returns INVALID_ARGUMENT BAD_REQUEST. `field` is the field's path in the proto, for example
// "clocks.move_limit".
absl::Status BadRequest(absl::string_view field, absl::string_view description);

// The reason and metadata of an Error(). For any other Status, `reason` is empty.
struct ErrorDetails {
  std::string reason;
  std::map<std::string, std::string> metadata;
};
ErrorDetails GetErrorDetails(const absl::Status& status);

}  // namespace tarot

// If the Status of `expression` is not OK, returns this Status from the enclosing function.
#define TAROT_RETURN_IF_ERROR(expression)                                     \
  do {                                                                        \
    if (::absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// Sets `declaration`, for example `const int x`, to the value of the StatusOr `expression`. If
// there is no value, returns the Status of `expression` from the enclosing function.
#define TAROT_ASSIGN_OR_RETURN(declaration, expression) \
  TAROT_ASSIGN_OR_RETURN_(TAROT_CONCAT_(status_or_, __LINE__), declaration, expression)
#define TAROT_ASSIGN_OR_RETURN_(temporary, declaration, expression) \
  auto temporary = (expression);                                    \
  if (!temporary.ok()) return std::move(temporary).status();        \
  declaration = *std::move(temporary)
#define TAROT_CONCAT_(a, b) TAROT_CONCAT_INNER_(a, b)
#define TAROT_CONCAT_INNER_(a, b) a##b
