// Defines the contract of TableStore: PgTableStore and FakeTableStore must pass every test of this
// suite.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// Returns the value and not a reference. So a range-based for loop may use the result of a call
// directly. A loop over `*Call()` would read a destroyed object.
template <typename T>
T Value(absl::StatusOr<T> result) {
  return *std::move(result);
}

// The fixture of the contract tests. All tests use one store, and each test makes tables and
// players of its own.
class TableStoreContractHelpers : public testing::Test {
 protected:
  TableConfig NewTable(absl::Time time = absl::FromUnixSeconds(1'800'000'000)) {
    TableConfig config{.id = TableId{entropy_.NewUuid()},
                       .rule_set = "fft",
                       .deal_count = 2,
                       .move_limit = absl::Seconds(30),
                       .time_bank = absl::Seconds(60),
                       .ranked = true,
                       .create_time = time};
    for (const char* name : {"Ana", "Bo \"the\" \\ {dealer},", "Chloé", "Driss"}) {
      config.seats.push_back({.player = PlayerId{entropy_.NewUuid()}, .display_name = name});
    }
    config.seats[3].bot_level = "club";
    config.rules.cut_min = 7;  // These values belong to no named rule set.
    entropy_.Fill(absl::MakeSpan(config.first_seed.emplace()));
    return config;
  }

  NewEntry Entry(TableId table, int revision) {
    return {.table = table,
            .entry = {.revision = revision,
                      .request = RequestId{entropy_.NewUuid()},
                      .actor = Actor::kPlayer,
                      .seat = 2,
                      .body = rules::Action::Discard(rules::CardSet::AllTrumps()),
                      .elapsed = absl::Microseconds(1234),
                      .create_time = absl::FromUnixMicros(1'800'000'000'000'001 + revision)}};
  }

  absl::StatusOr<Appended> Append(const NewEntry& entry) { return store_->Append({entry})[0]; }

  TableConfig Stored() {
    const TableConfig config = NewTable();
    EXPECT_TRUE(Value(store_->Create(config))) << "this call made it";
    return config;
  }

  // Reads deals 2 and 1, newest first, in pages of one deal.
  void CheckPages(DealQuery query, TableId table) {
    query.limit = 1;
    for (const int number : {2, 1}) {
      const absl::StatusOr<std::vector<DealKey>> page = store_->ListDeals(query);
      ASSERT_TRUE(page.ok()) << page.status();
      ASSERT_EQ(page->size(), 1u);
      EXPECT_EQ(page->front().table, table);
      EXPECT_EQ(page->front().number, number);
      query.after = page->front();
    }
    EXPECT_TRUE(store_->ListDeals(query)->empty());
  }

  void CheckOutbox(const TableConfig& config) {
    std::vector<OutboxTarget> first;
    for (const OutboxItem& item : Value(store_->ListOutbox(1, 0))) first.push_back(item.target);
    EXPECT_EQ(first.size(), 2u) << "one of each target";
    const std::size_t all = Value(store_->ListOutbox(100, 0)).size();
    EXPECT_EQ(Value(store_->ListOutbox(100, 1)).size(), all - 2) << "all but the first of each";
    int found = 0;
    for (const OutboxItem& item : Value(store_->ListOutbox(100, 0))) {
      if (item.config.id != config.id) continue;
      ++found;
      EXPECT_TRUE(item.config.SameRequest(config));
      EXPECT_EQ(item.end.totals, (std::vector<int>{30, -10, -10, -10}));
      EXPECT_EQ(item.end.deals_scored, 2);
      EXPECT_TRUE(store_->MarkDelivered(config.id, item.target).ok());
    }
    EXPECT_EQ(found, 2) << "ratings and matchmaking";
    for (const OutboxItem& item : Value(store_->ListOutbox(100, 0)))
      EXPECT_NE(item.config.id, config.id);
    for (const TableKey& live : LiveSince(absl::InfinitePast())) EXPECT_NE(live.table, config.id);
  }

  // Reads pages of two tables.
  std::vector<TableKey> LiveSince(absl::Time since) {
    std::vector<TableKey> all;
    std::optional<TableKey> after;
    while (true) {
      const auto page = Value(store_->ListLive(since, after, 2));
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < 2) return all;
      after = page.back();
    }
  }

  TableStore* store_ = nullptr;
  OsEntropy entropy_;
};

// `Backend` has a default constructor and a member `store`, which is a TableStore. All tests of the
// suite share one Backend.
template <typename Backend>
class TableStoreContract : public TableStoreContractHelpers {
 protected:
  static void SetUpTestSuite() { backend_ = new Backend(); }
  static void TearDownTestSuite() {
    delete backend_;
    backend_ = nullptr;
  }
  void SetUp() override { store_ = &backend_->store; }

 private:
  static inline Backend* backend_ = nullptr;
};
TYPED_TEST_SUITE_P(TableStoreContract);

TYPED_TEST_P(TableStoreContract, CreatesATableOnce) {
  TableConfig config = this->Stored();
  const auto seed = config.first_seed;
  config.first_seed->fill(0);
  EXPECT_FALSE(Value(this->store_->Create(config))) << "the same request again";
  EXPECT_EQ(this->store_->Load(config.id)->config.first_seed, seed) << "the first one stays";
  TableConfig rules = config;
  rules.rules.cut_min = 8;
  EXPECT_TRUE(absl::IsAlreadyExists(this->store_->Create(rules).status()));
  config.deal_count = 5;
  const absl::Status other = this->store_->Create(config).status();
  EXPECT_TRUE(absl::IsAlreadyExists(other));
  EXPECT_EQ(GetErrorDetails(other).reason, "TABLE_EXISTS");
  const absl::Status missing = this->store_->Load(TableId{this->entropy_.NewUuid()}).status();
  EXPECT_EQ(GetErrorDetails(missing).reason, "TABLE_NOT_FOUND");
}

TYPED_TEST_P(TableStoreContract, JudgesEachTableOfABatchAlone) {
  const TableConfig known = this->Stored();
  TableConfig other = known, fresh = known, last = known;
  other.id = this->Stored().id;
  other.deal_count = 9;
  fresh.id = TableId{this->entropy_.NewUuid()};
  fresh.take_back = true;
  fresh.seats[1].display_name = R"(Zoë, "la \reine" {})";
  last.id = TableId{this->entropy_.NewUuid()};
  last.seats.pop_back();
  last.first_seed.reset();
  const auto results = this->store_->CreateMany({fresh, other, known, last});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_TRUE(Value(results[0]));
  EXPECT_EQ(GetErrorDetails(results[1].status()).reason, "TABLE_EXISTS");
  EXPECT_FALSE(Value(results[2])) << "the same request again";
  EXPECT_TRUE(Value(results[3]));
  for (const TableConfig& made : {fresh, last}) {
    const auto loaded = this->store_->Load(made.id);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_TRUE(loaded->config.SameRequest(made));
    EXPECT_EQ(loaded->config.first_seed, made.first_seed);
    EXPECT_EQ(loaded->config.create_time, made.create_time);
  }
}

TYPED_TEST_P(TableStoreContract, AppendsOnlyTheNextRevision) {
  const TableId table = this->Stored().id;
  EXPECT_TRUE(absl::IsAborted(this->Append(this->Entry(table, 2)).status())) << "a gap";
  EXPECT_TRUE(this->Append(this->Entry(table, 1)).ok());
  EXPECT_TRUE(absl::IsAborted(this->Append(this->Entry(table, 1)).status())) << "stale";
  EXPECT_TRUE(absl::IsAborted(this->Append(this->Entry(table, 3)).status())) << "a gap";
  EXPECT_TRUE(this->Append(this->Entry(table, 2)).ok());
}

TYPED_TEST_P(TableStoreContract, StoresARepeatedRequestOnce) {
  const TableId table = this->Stored().id;
  NewEntry entry = this->Entry(table, 1);
  const absl::StatusOr<Appended> applied = this->Append(entry);
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_FALSE(applied->replayed);
  for (const int believed : {1, 2, 9}) {
    // After a lost answer, the client may send the request again with any revision.
    entry.entry.revision = believed;
    const absl::StatusOr<Appended> again = this->Append(entry);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(again->replayed);
    EXPECT_EQ(again->revision, 1);
  }
  EXPECT_EQ(this->store_->Load(table)->log.size(), 1u);
}

// The batch has good entries and some bad ones: a stale entry, an entry after a gap, a repeat, and
// an entry for a table that does not exist.
TYPED_TEST_P(TableStoreContract, JudgesEachEntryOfABatchAlone) {
  std::vector<TableId> tables;
  for (int i = 0; i < 5; ++i) tables.push_back(this->Stored().id);
  const NewEntry repeated = this->Entry(tables[1], 1);
  ASSERT_TRUE(this->Append(repeated).ok());
  ASSERT_TRUE(this->Append(this->Entry(tables[2], 1)).ok());
  NewEntry again = repeated;
  again.entry.revision = 2;
  const std::vector<NewEntry> batch = {
      this->Entry(tables[0], 1), again,
      this->Entry(tables[2], 1), this->Entry(TableId{this->entropy_.NewUuid()}, 1),
      this->Entry(tables[3], 2), this->Entry(tables[4], 1)};
  const std::vector<absl::StatusOr<Appended>> results = this->store_->Append(batch);
  ASSERT_EQ(results.size(), batch.size());
  ASSERT_TRUE(results[0].ok() && results[1].ok() && results[5].ok());
  EXPECT_FALSE(results[0]->replayed || results[5]->replayed);
  EXPECT_EQ(results[5]->revision, 1);
  EXPECT_TRUE(results[1]->replayed);
  EXPECT_EQ(results[1]->revision, 1) << "the first outcome";
  EXPECT_TRUE(absl::IsAborted(results[2].status())) << "stale: " << results[2].status();
  EXPECT_TRUE(absl::IsAborted(results[3].status())) << "no table: " << results[3].status();
  EXPECT_TRUE(absl::IsAborted(results[4].status())) << "a gap: " << results[4].status();
  const std::vector<std::size_t> sizes = {1, 1, 1, 0, 1};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(this->store_->Load(tables[i])->log.size(), sizes[i]);
  }
  EXPECT_EQ(this->store_->Load(tables[0])->log[0].request, batch[0].entry.request);
  const absl::Status missing = this->store_->Load(batch[3].table).status();
  EXPECT_EQ(GetErrorDetails(missing).reason, "TABLE_NOT_FOUND") << "and none was made";
}

// The batch has three special cases for one table: one request twice, two requests for one
// revision, and two revisions that follow each other.
TYPED_TEST_P(TableStoreContract, RefusesEntriesThatDependOnTheirOwnBatch) {
  const TableId twice = this->Stored().id, race = this->Stored().id, chain = this->Stored().id;
  const NewEntry same = this->Entry(twice, 1);
  NewEntry believed = same;
  believed.entry.revision = 7;
  const std::vector<NewEntry> batch = {believed,
                                       same,
                                       same,
                                       this->Entry(race, 1),
                                       this->Entry(race, 1),
                                       this->Entry(chain, 1),
                                       this->Entry(chain, 2)};
  const std::vector<absl::StatusOr<Appended>> results = this->store_->Append(batch);
  ASSERT_EQ(results.size(), batch.size());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::IsAborted(results[i].status()) || results[i]->revision == 1) << i;
  }
  EXPECT_TRUE(results[1].ok() && !results[1]->replayed) << results[1].status();
  EXPECT_NE(results[3].ok(), results[4].ok()) << "one of the two";
  EXPECT_TRUE(results[5].ok());
  EXPECT_TRUE(absl::IsAborted(results[6].status())) << results[6].status();
  for (const TableId table : {twice, race, chain}) {
    EXPECT_EQ(this->store_->Load(table)->log.size(), 1u);
  }
  EXPECT_TRUE(this->Append(same)->replayed);
  EXPECT_TRUE(this->Append(batch[6]).ok()) << "now it is the next one";
}

// Some entries of a batch end deals. One of these entries also ends a match, and another entry is
// stale.
TYPED_TEST_P(TableStoreContract, StoresTheEndsOfDealsInABatch) {
  const TableConfig first = this->Stored(), last = this->Stored(), stale = this->Stored(),
                    none = this->Stored();
  std::vector<NewEntry> batch;
  for (const TableConfig* config : {&first, &last, &stale, &none}) {
    ASSERT_TRUE(this->Append(this->Entry(config->id, 1)).ok());
    NewEntry& entry = batch.emplace_back(this->Entry(config->id, config == &stale ? 1 : 2));
    if (config == &none) continue;
    entry.deal_revision = 1;
    entry.progress = MatchProgress{.deals_dealt = 1, .totals = {0, 0, 0, 0}};
    for (const SeatConfig& seat : config->seats) entry.players.push_back(seat.player);
  }
  batch[1].progress = MatchProgress{
      .match_over = true, .deals_dealt = 1, .deals_scored = 1, .totals = {3, -1, -1, -1}};
  const std::vector<absl::StatusOr<Appended>> results = this->store_->Append(batch);
  EXPECT_TRUE(results[0].ok() && results[1].ok() && results[3].ok());
  EXPECT_TRUE(absl::IsAborted(results[2].status()));
  for (const TableConfig* config : {&first, &last}) {
    const auto deals = Value(this->store_->LoadDeals({{.table = config->id, .number = 1}}));
    ASSERT_EQ(deals.size(), 1u);
    EXPECT_EQ(deals[0].log.size(), 2u);
    EXPECT_EQ(deals[0].key.finish_time, batch[0].entry.create_time);
    EXPECT_EQ(this->store_->ListDeals({.player = config->seats[3].player})->size(), 1u);
  }
  EXPECT_TRUE(Value(this->store_->LoadDeals({{stale.id, 1}, {none.id, 1}})).empty());
  std::size_t live = 0;
  for (const TableKey& table : this->LiveSince(absl::InfinitePast())) {
    const TableId id = table.table;
    EXPECT_NE(id, last.id);
    live += id == first.id || id == stale.id || id == none.id ? 1 : 0;
  }
  EXPECT_EQ(live, 3u);
  int delivered = 0;
  for (const OutboxItem& item : Value(this->store_->ListOutbox(100, 0))) {
    if (item.config.id != last.id) continue;
    ++delivered;
    EXPECT_EQ(item.end.totals, (std::vector<int>{3, -1, -1, -1}));
    EXPECT_TRUE(this->store_->MarkDelivered(last.id, item.target).ok());
  }
  EXPECT_EQ(delivered, 2);
}

// Two writers send entries for the same tables in opposite orders. Each revision must be stored by
// exactly one of them.
TYPED_TEST_P(TableStoreContract, KeepsOneLogWhenBatchesRace) {
  std::vector<TableId> tables;
  for (int i = 0; i < 20; ++i) tables.push_back(this->Stored().id);
  constexpr int kRounds = 10;
  std::array<int, 2> won{};
  std::vector<std::thread> writers;
  for (std::size_t w = 0; w < 2; ++w) {
    writers.emplace_back([&, w] {
      for (int revision = 1; revision <= kRounds; ++revision) {
        std::vector<NewEntry> batch;
        for (const TableId table : tables) batch.push_back(this->Entry(table, revision));
        if (w == 1) std::reverse(batch.begin(), batch.end());
        for (const absl::StatusOr<Appended>& result : this->store_->Append(batch)) {
          if (result.ok()) ++won[w];
          EXPECT_TRUE(result.ok() || absl::IsAborted(result.status())) << result.status();
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(won[0] + won[1], kRounds * static_cast<int>(tables.size()));
  for (const TableId table : tables) {
    EXPECT_EQ(this->store_->Load(table)->log.size(), static_cast<std::size_t>(kRounds));
  }
}

TYPED_TEST_P(TableStoreContract, ReadsBackTheLogAsWritten) {
  const TableConfig config = this->Stored();
  dealing::DealStart start{.dealer = 2};
  start.provenance.seed.fill(7);
  start.provenance.nonces[1] = "nonce";
  std::vector<LogEntry> log;
  for (const EntryBody& body : std::vector<EntryBody>{
           NonceAdded{std::string("\x00\x01\xff'", 4)},
           DealStarted{std::make_shared<const dealing::DealStart>(start)},
           rules::Action::Bid(rules::Contract::kGarde), SeatResumed(), DealVoided{"a power cut"},
           TricksClaimed{{rules::kPetit, rules::kExcuse}}, PhraseSaid{Phrase::kSorry},
           SeatMuted{.seat = 1, .muted = true}, Proposed{.kind = ProposalKind::kBreak},
           ProposalAnswered{.kind = ProposalKind::kBreak, .agrees = true, .granted = true},
           BreakEnded()}) {
    NewEntry entry = this->Entry(config.id, static_cast<int>(log.size()) + 1);
    entry.entry.body = body;
    ASSERT_TRUE(this->Append(entry).ok());
    log.push_back(entry.entry);
  }
  const absl::StatusOr<StoredTable> stored = this->store_->Load(config.id);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_TRUE(stored->config.SameRequest(config));
  EXPECT_EQ(stored->config.create_time, config.create_time);
  EXPECT_EQ(stored->config.first_seed, config.first_seed);
  EXPECT_EQ(stored->log, log);
}

TYPED_TEST_P(TableStoreContract, ListsEndedDealsAndMatches) {
  const TableConfig config = this->Stored();
  ASSERT_TRUE(this->Append(this->Entry(config.id, 1)).ok());
  std::vector<PlayerId> players;
  for (const SeatConfig& seat : config.seats) players.push_back(seat.player);
  for (int number = 1; number <= 2; ++number) {
    NewEntry end = this->Entry(config.id, number + 1);
    end.deal_revision = number;
    end.progress = MatchProgress{.match_over = number == 2,
                                 .deals_dealt = number,
                                 .deals_scored = number,
                                 .totals = {15 * number, -5 * number, -5 * number, -5 * number}};
    end.players = players;
    ASSERT_TRUE(this->Append(end).ok());
    EXPECT_TRUE(this->Append(end)->replayed);
  }
  EXPECT_EQ(this->store_->Load(config.id)->end, (MatchEnd{2, {30, -10, -10, -10}}));
  EXPECT_EQ(this->store_->LoadMany({config.id})->at(0).end, (MatchEnd{2, {30, -10, -10, -10}}));
  EXPECT_FALSE(this->store_->Load(this->Stored().id)->end);
  const auto deals =
      Value(this->store_->LoadDeals({{config.id, 2}, {config.id, 3}, {config.id, 1}}));
  ASSERT_EQ(deals.size(), 2u) << "there is no deal 3";
  EXPECT_EQ(deals[0].key.number, 2);
  EXPECT_EQ(deals[1].key.number, 1);
  EXPECT_TRUE(deals[0].config.SameRequest(config));
  ASSERT_EQ(deals[0].log.size(), 2u);
  EXPECT_EQ(deals[0].log.back().revision, 3);
  EXPECT_EQ(deals[0].key.finish_time, deals[0].log.back().create_time);
  EXPECT_TRUE(Value(this->store_->LoadDeals({})).empty());

  this->CheckPages({.player = players[0]}, config.id);
  this->CheckPages({.table = config.id}, config.id);
  EXPECT_TRUE(this->store_->ListDeals({.player = PlayerId{this->entropy_.NewUuid()}})->empty());
  EXPECT_TRUE(
      this->store_->ListDeals({.table = config.id, .end_time = absl::FromUnixSeconds(1)})->empty());
  this->CheckOutbox(config);
}

TYPED_TEST_P(TableStoreContract, ListsTablesNewestFirst) {
  TableConfig older = this->NewTable(absl::FromUnixSeconds(1'900'000'000));
  TableConfig newer = this->NewTable(absl::FromUnixSeconds(1'900'000'001));
  newer.seats[1] = older.seats[1];
  ASSERT_TRUE(this->store_->Create(older).ok() && this->store_->Create(newer).ok());
  TableQuery query{.player = older.seats[1].player, .limit = 1};
  for (const TableId expected : {newer.id, older.id}) {
    const absl::StatusOr<std::vector<TableKey>> page = this->store_->ListTables(query);
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_EQ(page->size(), 1u);
    EXPECT_EQ(page->front().table, expected);
    query.after = page->front();
  }
  EXPECT_TRUE(this->store_->ListTables(query)->empty());

  // The match at the newest table ends, so the list of open tables no longer has this table.
  NewEntry end = this->Entry(newer.id, 1);
  end.deal_revision = 1;
  end.progress = MatchProgress{.match_over = true, .deals_dealt = 1, .totals = {0, 0, 0, 0}};
  ASSERT_TRUE(this->Append(end).ok());
  EXPECT_EQ(this->store_->ListTables({.show_finished = true, .limit = 1})->front().table, newer.id);
  EXPECT_EQ(this->store_->ListTables({.limit = 1})->front().table, older.id);
  query.after.reset();
  EXPECT_EQ(this->store_->ListTables(query)->front().table, older.id);
  query.show_finished = true;
  EXPECT_EQ(this->store_->ListTables(query)->front().table, newer.id);
}

TYPED_TEST_P(TableStoreContract, ListsLiveTablesOfATime) {
  std::vector<TableId> ids;
  for (const int second : {0, 1, 2}) {
    const TableConfig table =
        this->NewTable(absl::FromUnixSeconds(1'890'000'000) + absl::Seconds(second));
    ASSERT_TRUE(this->store_->Create(table).ok());
    ids.push_back(table.id);
  }
  const auto ours_since = [&](absl::Time since) {
    std::vector<TableId> ours;
    for (const TableKey& live : this->LiveSince(since)) {
      if (std::find(ids.begin(), ids.end(), live.table) != ids.end()) ours.push_back(live.table);
    }
    return ours;
  };
  EXPECT_EQ(ours_since(absl::InfinitePast()), (std::vector<TableId>{ids[2], ids[1], ids[0]}));
  EXPECT_EQ(ours_since(absl::FromUnixSeconds(1'890'000'001)),
            (std::vector<TableId>{ids[2], ids[1]}));
}

TYPED_TEST_P(TableStoreContract, ListsTheTablesWhoseLogHasMoreEntries) {
  const TableConfig older = this->Stored(), equal = this->Stored(), fresh = this->Stored();
  for (const int revision : {1, 2}) {
    ASSERT_TRUE(this->Append(this->Entry(older.id, revision)).ok());
    ASSERT_TRUE(this->Append(this->Entry(equal.id, revision)).ok());
  }
  const auto behind = [&](int revision) {
    return Value(this->store_->ListBehind({{older.id, revision},
                                           {equal.id, 2},
                                           {fresh.id, 0},
                                           {TableId{this->entropy_.NewUuid()}, 0}}));
  };
  EXPECT_EQ(behind(0), std::vector<TableId>{older.id});
  EXPECT_EQ(behind(1), std::vector<TableId>{older.id});
  EXPECT_THAT(behind(2), testing::IsEmpty());
  EXPECT_THAT(Value(this->store_->ListBehind({})), testing::IsEmpty());
}

// LoadSummaries returns the progress that was stored when the latest deal ended.
TYPED_TEST_P(TableStoreContract, LoadsSummariesInTheGivenOrder) {
  const TableConfig fresh = this->Stored(), playing = this->Stored(), over = this->Stored();
  const MatchProgress first{.deals_dealt = 1, .totals = {0, 0, 0, 0}};
  const MatchProgress third{.deals_dealt = 3, .deals_scored = 1, .totals = {30, -10, -10, -10}};
  const MatchProgress last{
      .match_over = true, .deals_dealt = 4, .deals_scored = 2, .totals = {60, -20, -20, -20}};
  const auto append = [&](TableId table, int revision, const MatchProgress& progress) {
    NewEntry entry = this->Entry(table, revision);
    entry.progress = progress;
    entry.deal_revision = revision;
    return this->Append(entry).ok();
  };
  for (const TableId table : {playing.id, over.id}) {
    ASSERT_TRUE(append(table, 1, first) && append(table, 2, third));
  }
  EXPECT_FALSE(append(playing.id, 2, last)) << "a refused entry changes nothing";
  ASSERT_TRUE(append(over.id, 3, last));

  const auto summaries = Value(this->store_->LoadSummaries(
      {over.id, TableId{this->entropy_.NewUuid()}, fresh.id, playing.id}));
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].progress, last);
  EXPECT_EQ(summaries[1].progress, MatchProgress());
  EXPECT_EQ(summaries[2].progress, third);
  EXPECT_TRUE(summaries[1].config.SameRequest(fresh));
  EXPECT_EQ(this->store_->ListDeals({.table = playing.id})->size(), 2u);
  EXPECT_TRUE(Value(this->store_->LoadSummaries({})).empty());
}

TYPED_TEST_P(TableStoreContract, LoadsManyTables) {
  const TableConfig with_log = this->NewTable();
  const TableConfig without = this->NewTable();
  ASSERT_TRUE(this->store_->Create(with_log).ok() && this->store_->Create(without).ok());
  for (const int revision : {1, 2})
    ASSERT_TRUE(this->Append(this->Entry(with_log.id, revision)).ok());
  const TableId missing{this->entropy_.NewUuid()};
  const auto many = Value(this->store_->LoadMany({without.id, missing, with_log.id}));
  ASSERT_EQ(many.size(), 2u);
  for (const StoredTable& one : many) {
    const StoredTable same = Value(this->store_->Load(one.config.id));
    EXPECT_TRUE(one.config.SameRequest(same.config));
    EXPECT_EQ(one.config.create_time, same.config.create_time);
    EXPECT_EQ(one.config.first_seed, same.config.first_seed);
    EXPECT_EQ(one.config.seats, same.config.seats);
    EXPECT_EQ(one.log, same.log);
    EXPECT_EQ(one.log.size(), one.config.id == with_log.id ? 2u : 0u);
  }
  EXPECT_TRUE(Value(this->store_->LoadMany({})).empty());
  EXPECT_THAT(Value(this->store_->FindTables({without.id, missing, with_log.id})),
              testing::UnorderedElementsAre(without.id, with_log.id));
  EXPECT_TRUE(Value(this->store_->FindTables({})).empty());
}

// Four writers repeat their requests until all requests are stored. The log must contain every
// revision once, without gaps.
TYPED_TEST_P(TableStoreContract, KeepsOneLogWhenWritersRace) {
  const TableId table = this->Stored().id;
  constexpr int kEach = 25;
  std::vector<std::vector<NewEntry>> work(4);
  for (auto& mine : work) {
    for (int i = 0; i < kEach; ++i) mine.push_back(this->Entry(table, 0));
  }
  std::vector<std::thread> racers;
  for (auto& mine : work) {
    racers.emplace_back([this, &mine] {
      int revision = 1;
      for (NewEntry& entry : mine) {
        while (true) {
          entry.entry.revision = revision++;
          const absl::StatusOr<Appended> done = this->Append(entry);
          if (done.ok()) break;
          ASSERT_TRUE(absl::IsAborted(done.status())) << done.status();
          if (revision > 4 * kEach) revision = 1;
        }
      }
    });
  }
  for (std::thread& racer : racers) racer.join();
  const std::vector<LogEntry> log = this->store_->Load(table)->log;
  ASSERT_EQ(log.size(), 4u * kEach);
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].revision, static_cast<int>(i) + 1);
  }
}

REGISTER_TYPED_TEST_SUITE_P(TableStoreContract, CreatesATableOnce, JudgesEachTableOfABatchAlone,
                            AppendsOnlyTheNextRevision, StoresARepeatedRequestOnce,
                            JudgesEachEntryOfABatchAlone, RefusesEntriesThatDependOnTheirOwnBatch,
                            StoresTheEndsOfDealsInABatch, KeepsOneLogWhenBatchesRace,
                            ReadsBackTheLogAsWritten, ListsEndedDealsAndMatches,
                            ListsTablesNewestFirst, ListsLiveTablesOfATime,
                            ListsTheTablesWhoseLogHasMoreEntries, LoadsSummariesInTheGivenOrder,
                            LoadsManyTables, KeepsOneLogWhenWritersRace);

}  // namespace tarot::rules_service
