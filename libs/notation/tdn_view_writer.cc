#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/notation/card_names.h"
#include "libs/notation/record.h"
#include "libs/notation/tdn_text.h"
#include "libs/notation/tdn_view.h"
#include "libs/rules/parameters/parameters.h"

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
  explicit Writer(const View& view)
      : view_(view), text_(absl::StrCat("VIEW ", SeatName(view.viewer))) {}

  std::string Run() {
    Header();
    if (view_.bid_count > 0) {
      text_.Auction(view_.SeatOfBid(0),
                    absl::MakeConstSpan(view_.bids).first(Slot(view_.bid_count)));
    }
    AfterAuction();
    if (view_.phase == Phase::kPlaying) {
      text_.Play(absl::MakeConstSpan(view_.tricks).first(Slot(view_.trick_count)));
    }
    return std::move(text_).End();
  }

 private:
  void Header() {
    text_.Tag("Players", absl::StrCat(view_.players));
    text_.Tag("Rules", rules::RuleSetText(view_.rules));
    text_.Tag("Dealer", SeatName(view_.dealer));
    std::string hands = "A:";
    for (Seat seat = 0; seat < view_.players; ++seat) {
      absl::StrAppend(&hands, seat == 0 ? "" : " ",
                      seat == view_.viewer     ? HandName(HandAsDealt(view_))
                      : seat == view_.sits_out ? HandName(CardSet())
                                               : "?");
    }
    text_.Tag("Deal", hands);
    text_.Tag("Dog", view_.dog.Empty() ? "?" : HandName(view_.dog));
  }

  void AfterAuction() {
    if (view_.taker == rules::kNoSeat) return;
    text_.Tag("Taker", SeatName(view_.taker));
    if (view_.contract == rules::Contract::kPass) return;
    text_.Tag("Contract", ContractName(view_.contract));
    const bool first = view_.rules.slam_announce == rules::SlamAnnounce::kWithContract;
    const bool called = view_.playing == 5 && view_.phase != Phase::kCalling &&
                        !(first && view_.phase == Phase::kSlam);
    if (called) text_.Call(view_.called_card);
    const bool put_away = !view_.dog.Empty() && view_.phase != Phase::kDiscarding;
    if (put_away) text_.Tag("Ecart", Discard());
    for (int i = 0; i < view_.handful_count; ++i) {
      text_.Handful(view_.handfuls[Slot(i)], true);
    }
    const bool untold = !called && !put_away && view_.phase != Phase::kPlaying;
    if (view_.slam_announced) {
      text_.Slam(view_.taker, true);
    } else if (first && untold && view_.phase != Phase::kSlam) {
      text_.Slam(view_.taker, false);  // Nothing that follows tells that he was asked.
    }
  }

  // Others see only the trumps that had to go.
  std::string Discard() const {
    if (view_.viewer == view_.taker) return HandName(view_.discard);
    if (view_.discard_shown.Empty()) return "?";
    return TrumpsName(view_.discard_shown) + "/?";
  }

  const View& view_;
  TdnText text_;
};

}  // namespace

std::string WriteTdnView(const View& view) {
  TAROT_CHECK(view.dealer == view.players - 1 && view.phase != Phase::kDone);
  TAROT_CHECK(view.viewer != rules::kNoSeat && view.viewer != view.sits_out);
  return Writer(view).Run();
}

}  // namespace tarot::notation
