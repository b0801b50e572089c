// The tags of a TDN record that say what came of the deal and how it was dealt.
#pragma once

#include "absl/status/status.h"
#include "libs/notation/record.h"
#include "libs/notation/tdn_parts.h"

namespace tarot::notation {

// Result, Score and Termination, as they stand, to the claims of `document`, whose players are
// known already. Errors as ParseTdn().
absl::Status ReadClaims(const TdnParts& parts, const rules::RuleSet& rules, Document& document);

// Seed, Commit, Dealing, Nonce and Gathered to its record. Errors as ParseTdn().
absl::Status ReadProvenance(const TdnParts& parts, Record& record);

}  // namespace tarot::notation
