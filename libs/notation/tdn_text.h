// The text of a TDN record or view as it grows: what both writers write alike.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/rules/deal.h"

namespace tarot::notation {

class TdnText {
 public:
  // `directive` is the word of the second line: "EXPORT", or "VIEW" and a seat.
  explicit TdnText(absl::string_view directive);

  void Tag(absl::string_view name, absl::string_view value);
  void Auction(rules::Seat first, absl::Span<const rules::Contract> bids);
  // kNoCard: the taker calls nobody.
  void Call(rules::Card card);
  // "C:10" and, where `cards` are to be named, ":X,21,…".
  void Handful(const rules::ShownHandful& shown, bool with_cards);
  void Slam(rules::Seat taker, bool announced);
  // The tricks up to the first without a card.
  void Play(absl::Span<const rules::Trick> tricks);

  // The whole text.
  std::string End() &&;

 private:
  std::string out_;
};

}  // namespace tarot::notation
