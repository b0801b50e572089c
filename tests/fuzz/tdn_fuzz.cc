// Reads text as TDN. The text must be refused with a line number, or give records. Printed records
// must parse again.
#include "absl/strings/match.h"
#include "libs/base/check.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "tests/fuzz/fuzz.h"

using namespace tarot;

void FuzzOne(absl::string_view input) {
  const auto documents = notation::ParseTdn(input);
  if (!documents.ok()) {
    TAROT_CHECK(absl::StartsWith(documents.status().message(), "line "));
    return;
  }
  for (const notation::Document& document : *documents) {
    TAROT_CHECK(!notation::Prove(document).empty());
  }
  const auto records = notation::ReadTdn(input);
  if (!records.ok()) return;
  for (const notation::Record& record : *records) {
    const auto text = notation::WriteTdn(record);
    TAROT_CHECK(text.ok());
    const auto again = notation::ReadTdn(*text);
    TAROT_CHECK(again.ok() && again->size() == 1 && again->front() == record);
    TAROT_CHECK(*notation::WriteTdn(again->front()) == *text);
  }
}
