// The start of a deal as stored in the log of a table. Later versions must still read these bytes.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/dealing/provenance.h"

namespace tarot::dealing {

struct DealStart {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;  // Set if the board chooses the taker.
  Provenance provenance;
  // The seed of the next deal, fixed before players can add a nonce to it, and secret until that
  // deal is over. All zero for kSeedAlone, where the seed was drawn at the start of the deal.
  DealSeed next_seed{};
  friend bool operator==(const DealStart&, const DealStart&) = default;
};

// Encodes: the procedure (2), the dealer, the taker (255: none), the seed (64), the next seed (64),
// five nonces (each with a length byte), and, if the pack was gathered, the numbers of its 78
// cards. The procedure of `start` must be kSeedAndNonces.
std::string EncodeDealStart(const DealStart& start);

// Also reads entries of procedure 1: the 64 bytes of the seed. Their dealer is that of deal
// `number` (from 1, including redeals) at a table of `players`, where the last seat dealt first.
// Returns nothing for any other bytes.
std::optional<DealStart> DecodeDealStart(absl::string_view bytes, int players, int number);

}  // namespace tarot::dealing
