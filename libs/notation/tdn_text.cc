#include "libs/notation/tdn_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "libs/notation/names.h"
#include "libs/notation/record.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Contract;
using rules::Seat;

constexpr absl::string_view kKnownTags[] = {
    "Event",    "Site",   "Date",        "Round",   "Players", "Rules",   "Dealer",  "SeatA",
    "SeatB",    "SeatC",  "SeatD",       "SeatE",   "Deal",    "Dog",     "Auction", "Taker",
    "Contract", "Call",   "Ecart",       "Poignee", "Chelem",  "Play",    "Result",  "Score",
    "Seed",     "Commit", "Termination", "Dealing", "Nonce",   "Gathered"};

}  // namespace

bool IsKnownTag(absl::string_view name) {
  return std::find(std::begin(kKnownTags), std::end(kKnownTags), name) != std::end(kKnownTags);
}

bool IsTagName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

std::optional<CardSet> OnlyHandful(const rules::RuleSet& rules, CardSet hand, CardSet exposed,
                                   int count) {
  if (!rules.handful_shown_discard_counts) exposed = CardSet();
  const CardSet held = hand & CardSet::AllTrumps();
  const CardSet trumps = held | exposed;
  if (trumps.Size() > count) return std::nullopt;
  const bool plain = trumps.Size() == count;
  // A handful with the Excuse must show all trumps in the hand. If these are too few, the handful
  // also needs trumps from `exposed`, the trumps that every seat has seen in the écart.
  const bool may = hand.Contains(rules::kExcuse) &&
                   rules.handful_excuse == rules::HandfulExcuse::kIfNoHiddenTrump;
  const int missing = count - 1 - held.Size();
  const bool excuse = may && missing >= 0 && missing <= exposed.Size();
  // Either no set of cards fits, or two sets fit: one set with the Excuse, and one set without the
  // Excuse.
  if (plain == excuse) return std::nullopt;
  if (plain) return trumps;
  if (missing != 0 && missing != exposed.Size()) return std::nullopt;
  return (missing == 0 ? held : trumps) | CardSet{rules::kExcuse};
}

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
