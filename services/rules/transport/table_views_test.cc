#include "services/rules/transport/table_views.h"

#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/dealing/shuffle.h"
#include "libs/rules/testing/random_deals.h"
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

void ExpectTheSame(const EncodedTable& encoded, rules::Seat viewer) {
  const TableState& state = *encoded.state();
  v1::Table whole;
  EncodeTable(MakeTableView(state, viewer), &whole);
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(whole, Parsed(encoded.Response(viewer))))
      << "viewer " << viewer << ", revision " << state.revision << ": " << difference;
}

TEST(EncodedTableTest, PartsParseToTheWholeViewForEveryViewer) {
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
      const EncodedTable encoded(std::make_shared<const TableState>(state));
      ExpectTheSame(encoded, rules::kNoSeat);
      for (rules::Seat seat = 0; seat < players; ++seat) ExpectTheSame(encoded, seat);
    }
  }
}

TEST(EncodedTableTest, AMutedSeatsPhraseIsEmptyForTheViewerWhoMutedIt) {
  TableState state = NewTable(Config(4));
  const auto advance = [&state](rules::Seat seat, EntryBody body) {
    const LogEntry entry{.revision = state.revision + 1,
                         .seat = seat,
                         .body = std::move(body),
                         .create_time = absl::FromUnixSeconds(7)};
    EXPECT_TRUE(Advance(state, entry).ok());
  };
  advance(1, PhraseSaid{Phrase::kHello});
  advance(2, PhraseSaid{Phrase::kGoodGame});
  advance(0, SeatMuted{.seat = 1, .muted = true});
  advance(0, SeatMuted{.seat = 3, .muted = true});
  const EncodedTable encoded(std::make_shared<const TableState>(state));
  for (rules::Seat viewer = rules::kNoSeat; viewer < 4; ++viewer) {
    ExpectTheSame(encoded, viewer);
    const v1::Table table = Parsed(encoded.Response(viewer));
    EXPECT_EQ(table.phrases().at(2).phrase(), v1::SaidPhrase::GOOD_GAME);
    EXPECT_EQ(table.phrases().at(2).say_time().seconds(), 7);
    EXPECT_EQ(table.phrases().at(1).phrase(),
              viewer == 0 ? v1::SaidPhrase::PHRASE_UNSPECIFIED : v1::SaidPhrase::HELLO);
    EXPECT_EQ(table.phrases().at(1).has_say_time(), viewer != 0);
    EXPECT_EQ(table.muted_seats_size(), viewer == 0 ? 2 : 0);
  }
}

TEST(EncodedTableTest, ASeatsBytesHoldNoOtherHand) {
  Rng rng(1);
  TableState state = NewTable(Config(4));
  ASSERT_TRUE(StartNextDeal(state.match, rules::RandomPack(rng)));
  const EncodedTable encoded(std::make_shared<const TableState>(state));
  EXPECT_TRUE(Parsed(encoded.Response(rules::kNoSeat)).deal().hand().empty());
  for (rules::Seat seat = 0; seat < 4; ++seat) {
    const v1::Table table = Parsed(encoded.Response(seat));
    rules::CardSet hand;
    for (const std::uint32_t card : table.deal().hand()) {
      hand.Insert(rules::CardAt(static_cast<int>(card)));
    }
    EXPECT_EQ(hand, state.match.deal.hands[static_cast<std::size_t>(seat)]);
  }
}

// Returns all cards in `table`, without those in the viewer's hand and in the list of legal
// actions.
rules::CardSet CardsOnTable(const v1::Table& table) {
  rules::CardSet cards;
  const auto add = [&cards](const google::protobuf::RepeatedField<std::uint32_t>& numbers) {
    for (const std::uint32_t card : numbers) cards.Insert(rules::CardAt(static_cast<int>(card)));
  };
  add(table.deal().dog());
  add(table.deal().discard());
  for (const v1::Trick& trick : table.deal().tricks()) add(trick.cards());
  for (const v1::Handful& handful : table.deal().handfuls()) add(handful.cards());
  return cards;
}

// With the rule set fft, the bytes for a seat or a watcher show the cards of at most two tricks.
// They never show the écart.
TEST(EncodedTableTest, NoViewerGetsClosedCards) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    TableState state = NewTable(Config(4));
    ASSERT_TRUE(StartNextDeal(state.match, rules::RandomPack(rng)));
    while (state.match.DealRunning()) {
      const rules::Deal& deal = state.match.deal;
      const EncodedTable encoded(std::make_shared<const TableState>(state));
      for (rules::Seat viewer = rules::kNoSeat; viewer < 4; ++viewer) {
        const v1::Table table = Parsed(encoded.Response(viewer));
        EXPECT_TRUE(table.deal().discard().empty());
        if (deal.cards_played <= 4) continue;
        const rules::CardSet cards = CardsOnTable(table);
        EXPECT_LE(cards.Size(), 8) << "the trick on the table and the one before";
        EXPECT_TRUE((cards & deal.discard).Empty());
        EXPECT_EQ(table.deal().tricks_size(), deal.trick_count);
      }
      ASSERT_TRUE(Apply(state.match, deal.turn, RandomAction(deal, rng)).ok());
    }
  }
}

std::shared_ptr<const TableState> State(TableId table, int revision) {
  TableConfig config = *Config(4);
  config.id = table;
  TableState state = NewTable(std::make_shared<const TableConfig>(std::move(config)));
  state.revision = revision;
  return std::make_shared<const TableState>(std::move(state));
}

TEST(TableViewsTest, EncodesAStateOnce) {
  TableViews views;
  const auto state = State(TableId{SeededEntropy(1).NewUuid()}, 1);
  EXPECT_EQ(views.Of(state), views.Of(state));
  EXPECT_EQ(views.Of(state)->Own(2).begin(), views.Of(state)->Own(2).begin());
}

TEST(TableViewsTest, KeepsTheNewestStateOfATable) {
  TableViews views;
  const TableId table{SeededEntropy(1).NewUuid()};
  const auto older = State(table, 1), newer = State(table, 2), restarted = State(table, 2);
  const auto first = views.Of(older);
  const auto second = views.Of(newer);
  EXPECT_NE(views.Of(older), first) << "an older state is encoded again, and not kept";
  EXPECT_EQ(views.Of(newer), second);
  EXPECT_NE(views.Of(restarted), second) << "one revision, but another state";
  EXPECT_EQ(first->state(), older) << "a caller keeps the bytes that it has";
}

TEST(TableViewsTest, DropsTheOldestTablesBeyondItsBound) {
  TableViews views(16);  // Each shard holds one table.
  SeededEntropy entropy(1);
  std::vector<std::weak_ptr<const TableState>> states;
  for (int i = 0; i < 1000; ++i) {
    const auto state = State(TableId{entropy.NewUuid()}, 1);
    views.Of(state);
    states.push_back(state);
  }
  EXPECT_LE(std::count_if(states.begin(), states.end(),
                          [](const auto& state) { return !state.expired(); }),
            16);
  EXPECT_FALSE(states.back().expired());
}

TEST(EncodeTableSummaryTest, ShowsTheDealAfterTheLastEndUntilTheMatchIsOver) {
  TableSummary summary{
      .config = *Config(4),
      .progress = {.deals_dealt = 3, .deals_scored = 1, .totals = {9, -3, -3, -3}}};
  v1::Table table;
  EncodeTableSummary(summary, PlayerId{}, &table);
  EXPECT_EQ(table.state(), v1::Table::PLAYING);
  EXPECT_EQ(table.deal_number(), 4u);
  EXPECT_EQ(table.deals_scored(), 1u);
  EXPECT_EQ(table.seats(0).total(), 9);
  summary.progress.match_over = true;
  table.Clear();
  EncodeTableSummary(summary, PlayerId{}, &table);
  EXPECT_EQ(table.state(), v1::Table::FINISHED);
  EXPECT_EQ(table.deal_number(), 3u);
}

}  // namespace
}  // namespace tarot::rules_service
