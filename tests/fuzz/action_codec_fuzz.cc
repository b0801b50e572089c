// Reads bytes as a stored action. The bytes must be refused, or the action must encode to exactly
// the same bytes.
#include "libs/base/check.h"
#include "libs/rules/codec.h"
#include "tests/fuzz/fuzz.h"

using namespace tarot;

void FuzzOne(absl::string_view input) {
  const auto action = rules::DecodeAction(input);
  if (!action) return;
  TAROT_CHECK(rules::EncodeAction(*action) == input);
}
