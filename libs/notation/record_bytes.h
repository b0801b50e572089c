// Records as bytes, for storage and for audits: about 120 bytes a deal, readable for ever. The
// layout is in docs/notation.md, "The binary form".
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

// `record` and what came of it: outcome, card points, bouts, scores. Equal records give equal
// bytes. Errors: INVALID_ARGUMENT BAD_REQUEST when the history is not legal.
absl::StatusOr<std::string> EncodeRecord(const Record& record);

// `document` as it stands: nothing is checked by the rules. Of its claims, outcome, card points,
// bouts and scores are kept. INVALID_ARGUMENT BAD_REQUEST for what the form cannot hold: hands and
// dog that are no pack, a card played by who does not hold it, a seat that is none.
absl::StatusOr<std::string> EncodeDocument(const Document& document);

// What EncodeRecord() or EncodeDocument() made, its moves and claims not yet checked. Any other
// bytes: INVALID_ARGUMENT BAD_REQUEST, field "record", with what is wrong.
absl::StatusOr<Document> DecodeRecord(absl::string_view bytes);

}  // namespace tarot::notation
