// A deal for tests, played in the simplest way: the seat that bids first takes with a Garde, and
// every seat plays the legal card with the lowest number.
#pragma once

#include <vector>

#include "libs/dealing/shuffle.h"
#include "libs/rules/deal.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::cli {

inline dealing::DealSeed SampleSeed() {
  dealing::DealSeed seed{};
  seed[0] = 7;
  return seed;
}

inline rules::Deal SampleDeal(int players) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  const rules::DealtCards dealt =
      rules::DealOut(rules, players, players - 1, dealing::ShuffledPack(SampleSeed()));
  return rules::StartDeal(rules, players, players - 1, dealt.hands, dealt.dog);
}

inline rules::Action SampleAction(const rules::Deal& deal) {
  const rules::LegalActions legal = rules::ListLegal(deal);
  switch (deal.phase) {
    case rules::Phase::kBidding:
      return rules::Action::Bid(deal.bid_count == 0 ? rules::Contract::kGarde
                                                    : rules::Contract::kPass);
    case rules::Phase::kCalling:
      return rules::Action::Call(legal.calls.First());
    case rules::Phase::kDiscarding: {
      rules::CardSet cards;
      for (const rules::Card card : legal.discards) {
        if (cards.Size() < legal.discard_count) cards.Insert(card);
      }
      return rules::Action::Discard(cards);
    }
    case rules::Phase::kSlam:
      return rules::Action::Slam(false);
    default:
      return rules::Action::Play(legal.cards.First());
  }
}

// Plays until the deal is in `phase` and at least `cards` cards have been played.
inline void PlayUntil(rules::Deal& deal, rules::Phase phase, int cards = 0) {
  while (deal.phase != phase || deal.cards_played < cards) {
    rules::Apply(deal, deal.turn, SampleAction(deal));
  }
}

inline rules::v1::Table SampleTable(const rules::Deal& deal, rules::Seat viewer) {
  static constexpr const char* kNames[] = {"Ada", "Zoë", "Blaise\x1b[2J", "Émilie du Châtelet",
                                           "Gaspard"};
  rules::v1::Table table;
  table.set_name("tables/5f3c2a10-0000-4000-8000-000000000001");
  table.set_state(deal.phase == rules::Phase::kDone ? rules::v1::Table::DEALING
                                                    : rules::v1::Table::PLAYING);
  for (int seat = 0; seat < deal.players; ++seat) {
    auto* out = table.add_seats();
    out->set_display_name(kNames[seat]);
    out->set_total(seat == 0 ? 120 : -40);
  }
  table.mutable_seats(1)->set_bot_level("novice");
  table.mutable_seats(2)->set_held_by_bot(true);
  if (viewer != rules::kNoSeat) table.set_viewer(static_cast<std::uint32_t>(viewer));
  table.set_deal_count(8);
  table.set_deals_scored(deal.phase == rules::Phase::kDone ? 3 : 2);
  table.set_deal_number(3);
  table.mutable_turn_expire_time()->set_seconds(1085);
  wire::EncodeView(rules::MakeView(deal, viewer), "fft", table.mutable_deal());
  return table;
}

}  // namespace tarot::cli
