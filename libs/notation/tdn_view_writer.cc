#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/notation/card_names.h"
#include "libs/notation/record.h"
#include "libs/notation/tdn_view.h"
#include "libs/rules/parameters.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Phase;
using rules::Seat;
using rules::View;

// Of the viewer, as dealt.
CardSet HandAsDealt(const View& view) {
  CardSet hand = view.hand;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[Slot(i)];
    for (int k = 0; k < trick.size; ++k) {
      if (view.After(trick.leader, k) == view.viewer) hand.Insert(trick.cards[Slot(k)]);
    }
  }
  if (view.viewer != view.taker) return hand;
  return (hand | view.discard) - view.dog;
}

class Writer {
 public:
  explicit Writer(const View& view) : view_(view) {}

  std::string Run() {
    out_ = absl::StrCat("% TDN 1.0\n% VIEW ", SeatName(view_.viewer), "\n");
    Header();
    Auction();
    AfterAuction();
    if (view_.phase == Phase::kPlaying) Play();
    return absl::StrCat(out_, "*\n");
  }

 private:
  void Tag(absl::string_view name, absl::string_view value) {
    absl::StrAppend(&out_, "[", name, " \"", value, "\"]\n");
  }

  void Header() {
    Tag("Players", absl::StrCat(view_.players));
    Tag("Rules", rules::RuleSetText(view_.rules));
    Tag("Dealer", SeatName(view_.dealer));
    std::string hands = "A:";
    for (Seat seat = 0; seat < view_.players; ++seat) {
      absl::StrAppend(&hands, seat == 0 ? "" : " ",
                      seat == view_.viewer     ? HandName(HandAsDealt(view_))
                      : seat == view_.sits_out ? HandName(CardSet())
                                               : "?");
    }
    Tag("Deal", hands);
    Tag("Dog", view_.dog.Empty() ? "?" : HandName(view_.dog));
  }

  void Auction() {
    if (view_.bid_count == 0) return;
    Tag("Auction", SeatName(view_.SeatOfBid(0)));
    for (int i = 0; i < view_.bid_count; ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : " ", ContractName(view_.bids[Slot(i)]));
    }
    out_ += "\n";
  }

  void AfterAuction() {
    if (view_.taker == rules::kNoSeat) return;
    Tag("Taker", SeatName(view_.taker));
    if (view_.contract == rules::Contract::kPass) return;
    Tag("Contract", ContractName(view_.contract));
    const bool first = view_.rules.slam_announce == rules::SlamAnnounce::kWithContract;
    const bool called = view_.playing == 5 && view_.phase != Phase::kCalling &&
                        !(first && view_.phase == Phase::kSlam);
    if (called)
      Tag("Call", view_.called_card == rules::kNoCard ? "-" : CardName(view_.called_card));
    const bool put_away = !view_.dog.Empty() && view_.phase != Phase::kDiscarding;
    if (put_away) Tag("Ecart", Discard());
    for (int i = 0; i < view_.handful_count; ++i) {
      const rules::ShownHandful& shown = view_.handfuls[Slot(i)];
      Tag("Poignee", absl::StrCat(SeatName(shown.seat), ":", shown.cards.Size(), ":",
                                  TrumpsName(shown.cards)));
    }
    const bool untold = !called && !put_away && view_.phase != Phase::kPlaying;
    if (view_.slam_announced) {
      Tag("Chelem", SeatName(view_.taker) + ":announced");
    } else if (first && untold && view_.phase != Phase::kSlam) {
      Tag("Chelem", SeatName(view_.taker) + ":-");  // Nothing that follows tells that he was asked.
    }
  }

  // Others see only the trumps that had to go.
  std::string Discard() const {
    if (view_.viewer == view_.taker) return HandName(view_.discard);
    if (view_.discard_shown.Empty()) return "?";
    return TrumpsName(view_.discard_shown) + "/?";
  }

  void Play() {
    Tag("Play", SeatName(view_.tricks[0].leader));
    for (int i = 0; i < view_.trick_count; ++i) {
      const rules::Trick& trick = view_.tricks[Slot(i)];
      if (trick.size == 0) break;
      absl::StrAppend(&out_, i + 1, ". ", SeatName(trick.leader), ":");
      for (int at = 0; at < trick.size; ++at) {
        absl::StrAppend(&out_, " ", CardName(trick.cards[Slot(at)]));
      }
      if (trick.winner != rules::kNoSeat) absl::StrAppend(&out_, " =", SeatName(trick.winner));
      out_ += "\n";
    }
  }

  const View& view_;
  std::string out_;
};

}  // namespace

std::string WriteTdnView(const View& view) {
  TAROT_CHECK(view.dealer == view.players - 1 && view.phase != Phase::kDone);
  TAROT_CHECK(view.viewer != rules::kNoSeat && view.viewer != view.sits_out);
  return Writer(view).Run();
}

}  // namespace tarot::notation
