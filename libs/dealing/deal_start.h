// Encodes the start of a deal as bytes for the log of a table. Later versions must still read these
// bytes.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/dealing/provenance.h"

namespace tarot::dealing {

struct DealStart {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;  // The taker that the board names, if any.
  Provenance provenance;
  // The seed of the next deal. It is chosen before players can add nonces for the next deal. It
  // stays secret until the next deal is over. With kSeedAlone this member is all zero, because with
  // this procedure a deal gets its seed when it starts.
  DealSeed next_seed{};
  friend bool operator==(const DealStart&, const DealStart&) = default;
};

// Encodes `start`, whose procedure must not be kSeedAlone. The bytes are:
// - the procedure (2 or 3), the dealer, and the taker (255 for none), one byte each;
// - the seed and the next seed, 64 bytes each;
// - five nonces, each after a byte with its length;
// - if the pack was gathered, the numbers of its 78 cards, one byte each;
// - if the pack was gathered with kDrawnGathering, the piles: for each pile the number of its
//   packets and then the sizes of these packets, one byte each.
std::string EncodeDealStart(const DealStart& start);

// Decodes the bytes of EncodeDealStart(). Also decodes the start of a deal with procedure 1, which
// is only the 64 bytes of the seed. In this case, the dealer follows from `number`, the number of
// the deal: seat `players` - 1 dealt deal 1. Numbers begin at 1 and include deals that were not
// scored. Returns nullopt for any other bytes.
std::optional<DealStart> DecodeDealStart(absl::string_view bytes, int players, int number);

}  // namespace tarot::dealing
