// The deal to come: its seed, fixed before any player can add a nonce to it, and those nonces.
#pragma once

#include "absl/status/status.h"
#include "libs/dealing/deal_start.h"
#include "libs/rules/match.h"

namespace tarot::rules_service {

struct NextDeal {
  dealing::DealSeed seed{};          // Secret until that deal is over.
  dealing::Commitment commitment{};  // Shown before the first nonce.
  dealing::Nonces nonces;            // By seat; shown at once, for the seed is a secret.
};

NextDeal NextDealOf(const dealing::DealSeed& seed);

// Adds the nonce of a seat. FAILED_PRECONDITION NONCE_REFUSED (metadata: why): NO_SEED_YET when
// `next` is nothing, MATCH_OVER, NONCE_SIZE, NONCE_GIVEN when the seat has added another.
absl::Status AddNonce(const rules::Match& match, rules::Seat seat, absl::string_view nonce,
                      std::optional<NextDeal>& next);

// NONCE_REFUSED, for people and programs.
absl::Status NonceRefused(absl::string_view why);

// How the next deal of `match` starts. `seed` is of the deal after it.
dealing::DealStart StartOf(const rules::Match& match, const NextDeal& next,
                           const dealing::DealSeed& seed);

}  // namespace tarot::rules_service
