// The seed that is fixed before the players add to it, and what a table's log keeps of both.
#include "services/rules/app/next_deal.h"

#include <gtest/gtest.h>

#include "libs/base/error.h"
#include "libs/rules/codec.h"
#include "libs/rules/deck.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

std::shared_ptr<TableConfig> Config(const rules::RuleSet& rules) {
  auto config = std::make_shared<TableConfig>();
  *config = {.rules = rules, .deal_count = 3, .move_limit = absl::Seconds(10)};
  config->seats.resize(4);
  config->first_seed.emplace().fill(1);
  return config;
}

LogEntry Entry(const TableState& state, EventKind kind, std::string payload,
               rules::Seat seat = rules::kNoSeat) {
  return {
      .revision = state.revision + 1, .kind = kind, .seat = seat, .payload = std::move(payload)};
}

LogEntry DealEntry(const TableState& state, std::uint8_t next) {
  dealing::DealSeed seed;
  seed.fill(next);
  return Entry(state, EventKind::kDeal, EncodeDealStart(StartOf(state.match, *state.next, seed)));
}

void PassAll(TableState& state, std::vector<LogEntry>* log = nullptr) {
  while (state.match.DealRunning()) {
    const LogEntry entry =
        Entry(state, EventKind::kAction, EncodeAction(rules::Action::Bid(rules::Contract::kPass)),
              state.match.deal.turn);
    if (log != nullptr) log->push_back(entry);
    ASSERT_THAT(Advance(state, entry), IsOk());
  }
}

std::string Why(const absl::Status& status) {
  EXPECT_THAT(status, HasReason("NONCE_REFUSED"));
  return GetErrorDetails(status).metadata["why"];
}

TEST(NextDealTest, ANonceEntersTheDealItWasAddedToAndNoOther) {
  TableState state = NewTable(Config({}));
  ASSERT_TRUE(state.next.has_value());
  EXPECT_EQ(state.next->commitment, dealing::Commit(*state.config->first_seed));
  const absl::Time before = state.turn_start;
  ASSERT_THAT(Advance(state, Entry(state, EventKind::kNonce, "ana", 2)), IsOk());
  EXPECT_EQ(state.turn_start, before) << "nobody gets time by it";
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());

  dealing::Provenance from;
  from.seed.fill(1);
  from.nonces[2] = "ana";
  EXPECT_EQ(state.provenance, from);
  EXPECT_EQ(state.match.deal.dealer, FirstDealerOf({}, 4, from));
  const auto cards = DealOut({}, 4, state.match.deal.dealer, PackOf({}, 4, from));
  EXPECT_EQ(state.match.deal.dealt, cards.hands);
  EXPECT_EQ(state.next->seed[0], 2);
  EXPECT_EQ(state.next->nonces, dealing::Nonces{});

  const rules::Seat dealer = state.match.deal.dealer;
  PassAll(state);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_EQ(state.provenance.nonces, dealing::Nonces{});
  EXPECT_EQ(state.match.deal.dealer, (dealer + 1) % 4);
}

TEST(NextDealTest, RefusesWhatCouldSteerOrFlood) {
  TableState state = NewTable(Config({}));
  const auto add = [&](rules::Seat seat, const std::string& nonce) {
    TableState copy = state;
    return Advance(copy, Entry(state, EventKind::kNonce, nonce, seat));
  };
  EXPECT_EQ(Why(add(0, "")), "NONCE_SIZE");
  EXPECT_EQ(Why(add(0, std::string(33, 'x'))), "NONCE_SIZE");
  EXPECT_THAT(add(0, std::string(32, 'x')), IsOk());
  ASSERT_THAT(Advance(state, Entry(state, EventKind::kNonce, "x", 0)), IsOk());
  EXPECT_EQ(Why(add(0, "y")), "NONCE_GIVEN");
  EXPECT_THAT(add(1, "y"), IsOk());
  EXPECT_THAT(add(4, "y"), HasReason("BUG"));
}

TEST(NextDealTest, ALogCannotHoldAnotherDealThanTheOneCommittedTo) {
  const TableState state = NewTable(Config({}));
  const auto deal = [&](auto change) {
    dealing::DealStart start = StartOf(state.match, *state.next, {});
    change(start);
    TableState copy = state;
    return Advance(copy, Entry(state, EventKind::kDeal, EncodeDealStart(start)));
  };
  EXPECT_THAT(deal([](auto&) {}), IsOk());
  EXPECT_THAT(deal([](auto& s) { s.provenance.seed[5] ^= 1; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.provenance.nonces[1] = "x"; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.dealer = (s.dealer + 1) % 4; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.taker = 0; }), HasReason("BUG"));
  TableState copy = state;
  EXPECT_THAT(Advance(copy, Entry(state, EventKind::kDeal, std::string(64, 'x'))),
              HasReason("BUG"));
}

// What was stored before seeds were fixed ahead: 64 bytes a deal, no seed with the table.
TEST(NextDealTest, OldLogsReplayAndOldTablesPlayOn) {
  auto config = Config({});
  config->first_seed.reset();
  std::vector<LogEntry> log;
  TableState live = NewTable(config);
  EXPECT_EQ(Why(Advance(live, Entry(live, EventKind::kNonce, "x", 0))), "NO_SEED_YET");
  live = NewTable(config);
  for (int deal = 0; deal < 2; ++deal) {
    log.push_back(Entry(live, EventKind::kDeal, std::string(64, static_cast<char>(deal))));
    ASSERT_THAT(Advance(live, log.back()), IsOk());
    EXPECT_EQ(live.match.deal.dealer, (3 + deal) % 4) << "the last seat dealt first";
    dealing::DealSeed seed;
    seed.fill(static_cast<std::uint8_t>(deal));
    const auto cards = DealOut({}, 4, (3 + deal) % 4, dealing::ShuffledPack(seed));
    EXPECT_EQ(live.match.deal.dealt, cards.hands) << "no cut";
    PassAll(live, &log);
  }
  const absl::StatusOr<TableState> again = Replay(config, log);
  ASSERT_THAT(again.status(), IsOk());
  EXPECT_EQ(again->match.totals, live.match.totals);
  EXPECT_EQ(again->match.deals_dealt, 2);
  // Its next deal has a seed of the new kind, and from then on nonces enter.
  const dealing::DealStart start = StartOf(live.match, NextDealOf({9}), {7});
  EXPECT_EQ(start.dealer, 1);
  ASSERT_THAT(Advance(live, Entry(live, EventKind::kDeal, EncodeDealStart(start))), IsOk());
  EXPECT_THAT(Advance(live, Entry(live, EventKind::kNonce, "x", 0)), IsOk());
}

TEST(NextDealTest, ATableThatDoesNotShuffleCutsThePackOfTheDealBefore) {
  rules::RuleSet rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  TableState state = NewTable(Config(rules));
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());
  EXPECT_FALSE(state.provenance.gathered.has_value()) << "the first deal is shuffled";
  PassAll(state);
  const rules::PackOrder pack = GatheredPack(state.match.deal);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_EQ(state.provenance.gathered, pack);
  const int cut = CutOf(rules, 4, state.provenance);
  const auto cards = DealOut(rules, 4, state.match.deal.dealer, rules::Cut(pack, cut));
  EXPECT_EQ(state.match.deal.dealt, cards.hands);
}

}  // namespace
}  // namespace tarot::rules_service
