// Bytes put together from parts parse to the view that was never taken apart, for every viewer.
#include "services/rules/transport/encoded_table.h"

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>

#include "libs/dealing/shuffle.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/transport/convert.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

v1::Table Parsed(const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer copy(bytes);
  v1::WatchTableResponse response;
  EXPECT_TRUE(
      grpc::SerializationTraits<v1::WatchTableResponse>::Deserialize(&copy, &response).ok());
  return response.table();
}

std::shared_ptr<const TableConfig> Config(int players) {
  TableConfig config{.rule_set = "fft",
                     .deal_count = 2,
                     .move_limit = absl::Seconds(10),
                     .time_bank = absl::Seconds(5)};
  for (int i = 0; i < players; ++i) config.seats.push_back({.display_name = "Chloé"});
  return std::make_shared<const TableConfig>(std::move(config));
}

void ExpectTheSame(const TableState& state, rules::Seat viewer) {
  v1::Table whole;
  EncodeTable(MakeTableView(state, viewer), &whole);
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(whole, Parsed(TableResponse(state, viewer))))
      << "viewer " << viewer << ", revision " << state.revision << ": " << difference;
}

TEST(EncodedTableTest, EveryViewOfAMatchIsWhole) {
  for (const int players : {3, 4, 5}) {
    SCOPED_TRACE(players);
    Rng rng(static_cast<std::uint64_t>(players));
    TableState state = NewTable(Config(players));
    while (!state.match.Finished()) {
      TableState after = state;
      ++after.revision;
      if (!after.match.DealRunning()) {
        ASSERT_TRUE(StartNextDeal(after.match, rules::RandomPack(rng)));
      } else {
        const rules::Action action = RandomAction(after.match.deal, rng);
        ASSERT_TRUE(Apply(after.match, after.match.deal.turn, action).ok());
      }
      state = after;
      ExpectTheSame(state, rules::kNoSeat);
      for (rules::Seat seat = 0; seat < players; ++seat) ExpectTheSame(state, seat);
    }
  }
}

TEST(EncodedTableTest, NoSeatsBytesHoldAnothersHand) {
  Rng rng(1);
  TableState state = NewTable(Config(4));
  ASSERT_TRUE(StartNextDeal(state.match, rules::RandomPack(rng)));
  EXPECT_TRUE(Parsed(TableResponse(state, rules::kNoSeat)).deal().hand().empty());
  for (rules::Seat seat = 0; seat < 4; ++seat) {
    const v1::Table table = Parsed(TableResponse(state, seat));
    rules::CardSet hand;
    for (const std::uint32_t card : table.deal().hand()) {
      hand.Insert(rules::CardAt(static_cast<int>(card)));
    }
    EXPECT_EQ(hand, state.match.deal.hands[static_cast<std::size_t>(seat)]);
  }
}

}  // namespace
}  // namespace tarot::rules_service
