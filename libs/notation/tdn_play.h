// The movetext of a TDN record: words of the auction and of the play to entries.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "libs/notation/record.h"
#include "libs/notation/tdn_lexer.h"

namespace tarot::notation {

// A handful as its tag tells: its place is just before the first card of its seat.
struct HandfulTag {
  rules::CardSet cards;
  int line = 0;
};

// Appends the bids of `words` to `document`, from `first` on. Seats 0 to `playing` - 1 hold cards.
absl::Status ReadAuction(const std::vector<Token>& words, rules::Seat first, int playing,
                         Document& document);

// Appends the cards of `words` and, each before its seat's first card, `handfuls`. `leader` leads
// the first trick.
absl::Status ReadPlay(const std::vector<Token>& words, rules::Seat leader, int playing,
                      std::map<rules::Seat, HandfulTag> handfuls, Document& document);

}  // namespace tarot::notation
