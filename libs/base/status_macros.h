// Macros that return early if a Status or StatusOr is an error.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TAROT_RETURN_IF_ERROR(expression)                                     \
  do {                                                                        \
    if (::absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

#define TAROT_CONCAT_INNER_(a, b) a##b
#define TAROT_CONCAT_(a, b) TAROT_CONCAT_INNER_(a, b)
#define TAROT_ASSIGN_OR_RETURN(declaration, expression) \
  TAROT_ASSIGN_OR_RETURN_(TAROT_CONCAT_(status_or_, __LINE__), declaration, expression)
#define TAROT_ASSIGN_OR_RETURN_(temporary, declaration, expression) \
  auto temporary = (expression);                                    \
  if (!temporary.ok()) return std::move(temporary).status();        \
  declaration = *std::move(temporary)
