// Reads bytes as actions that players try. The first three bytes choose the rule set, the number of
// players and the cards. Each later action may be legal or illegal. A refused action must change
// nothing. Every card must always be in exactly one place. A finished deal must have a result.
#include <cstring>

#include "libs/base/check.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/view.h"
#include "tests/fuzz/fuzz.h"

using namespace tarot;
using namespace tarot::rules;

class Bytes {
 public:
  explicit Bytes(absl::string_view bytes) : bytes_(bytes) {}
  bool Empty() const { return bytes_.empty(); }
  int Next() {
    if (bytes_.empty()) return 0;
    const int byte = static_cast<unsigned char>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte;
  }

 private:
  absl::string_view bytes_;
};

// Returns whether `a` and `b` are equal in everything that an action can change.
bool Same(const Deal& a, const Deal& b) {
  return a.phase == b.phase && a.turn == b.turn && a.hands == b.hands && a.dog == b.dog &&
         a.discard == b.discard && a.bids == b.bids && a.bid_count == b.bid_count &&
         a.taker == b.taker && a.contract == b.contract && a.called_card == b.called_card &&
         a.partner == b.partner && a.slam_announced == b.slam_announced &&
         a.handfuls == b.handfuls && a.handful_count == b.handful_count &&
         a.trick_count == b.trick_count && a.cards_played == b.cards_played;
}

void CheckCards(const Deal& deal) {
  CardSet seen;
  int count = 0;
  const auto add = [&](CardSet cards) {
    seen |= cards;
    count += cards.Size();
  };
  for (const CardSet hand : deal.hands) add(hand);
  const bool taken = deal.phase == Phase::kDiscarding;  // The taker holds the dog.
  if (!taken) add(deal.discard.Empty() ? deal.dog : deal.discard);
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) add({trick.cards[static_cast<std::size_t>(at)]});
  }
  TAROT_CHECK(seen == CardSet::All() && count == kCardCount);
}

Action Attempt(const Deal& deal, Bytes& bytes) {
  const int kind = bytes.Next();
  const int value = bytes.Next();
  Rng rng(static_cast<std::uint64_t>(value));
  // Most attempts are legal, so that deals progress.
  if (kind >= 64) return RandomAction(deal, rng);
  const auto card = CardAt(value % 80 < kCardCount ? value % 80 : 255);
  switch (kind % 6) {
    case 0:
      return Action::Bid(static_cast<Contract>(value % 5));
    case 1:
      return Action::Call(card);
    case 2:
    case 3: {
      CardSet cards;
      for (int i = value % 20; i > 0; --i) cards.Insert(CardAt(rng.Below(kCardCount)));
      return kind % 6 == 2 ? Action::Discard(cards) : Action::Handful(cards);
    }
    case 4:
      return Action::Slam(value % 2 == 0);
    default:
      return Action::Play(card == kNoCard ? kExcuse : card);
  }
}

void FuzzOne(absl::string_view input) {
  Bytes bytes(input);
  const auto& sets = RuleSets();
  const RuleSet& rules = sets[static_cast<std::size_t>(bytes.Next()) % sets.size()].rules;
  const int players =
      rules.players_min + bytes.Next() % (rules.players_max - rules.players_min + 1);
  Rng rng(static_cast<std::uint64_t>(bytes.Next()));
  Deal deal = RandomDeal(rules, players, rng);
  while (!bytes.Empty()) {
    if (deal.phase == Phase::kDone) break;
    const Action action = Attempt(deal, bytes);
    const Seat seat = bytes.Next() % 8 == 0 ? bytes.Next() % 7 - 1 : deal.turn;
    const Deal before = deal;
    const bool allowed = Check(deal, seat, action).ok();
    TAROT_CHECK(Apply(deal, seat, action).ok() == allowed);
    if (!allowed) TAROT_CHECK(Same(before, deal));
    CheckCards(deal);
    for (Seat viewer = kNoSeat; viewer < players; ++viewer) MakeView(deal, viewer);
  }
  if (deal.phase == Phase::kDone) {
    TAROT_CHECK(deal.turn == kNoSeat && deal.result.outcome != Outcome::kNone);
  }
}
