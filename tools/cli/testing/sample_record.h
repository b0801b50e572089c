// A finished deal's record for tests.
#pragma once

#include <string>

#include "tools/cli/testing/sample_deal.h"

namespace tarot::cli {

// Returns SampleDeal(4), played to its end by SampleAction.
inline rules::v1::DealRecord SampleRecord() {
  rules::Deal deal = SampleDeal(4);
  rules::v1::DealRecord record;
  record.set_name("tables/5f3c2a10-0000-4000-8000-000000000001/deals/3");
  record.set_rule_set("fft");
  record.set_dealer(3);
  const dealing::DealSeed seed = SampleSeed();
  const dealing::Commitment commitment = dealing::Commit(seed);
  record.set_seed(std::string(seed.begin(), seed.end()));
  record.set_seed_commitment(std::string(commitment.begin(), commitment.end()));
  const rules::v1::Table table = SampleTable(deal, 0);
  for (int seat = 0; seat < 4; ++seat) {
    record.add_players()->set_display_name(table.seats(seat).display_name());
    wire::EncodeCards(deal.dealt[static_cast<std::size_t>(seat)],
                      record.add_hands()->mutable_cards());
  }
  wire::EncodeCards(deal.dog, record.mutable_dog());
  while (deal.phase != rules::Phase::kDone) {
    auto* entry = record.add_entries();
    entry->set_seat(static_cast<std::uint32_t>(deal.turn));
    const rules::Action action = SampleAction(deal);
    wire::EncodeAction(action, entry->mutable_action());
    rules::Apply(deal, deal.turn, action);
  }
  wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), record.mutable_result());
  record.mutable_finish_time()->set_seconds(1'795'000'000);
  return record;
}

}  // namespace tarot::cli
