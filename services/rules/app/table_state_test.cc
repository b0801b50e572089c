// Tests how the fold applies a log: seeds that are fixed one deal in advance, nonces, and logs of
// older versions.
#include "services/rules/app/table_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/base/error.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/app/turn_driver.h"

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

LogEntry Entry(const TableState& state, EntryBody body, rules::Seat seat = rules::kNoSeat) {
  return {.revision = state.revision + 1, .seat = seat, .body = std::move(body)};
}

LogEntry DealEntry(const TableState& state, const dealing::DealStart& start) {
  return Entry(state, DealStarted{std::make_shared<const dealing::DealStart>(start)});
}

// Returns the entry that starts a deal in an old log. At the time of this log, the version of the
// service fixed no seeds in advance.
LogEntry SeedAloneEntry(const TableState& state, rules::Seat dealer, std::uint8_t seed) {
  dealing::DealStart start{.dealer = dealer};
  start.provenance.procedure = dealing::Procedure::kSeedAlone;
  start.provenance.seed.fill(seed);
  return DealEntry(state, start);
}

LogEntry DealEntry(const TableState& state, std::uint8_t next) {
  dealing::DealSeed seed;
  seed.fill(next);
  return DealEntry(state, StartOf(state.match, *state.next, seed));
}

// Returns a table where the last trick of the first deal must be played next.
TableState AtTheLastTrick() {
  TableState state = NewTable(Config({}));
  for (SeatState& seat : state.seats) seat.time_bank = absl::Seconds(5);
  EXPECT_THAT(Advance(state, DealEntry(state, 1)), IsOk());
  while (!state.InLastTrick()) {
    const rules::Deal& deal = state.match.deal;
    const rules::Action action = deal.phase == rules::Phase::kBidding && deal.bid_count == 0
                                     ? rules::Action::Bid(rules::Contract::kGarde)
                                     : FallbackAction(rules::MakeView(deal, deal.turn));
    const absl::Status status = Advance(state, Entry(state, action, deal.turn));
    EXPECT_THAT(status, IsOk());
    if (!status.ok()) break;
  }
  return state;
}

void PassAll(TableState& state, std::vector<LogEntry>* log = nullptr) {
  while (state.match.DealRunning()) {
    const LogEntry entry =
        Entry(state, rules::Action::Bid(rules::Contract::kPass), state.match.deal.turn);
    if (log != nullptr) log->push_back(entry);
    ASSERT_THAT(Advance(state, entry), IsOk());
  }
}

std::string Why(const absl::Status& status) {
  EXPECT_THAT(status, HasReason("NONCE_REFUSED"));
  return GetErrorDetails(status).metadata["why"];
}

// No clock runs in the last trick, because the server plays it. If the server is late, a player may
// play the next card before the server does.
TEST(TableStateTest, ALateCardInTheLastTrickCostsNoTimeBank) {
  TableState state = AtTheLastTrick();
  const rules::Seat turn = state.match.deal.turn;
  const auto card = state.match.deal.hands[static_cast<std::size_t>(turn)].First();
  LogEntry late = Entry(state, rules::Action::Play(card), turn);
  late.elapsed = absl::Seconds(13);
  ASSERT_THAT(Advance(state, late), IsOk());
  EXPECT_EQ(state.seats[static_cast<std::size_t>(turn)].time_bank, absl::Seconds(5));
}

TEST(TableStateTest, ANonceChangesTheNextDealOnly) {
  TableState state = NewTable(Config({}));
  ASSERT_NE(state.next, nullptr);
  EXPECT_EQ(state.next->commitment, dealing::Commit(*state.config->first_seed));
  const absl::Time before = state.turn_start;
  ASSERT_THAT(Advance(state, Entry(state, NonceAdded{"ana"}, 2)), IsOk());
  EXPECT_EQ(state.turn_start, before) << "a nonce gives no seat more time";
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());

  dealing::Provenance from;
  from.seed.fill(1);
  from.nonces[2] = "ana";
  EXPECT_EQ(state.start->provenance, from);
  EXPECT_EQ(state.match.deal.dealer, FirstDealerOf({}, 4, from));
  const auto cards = DealOut({}, 4, state.match.deal.dealer, PackOf({}, 4, from));
  EXPECT_EQ(state.match.deal.dealt, cards.hands);
  EXPECT_EQ(state.next->seed[0], 2);
  EXPECT_EQ(state.next->nonces, dealing::Nonces{});

  const rules::Seat dealer = state.match.deal.dealer;
  PassAll(state);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_EQ(state.start->provenance.nonces, dealing::Nonces{});
  EXPECT_EQ(state.match.deal.dealer, (dealer + 1) % 4);
}

TEST(TableStateTest, RefusesBadNonces) {
  TableState state = NewTable(Config({}));
  const auto add = [&](rules::Seat seat, const std::string& nonce) {
    TableState copy = state;
    return Advance(copy, Entry(state, NonceAdded{nonce}, seat));
  };
  EXPECT_EQ(Why(add(0, "")), "NONCE_SIZE");
  EXPECT_EQ(Why(add(0, std::string(33, 'x'))), "NONCE_SIZE");
  EXPECT_THAT(add(0, std::string(32, 'x')), IsOk());
  ASSERT_THAT(Advance(state, Entry(state, NonceAdded{"x"}, 0)), IsOk());
  EXPECT_EQ(Why(add(0, "y")), "NONCE_GIVEN");
  EXPECT_THAT(add(1, "y"), IsOk());
  EXPECT_THAT(add(4, "y"), HasReason("BUG"));
}

TEST(TableStateTest, RefusesADealThatDiffersFromItsCommitment) {
  const TableState state = NewTable(Config({}));
  const auto deal = [&](auto change) {
    dealing::DealStart start = StartOf(state.match, *state.next, {});
    change(start);
    TableState copy = state;
    return Advance(copy, DealEntry(state, start));
  };
  EXPECT_THAT(deal([](auto&) {}), IsOk());
  EXPECT_THAT(deal([](auto& s) { s.provenance.seed[5] ^= 1; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.provenance.nonces[1] = "x"; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.dealer = (s.dealer + 1) % 4; }), HasReason("BUG"));
  EXPECT_THAT(deal([](auto& s) { s.taker = 0; }), HasReason("BUG"));
  TableState copy = state;
  EXPECT_THAT(Advance(copy, SeedAloneEntry(state, 3, 'x')), HasReason("BUG"));
}

// An old version fixed no seeds in advance. It stored a deal as 64 bytes, and no seed for a table.
TEST(TableStateTest, ReplaysOldLogsAndContinuesOldTables) {
  auto config = Config({});
  config->first_seed.reset();
  std::vector<LogEntry> log;
  TableState live = NewTable(config);
  EXPECT_EQ(Why(Advance(live, Entry(live, NonceAdded{"x"}, 0))), "NO_SEED_YET");
  live = NewTable(config);
  for (int deal = 0; deal < 2; ++deal) {
    log.push_back(SeedAloneEntry(live, (3 + deal) % 4, static_cast<std::uint8_t>(deal)));
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
  // This deal also fixes the seed of the deal after it. So players can add nonces from now on.
  const dealing::DealStart start = StartOf(live.match, NextDealOf({9}), {7});
  EXPECT_EQ(start.dealer, 1);
  ASSERT_THAT(Advance(live, DealEntry(live, start)), IsOk());
  EXPECT_THAT(Advance(live, Entry(live, NonceAdded{"x"}, 0)), IsOk());
}

// Plays the running deal to its end by random legal actions. The first bidder becomes the taker,
// with a Garde.
void PlayScored(TableState& state) {
  Rng rng(3);
  while (state.match.DealRunning()) {
    const rules::Deal& deal = state.match.deal;
    const rules::Action action = deal.phase == rules::Phase::kBidding
                                     ? rules::FirstTakes(deal, rules::Contract::kGarde)
                                     : rules::RandomAction(deal, rng);
    ASSERT_THAT(Advance(state, Entry(state, action, deal.turn)), IsOk());
  }
}

TEST(TableStateTest, DrawsTheOrderOfThePackThatAScoredDealLeaves) {
  rules::RuleSet rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  auto config = Config(rules);
  config->deal_count = 5;
  TableState state = NewTable(config);
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());
  EXPECT_EQ(state.start->provenance.procedure, dealing::Procedure::kDrawnGathering);
  EXPECT_FALSE(state.start->provenance.gathered.has_value()) << "the first deal is shuffled";
  PlayScored(state);
  const rules::PackOrder pack = GatheredPack(state.match.deal);
  const rules::PileSizes piles = GatheredPiles(state.match.deal);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_EQ(state.start->provenance.gathered, pack);
  EXPECT_EQ(state.start->provenance.piles, piles);
  const auto cards =
      DealOut(rules, 4, state.match.deal.dealer, PackOf(rules, 4, state.start->provenance));
  EXPECT_EQ(state.match.deal.dealt, cards.hands);
  PassAll(state);
  ASSERT_THAT(Advance(state, DealEntry(state, 4)), IsOk());
  EXPECT_FALSE(state.start->provenance.gathered.has_value())
      << "the hands of a passed deal stay secret, so the pack is shuffled";
}

// Some old logs have each trick as a packet in its pile. In other old logs the pack is shuffled.
TEST(TableStateTest, TakesTheSmallerPacketsOfOldLogs) {
  rules::RuleSet rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  TableState scored = NewTable(Config(rules));
  ASSERT_THAT(Advance(scored, DealEntry(scored, 2)), IsOk());
  PlayScored(scored);
  const dealing::DealStart start = StartOf(scored.match, *scored.next, {3});
  const auto advanced = [&](const dealing::DealStart& old) {
    TableState state = scored;
    return Advance(state, DealEntry(state, old));
  };
  dealing::DealStart old = start;
  std::vector<std::uint8_t>& pile = old.provenance.piles.front();
  pile.front() = static_cast<std::uint8_t>(pile.front() - 4);
  EXPECT_THAT(advanced(old), testkit::HasReason("BUG")) << "four cards are missing";
  pile.push_back(4);
  EXPECT_THAT(advanced(old), IsOk());
  old.provenance.piles.clear();
  old.provenance.gathered.reset();
  EXPECT_THAT(advanced(old), IsOk());
  old.provenance.nonces[0] = "x";
  EXPECT_THAT(advanced(old), testkit::HasReason("BUG")) << "a nonce that the seat has not added";
}

TEST(TableStateTest, RevealsADealWithoutAScoreOnlyAtTheEndOfTheMatch) {
  auto config = Config({});
  config->deal_count = 1;
  TableState state = NewTable(config);
  const auto numbers = [&] {
    std::vector<int> all;
    for (const RevealedDeal& deal : RevealedBy(state)) all.push_back(deal.number);
    return all;
  };
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());
  const dealing::DealSeed seed = state.start->provenance.seed;
  PassAll(state);
  EXPECT_THAT(numbers(), testing::IsEmpty());
  const TableView view = MakeTableView(state, 0);
  EXPECT_TRUE(view.deal->dog.Empty()) << "the dog is a part of the secret";
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  ASSERT_THAT(Advance(state, {.revision = state.revision + 1,
                              .actor = Actor::kServer,
                              .body = DealVoided{"a power cut"}}),
              IsOk());
  EXPECT_THAT(numbers(), testing::IsEmpty());
  ASSERT_THAT(Advance(state, DealEntry(state, 4)), IsOk());
  PlayScored(state);
  ASSERT_TRUE(state.match.Finished());
  EXPECT_THAT(numbers(), testing::ElementsAre(3, 1, 2));
  EXPECT_EQ(RevealedBy(state)[1].seed, seed);
}

TEST(TableStateTest, GathersThePackIfTheDogIsTheLastCards) {
  rules::RuleSet rules = rules::FindRuleSet("booklet")->rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  TableState state = NewTable(Config(rules));
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());
  PlayScored(state);
  const rules::PackOrder pack = GatheredPack(state.match.deal);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_EQ(state.start->provenance.gathered, pack);
}

TEST(TableStateTest, ShufflesIfMoreThan18CardsGoToTheDog) {
  rules::RuleSet rules = rules::FindRuleSet("booklet")->rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  rules.hand_size = {9, 9, 9};
  rules.dog_size = {51, 42, 33};
  TableState state = NewTable(Config(rules));
  ASSERT_THAT(Advance(state, DealEntry(state, 2)), IsOk());
  PlayScored(state);
  ASSERT_THAT(Advance(state, DealEntry(state, 3)), IsOk());
  EXPECT_FALSE(state.start->provenance.gathered.has_value());
}

// In old logs, the next pack is the gathered pack after a cut, without a shuffle.
TEST(TableStateTest, CutsThePackOfThePreviousDealInOldLogs) {
  rules::RuleSet rules;
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  TableState state = NewTable(Config(rules));
  const auto old = [&](std::uint8_t seed) {
    return DealEntry(state,
                     StartOf(state.match, *state.next, {seed}, dealing::Procedure::kSeedAndNonces));
  };
  ASSERT_THAT(Advance(state, old(2)), IsOk());
  EXPECT_FALSE(state.start->provenance.gathered.has_value()) << "the first deal is shuffled";
  PassAll(state);
  const rules::PackOrder pack = GatheredPack(state.match.deal);
  ASSERT_THAT(Advance(state, old(3)), IsOk());
  EXPECT_EQ(state.start->provenance.gathered, pack);
  const int cut = CutOf(rules, 4, state.start->provenance);
  const auto cards = DealOut(rules, 4, state.match.deal.dealer, rules::Cut(pack, cut));
  EXPECT_EQ(state.match.deal.dealt, cards.hands);
}

}  // namespace
}  // namespace tarot::rules_service
