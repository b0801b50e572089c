#include "libs/notation/tdn_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/notation/card_names.h"
#include "libs/notation/record.h"

namespace tarot::notation {

using rules::Contract;
using rules::Seat;

TdnText::TdnText(absl::string_view directive)
    : out_(absl::StrCat("% TDN 1.0\n% ", directive, "\n")) {}

void TdnText::Tag(absl::string_view name, absl::string_view value) {
  absl::StrAppend(&out_, "[", name, " \"",
                  absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"]\n");
}

void TdnText::Auction(Seat first, absl::Span<const Contract> bids) {
  Tag("Auction", SeatName(first));
  const auto append = [](std::string* out, Contract bid) {
    absl::StrAppend(out, ContractName(bid));
  };
  absl::StrAppend(&out_, absl::StrJoin(bids, " ", append), "\n");
}

void TdnText::Call(rules::Card card) { Tag("Call", card == rules::kNoCard ? "-" : CardName(card)); }

void TdnText::Handful(const rules::ShownHandful& shown, bool with_cards) {
  std::string value = absl::StrCat(SeatName(shown.seat), ":", shown.cards.Size());
  if (with_cards) absl::StrAppend(&value, ":", TrumpsName(shown.cards));
  Tag("Poignee", value);
}

void TdnText::Slam(Seat taker, bool announced) {
  Tag("Chelem", SeatName(taker) + (announced ? ":announced" : ":-"));
}

void TdnText::Play(absl::Span<const rules::Trick> tricks) {
  Tag("Play", SeatName(tricks[0].leader));
  for (std::size_t i = 0; i < tricks.size() && tricks[i].size > 0; ++i) {
    const rules::Trick& trick = tricks[i];
    absl::StrAppend(&out_, i + 1, ". ", SeatName(trick.leader), ":");
    for (int at = 0; at < trick.size; ++at) {
      absl::StrAppend(&out_, " ", CardName(trick.cards[Slot(at)]));
    }
    if (trick.winner != rules::kNoSeat) absl::StrAppend(&out_, " =", SeatName(trick.winner));
    out_ += "\n";
  }
}

std::string TdnText::End() && {
  out_ += "*\n";
  return std::move(out_);
}

}  // namespace tarot::notation
