// The start of a deal as the log of a table stores it: bytes that stay readable for ever.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/dealing/provenance.h"

namespace tarot::dealing {

struct DealStart {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;  // Where the rule set leaves the taker to the board.
  Provenance provenance;
  // Of the deal after this one: fixed before the players can add a nonce to it, and a secret until
  // that deal is over. All zero for kSeedAlone, where it was drawn when the deal began.
  DealSeed next_seed{};
  friend bool operator==(const DealStart&, const DealStart&) = default;
};

// Bytes: the procedure (2), the dealer, the taker (255: none), the seed (64), the next seed (64),
// five nonces (a length and so many bytes each), and where the pack was gathered its 78 cards by
// their numbers.
// `start` is of kSeedAndNonces.
std::string EncodeDealStart(const DealStart& start);

// Reads also what procedure 1 stored: the seed's 64 bytes and nothing else. Its dealer is that of
// deal `number` (from 1, redeals included) of a table of `players`, where the last seat dealt
// first. Nothing when the bytes are neither.
std::optional<DealStart> DecodeDealStart(absl::string_view bytes, int players, int number);

}  // namespace tarot::dealing
