// Contains parts that the readers and the writers of TDN share: the known tags, handfuls that need
// no list of cards, and the output text.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/rules/cards.h"
#include "libs/rules/deal.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::notation {

// Returns whether TDN gives this tag a meaning. Records keep all other tags unchanged.
bool IsKnownTag(absl::string_view name);
// Returns whether a tag can have this name.
bool IsTagName(absl::string_view name);

// Returns the only set of `count` cards that the holder of `hand` may show as a handful. Returns
// nullopt if there is no such set, or more than one. `exposed` are the trumps that the holder had
// to put into the écart.
std::optional<rules::CardSet> OnlyHandful(const rules::RuleSet& rules, rules::CardSet hand,
                                          rules::CardSet exposed, int count);

// Builds the text of a record or a view.
class TdnText {
 public:
  // `directive` is the directive of the second line: "EXPORT", or "VIEW" and a seat.
  explicit TdnText(absl::string_view directive);

  void Tag(absl::string_view name, absl::string_view value);
  void Auction(rules::Seat first, absl::Span<const rules::Contract> bids);
  // Writes the call. kNoCard means that the taker plays alone.
  void Call(rules::Card card);
  // Writes the seat and the size, as in "C:10". With `with_cards` the cards follow, as in
  // "C:10:X,21,…".
  void Handful(const rules::ShownHandful& shown, bool with_cards);
  void Slam(rules::Seat taker, bool announced);
  // Writes the tricks. Stops at the first trick without a card.
  void Play(absl::Span<const rules::Trick> tricks);

  // Ends the text and returns it.
  std::string End() &&;

 private:
  std::string out_;
};

}  // namespace tarot::notation
