// The bytes that store the start of a deal in the log of a table. Later versions must still read
// these bytes.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/dealing/provenance.h"

namespace tarot::dealing {

struct DealStart {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;  // Set if the board names the taker.
  Provenance provenance;
  // The seed of the next deal. It is fixed before players can add a nonce to it, and stays secret
  // until that deal is over. For kSeedAlone it is all zero, because such a deal gets its seed when
  // it starts.
  DealSeed next_seed{};
  friend bool operator==(const DealStart&, const DealStart&) = default;
};

// Encodes `start`: the procedure (2), the dealer, the taker (255: none), the seed (64 bytes), the
// next seed (64 bytes), five nonces (each with a length byte), and, if the pack was gathered, the
// numbers of its 78 cards. The procedure of `start` must be kSeedAndNonces.
std::string EncodeDealStart(const DealStart& start);

// Decodes entries of procedures 2 and 1. An entry of procedure 1 is the 64 bytes of the seed; its
// dealer is that of deal `number` (from 1, including redeals) at a table of `players` where the
// last seat dealt first. Returns nullopt for any other bytes.
std::optional<DealStart> DecodeDealStart(absl::string_view bytes, int players, int number);

}  // namespace tarot::dealing
