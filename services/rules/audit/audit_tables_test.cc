#include "services/rules/audit/audit_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "libs/base/entropy.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/table_state.h"
#include "services/rules/testing/fake_table_store.h"

namespace tarot::rules_service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

struct Audited {
  AuditCounts counts;
  std::map<std::string, std::string> wrong;  // The keys are the ids of tables.
};

Audited Audit(TableStore& store, int threads, int cell = 0) {
  Audited audited;
  const auto counts = AuditTables(
      store, cell, threads,
      {.on_wrong = [&](TableId table,
                       const std::string& why) { audited.wrong[table.ToString()] = why; },
       .on_progress = [](const AuditCounts&) {}});
  EXPECT_TRUE(counts.ok()) << counts.status();
  audited.counts = counts.value_or(AuditCounts());
  return audited;
}

// Returns the start of a deal as an old version stored it, which fixed no seeds in advance.
DealStarted SeedAlone(rules::Seat dealer, std::uint8_t seed) {
  dealing::DealStart start{.dealer = dealer};
  start.provenance.procedure = dealing::Procedure::kSeedAlone;
  start.provenance.seed.fill(seed);
  return {std::make_shared<const dealing::DealStart>(start)};
}

// Adds a table that plays its first deal. `action` is the first action of seat 0. Returns the
// table's id.
TableId AddTable(TableStore& store, SeededEntropy& entropy, const rules::Action& action) {
  TableConfig config{.rule_set = "fft", .deal_count = 1};
  config.id = TableId(entropy.NewUuid());
  config.create_time = absl::UnixEpoch();
  for (int i = 0; i < 4; ++i) config.seats.push_back({.player = PlayerId(entropy.NewUuid())});
  EXPECT_TRUE(store.Create(config).ok());
  NewEntry dealt{.table = config.id};
  dealt.entry = {.revision = 1, .request = RequestId(entropy.NewUuid()), .body = SeedAlone(3, 's')};
  NewEntry done{.table = config.id};
  done.entry = {.revision = 2, .request = RequestId(entropy.NewUuid()), .seat = 0, .body = action};
  for (const auto& entry : {dealt, done}) EXPECT_TRUE(store.Append({entry})[0].ok());
  return config.id;
}

TEST(AuditTablesTest, ReplaysEveryTableAndNamesTheWrongOne) {
  FakeTableStore store;
  SeededEntropy entropy(3);
  for (int i = 0; i < 25; ++i) {
    AddTable(store, entropy, rules::Action::Bid(rules::Contract::kPass));
  }
  const TableId wrong = AddTable(store, entropy, rules::Action::Slam(true));
  const Audited audited = Audit(store, 2);
  EXPECT_EQ(audited.counts.deals, 26);
  EXPECT_EQ(audited.counts.wrong, 1);
  ASSERT_THAT(audited.wrong, SizeIs(1));
  EXPECT_THAT(audited.wrong.at(wrong.ToString()), HasSubstr("deal 1, revision 2: "));
}

TEST(AuditTablesTest, NamesTheTablesOfOtherCells) {
  FakeTableStore store;
  SeededEntropy entropy(3);
  const TableId table = AddTable(store, entropy, rules::Action::Bid(rules::Contract::kPass));
  EXPECT_THAT(Audit(store, 1).wrong, SizeIs(0));
  EXPECT_THAT(
      Audit(store, 1, /*cell=*/2).wrong,
      UnorderedElementsAre(Pair(table.ToString(), "a table of cell 0 in the database of cell 2")));
}

// Adds a match of one deal that is played at random to its end. Before the last progress is stored,
// calls `lie`, which may change this progress. Returns the table's id.
TableId AddMatch(TableStore& store, SeededEntropy& entropy,
                 const std::function<void(MatchProgress&)>& lie) {
  TableConfig config{.rule_set = "fft", .deal_count = 1};
  config.id = TableId(entropy.NewUuid());
  config.create_time = absl::UnixEpoch();
  for (int i = 0; i < 4; ++i) config.seats.push_back({.player = PlayerId(entropy.NewUuid())});
  EXPECT_TRUE(store.Create(config).ok());
  auto state = NewTable(std::make_shared<const TableConfig>(config));
  Rng rng(7);
  int dealt = 0;
  while (!state.match.Finished()) {
    NewEntry entry{.table = config.id};
    entry.entry = {.revision = state.revision + 1,
                   .request = RequestId(entropy.NewUuid()),
                   .body = SeedAlone(rules::DealerOf(4, state.match.deals_dealt + 1),
                                     static_cast<std::uint8_t>('a' + dealt))};
    if (state.match.DealRunning()) {
      entry.entry.seat = state.match.deal.turn;
      entry.entry.body = rules::RandomAction(state.match.deal, rng);
    } else {
      dealt = entry.entry.revision;
    }
    EXPECT_TRUE(Advance(state, entry.entry).ok());
    if (!state.match.DealRunning()) {
      entry.deal_revision = dealt;
      entry.progress = MatchProgress{.deals_dealt = state.match.deals_dealt,
                                     .deals_scored = state.match.deals_scored};
      entry.progress->totals.assign(state.match.totals.begin(), state.match.totals.begin() + 4);
    }
    if (state.match.Finished()) {
      entry.progress->match_over = true;
      lie(*entry.progress);
    }
    EXPECT_TRUE(store.Append({entry})[0].ok());
  }
  return config.id;
}

TEST(AuditTablesTest, NamesTotalsThatAreNotTheSumOfTheDeals) {
  FakeTableStore store;
  SeededEntropy entropy(3);
  const TableId honest = AddMatch(store, entropy, [](auto&) {});
  ASSERT_NE(store.Load(honest)->end->totals, std::vector<int>(4, 0)) << "No seat took.";
  const TableId total = AddMatch(store, entropy, [](auto& end) { end.totals[2] += 6; });
  const TableId count = AddMatch(store, entropy, [](auto& end) { ++end.deals_scored; });
  const Audited audited = Audit(store, 1);
  EXPECT_EQ(audited.counts.deals, 3);
  EXPECT_THAT(audited.wrong,
              UnorderedElementsAre(
                  Pair(total.ToString(), AllOf(HasSubstr("totals "), HasSubstr("deals sum to "))),
                  Pair(count.ToString(), "2 deals stored as scored, but the log has 1")));
}

}  // namespace
}  // namespace tarot::rules_service
