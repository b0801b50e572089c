#include "libs/rules/view.h"

#include <algorithm>

namespace tarot::rules {
namespace {

// Returns whether `viewer` may know which seat is the partner. The partner may know this after the
// call. All other seats, including the taker, may know it once the called card has been played or
// shown in a handful. After a scored deal, every viewer may know it.
bool PartnerKnown(const Deal& deal, Seat viewer) {
  if (deal.partner == kNoSeat) return false;
  if (deal.result.outcome == Outcome::kScored || viewer == deal.partner) return true;
  for (const ShownHandful& shown : deal.handfuls) {
    if (shown.cards.Contains(deal.called_card)) return true;
  }
  return !deal.hands[static_cast<std::size_t>(deal.partner)].Contains(deal.called_card);
}

// Returns the index of the first open trick: a trick whose cards players may look at. A complete
// trick stays open on the table until the next card is led. With TricksOpen::kLast, the trick
// before the trick on the table is open too. With TricksOpen::kAll, every trick is open.
int FirstOpenTrick(const View& view) {
  if (view.rules.tricks_open == TricksOpen::kAll || view.trick_count == 0) return 0;
  const int current = view.trick_count - 1;
  const bool led = view.tricks[static_cast<std::size_t>(current)].size > 0;
  const int on_table = led ? current : current - 1;
  return view.rules.tricks_open == TricksOpen::kNone ? on_table : on_table - 1;
}

// Returns whether the second trick has been led. Until then, the first trick lies on the table.
bool FirstTrickIsOver(const View& view) { return view.trick_count > 1 && view.tricks[1].size > 0; }

void CloseTricks(View& view) {
  for (int i = FirstOpenTrick(view) - 1; i >= 0; --i) {
    Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    trick = {.leader = trick.leader, .winner = trick.winner};
  }
}

void CloseHandfuls(View& view) {
  for (int i = 0; i < view.handful_count; ++i) {
    view.handfuls[static_cast<std::size_t>(i)].cards = CardSet();
  }
}

}  // namespace

View RememberedView(const Deal& deal, Seat viewer) {
  const bool done = deal.phase == Phase::kDone;
  View view;
  view.rules = deal.rules;
  view.players = deal.players;
  view.playing = deal.playing;
  view.sits_out = deal.sits_out;
  view.dealer = deal.dealer;
  view.phase = deal.phase;
  view.turn = deal.turn;
  view.viewer = viewer;
  if (viewer != kNoSeat) view.hand = deal.hands[static_cast<std::size_t>(viewer)];
  for (std::size_t seat = 0; seat < deal.hands.size(); ++seat) {
    view.hand_counts[seat] = deal.hands[seat].Size();
  }
  view.bids = deal.bids;
  view.bid_count = deal.bid_count;
  view.taker = deal.taker;
  view.contract = deal.contract;
  view.called_card = deal.called_card;
  if (PartnerKnown(deal, viewer)) view.partner = deal.partner;
  // The dog of a deal that ends without a score is hidden.
  const bool scored = deal.result.outcome == Outcome::kScored;
  if (scored || (!done && deal.DogShown())) view.dog = deal.dog;
  if (scored || (viewer != kNoSeat && viewer == deal.taker)) view.discard = deal.discard;
  view.discard_shown = deal.DiscardShown();
  view.slam_announced = deal.slam_announced;
  view.handfuls = deal.handfuls;
  view.handful_count = deal.handful_count;
  view.tricks = deal.tricks;
  view.trick_count = deal.trick_count;
  if (viewer != kNoSeat && viewer == deal.turn) view.legal = ListLegal(deal);
  view.result = deal.result;
  return view;
}

View MakeView(const Deal& deal, Seat viewer) {
  View view = RememberedView(deal, viewer);
  if (deal.result.outcome == Outcome::kScored) return view;
  const RuleSet& rules = deal.rules;
  if (rules.discard_open == DiscardOpen::kClosed) view.discard = CardSet();
  if (rules.dog_open == DogOpen::kUntilFirstCard && deal.cards_played > 0) view.dog = CardSet();
  if (rules.handful_open == HandfulOpen::kFirstTrick && FirstTrickIsOver(view)) CloseHandfuls(view);
  CloseTricks(view);
  return view;
}

std::vector<RefusedCards> ListRefused(const View& view) {
  std::vector<RefusedCards> refused;
  if (view.phase != Phase::kPlaying || view.trick_count == 0 || view.viewer == kNoSeat ||
      view.viewer != view.turn) {
    return refused;
  }
  const Trick& trick = view.tricks[static_cast<std::size_t>(view.trick_count - 1)];
  const absl::Span<const Card> table(trick.cards.data(), static_cast<std::size_t>(trick.size));
  for (const Card card : view.hand - view.legal.cards) {
    const Verdict verdict = RefusalOf(view.hand, table, view.called_card, card);
    const auto same = std::find_if(refused.begin(), refused.end(), [&](const RefusedCards& each) {
      return each.verdict.reason == verdict.reason;
    });
    if (same != refused.end()) {
      same->cards.Insert(card);
    } else {
      refused.push_back({.verdict = verdict, .cards = {card}});
    }
  }
  return refused;
}

}  // namespace tarot::rules
