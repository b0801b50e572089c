// What every TableStore must do. Run against the fake and against Postgres.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// The value itself, so that a loop may hold it: `*temporary()` would dangle.
template <typename T>
T Value(absl::StatusOr<T> result) {
  return *std::move(result);
}

// Each check uses tables and players of its own.
class TableStoreContract {
 public:
  explicit TableStoreContract(TableStore& store) : store_(store) {}

  void All() {
    CreateIsIdempotent();
    AppendRefereesRevisions();
    RequestsApplyOnce();
    EachRowOfABatchIsRefereedAlone();
    ABatchKnowsOnlyWhatWasBefore();
    DealsEndInBatches();
    RacingBatchesLeaveOneLog();
    LogReadsBackAsWritten();
    EndsAreListed();
    TablesAreListedNewestFirst();
    LiveTablesAreListedWithTheirRevisions();
    ManyTablesAreLoadedAtOnce();
    RacersLeaveOneLog();
  }

 private:
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
    config.rules.cut_min = 7;  // A rule set of no name.
    entropy_.Fill(absl::MakeSpan(config.first_seed.emplace()));
    return config;
  }

  NewEntry Entry(TableId table, int revision) {
    return {.table = table,
            .entry = {.revision = revision,
                      .request = RequestId{entropy_.NewUuid()},
                      .kind = EventKind::kAction,
                      .actor = Actor::kPlayer,
                      .seat = 2,
                      .payload = std::string("\x00\x01\xff'", 4),
                      .elapsed = absl::Microseconds(1234),
                      .create_time = absl::FromUnixMicros(1'800'000'000'000'001 + revision)}};
  }

  absl::StatusOr<Appended> Append(const NewEntry& entry) { return store_.Append({entry})[0]; }

  TableConfig Stored() {
    const TableConfig config = NewTable();
    EXPECT_TRUE(store_.Create(config).ok());
    return config;
  }

  void CreateIsIdempotent() {
    TableConfig config = Stored();
    const auto seed = config.first_seed;
    config.first_seed->fill(0);
    EXPECT_TRUE(store_.Create(config).ok()) << "the same request again";
    EXPECT_EQ(store_.Load(config.id)->config.first_seed, seed) << "the first one stays";
    TableConfig rules = config;
    rules.rules.cut_min = 8;
    EXPECT_TRUE(absl::IsAlreadyExists(store_.Create(rules)));
    config.deal_count = 5;
    const absl::Status other = store_.Create(config);
    EXPECT_TRUE(absl::IsAlreadyExists(other));
    EXPECT_EQ(GetErrorDetails(other).reason, "TABLE_EXISTS");
    const absl::Status missing = store_.Load(TableId{entropy_.NewUuid()}).status();
    EXPECT_EQ(GetErrorDetails(missing).reason, "TABLE_NOT_FOUND");
  }

  void AppendRefereesRevisions() {
    const TableId table = Stored().id;
    EXPECT_TRUE(absl::IsAborted(Append(Entry(table, 2)).status())) << "a gap";
    EXPECT_TRUE(Append(Entry(table, 1)).ok());
    EXPECT_TRUE(absl::IsAborted(Append(Entry(table, 1)).status())) << "stale";
    EXPECT_TRUE(absl::IsAborted(Append(Entry(table, 3)).status())) << "a gap";
    EXPECT_TRUE(Append(Entry(table, 2)).ok());
  }

  void RequestsApplyOnce() {
    const TableId table = Stored().id;
    NewEntry entry = Entry(table, 1);
    const absl::StatusOr<Appended> applied = Append(entry);
    ASSERT_TRUE(applied.ok()) << applied.status();
    EXPECT_FALSE(applied->replayed);
    for (const int believed : {1, 2, 9}) {  // The answer was lost; the client believes anything.
      entry.entry.revision = believed;
      const absl::StatusOr<Appended> again = Append(entry);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(again->replayed);
      EXPECT_EQ(again->revision, 1);
    }
    EXPECT_EQ(store_.Load(table)->log.size(), 1u);
  }

  // Good rows around a stale one, a gap, a repeat and a table that is not there.
  void EachRowOfABatchIsRefereedAlone() {
    std::vector<TableId> tables;
    for (int i = 0; i < 5; ++i) tables.push_back(Stored().id);
    const NewEntry repeated = Entry(tables[1], 1);
    ASSERT_TRUE(Append(repeated).ok());
    ASSERT_TRUE(Append(Entry(tables[2], 1)).ok());
    NewEntry again = repeated;
    again.entry.revision = 2;
    const std::vector<NewEntry> batch = {Entry(tables[0], 1), again,
                                         Entry(tables[2], 1), Entry(TableId{entropy_.NewUuid()}, 1),
                                         Entry(tables[3], 2), Entry(tables[4], 1)};
    const std::vector<absl::StatusOr<Appended>> results = store_.Append(batch);
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
      EXPECT_EQ(store_.Load(tables[i])->log.size(), sizes[i]);
    }
    EXPECT_EQ(store_.Load(tables[0])->log[0].request, batch[0].entry.request);
    const absl::Status missing = store_.Load(batch[3].table).status();
    EXPECT_EQ(GetErrorDetails(missing).reason, "TABLE_NOT_FOUND") << "and none was made";
  }

  // One request twice, two requests for one revision, and a revision after one of the same batch.
  void ABatchKnowsOnlyWhatWasBefore() {
    const TableId twice = Stored().id, race = Stored().id, chain = Stored().id;
    const NewEntry same = Entry(twice, 1);
    NewEntry believed = same;
    believed.entry.revision = 7;
    const std::vector<NewEntry> batch = {
        believed, same, same, Entry(race, 1), Entry(race, 1), Entry(chain, 1), Entry(chain, 2)};
    const std::vector<absl::StatusOr<Appended>> results = store_.Append(batch);
    ASSERT_EQ(results.size(), batch.size());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(absl::IsAborted(results[i].status()) || results[i]->revision == 1) << i;
    }
    EXPECT_TRUE(results[1].ok() && !results[1]->replayed) << results[1].status();
    EXPECT_NE(results[3].ok(), results[4].ok()) << "one of the two";
    EXPECT_TRUE(results[5].ok());
    EXPECT_TRUE(absl::IsAborted(results[6].status())) << results[6].status();
    for (const TableId table : {twice, race, chain}) {
      EXPECT_EQ(store_.Load(table)->log.size(), 1u);
    }
    EXPECT_TRUE(Append(same)->replayed);
    EXPECT_TRUE(Append(batch[6]).ok()) << "now it is the next one";
  }

  // Some rows of a batch end deals, one of them a match, one of them in vain.
  void DealsEndInBatches() {
    const TableConfig first = Stored(), last = Stored(), stale = Stored(), none = Stored();
    std::vector<NewEntry> batch;
    for (const TableConfig* config : {&first, &last, &stale, &none}) {
      ASSERT_TRUE(Append(Entry(config->id, 1)).ok());
      NewEntry& entry = batch.emplace_back(Entry(config->id, config == &stale ? 1 : 2));
      if (config == &none) continue;
      entry.deal_number = entry.deal_revision = 1;
      for (const SeatConfig& seat : config->seats) entry.players.push_back(seat.player);
    }
    batch[1].match_end = MatchEnd{.deals_scored = 1, .totals = {3, -1, -1, -1}};
    const std::vector<absl::StatusOr<Appended>> results = store_.Append(batch);
    EXPECT_TRUE(results[0].ok() && results[1].ok() && results[3].ok());
    EXPECT_TRUE(absl::IsAborted(results[2].status()));
    for (const TableConfig* config : {&first, &last}) {
      const absl::StatusOr<StoredDeal> deal = store_.LoadDeal(config->id, 1);
      ASSERT_TRUE(deal.ok()) << deal.status();
      EXPECT_EQ(deal->log.size(), 2u);
      EXPECT_EQ(deal->key.finish_time, batch[0].entry.create_time);
      EXPECT_EQ(store_.ListDeals({.player = config->seats[3].player})->size(), 1u);
    }
    EXPECT_FALSE(store_.LoadDeal(stale.id, 1).ok());
    EXPECT_FALSE(store_.LoadDeal(none.id, 1).ok());
    std::size_t live = 0;
    for (const LiveTable& table : AllLive()) {
      const TableId id = table.key.table;
      EXPECT_NE(id, last.id);
      live += id == first.id || id == stale.id || id == none.id ? 1 : 0;
    }
    EXPECT_EQ(live, 3u);
    int told = 0;
    for (const OutboxItem& item : Value(store_.ListOutbox(100, 0))) {
      if (item.config.id != last.id) continue;
      ++told;
      EXPECT_EQ(item.end.totals, (std::vector<int>{3, -1, -1, -1}));
      EXPECT_TRUE(store_.MarkDelivered(last.id, item.target).ok());
    }
    EXPECT_EQ(told, 2);
  }

  // Two writers send the same tables in opposite orders: each revision is won by one of them.
  void RacingBatchesLeaveOneLog() {
    std::vector<TableId> tables;
    for (int i = 0; i < 20; ++i) tables.push_back(Stored().id);
    constexpr int kRounds = 10;
    std::array<int, 2> won{};
    std::vector<std::thread> writers;
    for (std::size_t w = 0; w < 2; ++w) {
      writers.emplace_back([&, w] {
        for (int revision = 1; revision <= kRounds; ++revision) {
          std::vector<NewEntry> batch;
          for (const TableId table : tables) batch.push_back(Entry(table, revision));
          if (w == 1) std::reverse(batch.begin(), batch.end());
          for (const absl::StatusOr<Appended>& result : store_.Append(batch)) {
            if (result.ok()) ++won[w];
            EXPECT_TRUE(result.ok() || absl::IsAborted(result.status())) << result.status();
          }
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(won[0] + won[1], kRounds * static_cast<int>(tables.size()));
    for (const TableId table : tables) {
      EXPECT_EQ(store_.Load(table)->log.size(), static_cast<std::size_t>(kRounds));
    }
  }

  void LogReadsBackAsWritten() {
    const TableConfig config = Stored();
    NewEntry entry = Entry(config.id, 1);
    ASSERT_TRUE(Append(entry).ok());
    const absl::StatusOr<StoredTable> stored = store_.Load(config.id);
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_TRUE(stored->config.SameRequest(config));
    EXPECT_EQ(stored->config.create_time, config.create_time);
    EXPECT_EQ(stored->config.first_seed, config.first_seed);
    ASSERT_EQ(stored->log.size(), 1u);
    const LogEntry& back = stored->log[0];
    EXPECT_EQ(back.revision, 1);
    EXPECT_EQ(back.request, entry.entry.request);
    EXPECT_EQ(back.kind, entry.entry.kind);
    EXPECT_EQ(back.actor, entry.entry.actor);
    EXPECT_EQ(back.seat, 2);
    EXPECT_EQ(back.payload, entry.entry.payload);
    EXPECT_EQ(back.elapsed, entry.entry.elapsed);
    EXPECT_EQ(back.create_time, entry.entry.create_time);
  }

  void EndsAreListed() {
    const TableConfig config = Stored();
    ASSERT_TRUE(Append(Entry(config.id, 1)).ok());
    std::vector<PlayerId> players;
    for (const SeatConfig& seat : config.seats) players.push_back(seat.player);
    for (int number = 1; number <= 2; ++number) {
      NewEntry end = Entry(config.id, number + 1);
      end.deal_number = number;
      end.deal_revision = number;
      end.players = players;
      if (number == 2) end.match_end = MatchEnd{.deals_scored = 2, .totals = {30, -10, -10, -10}};
      ASSERT_TRUE(Append(end).ok());
      EXPECT_TRUE(Append(end)->replayed);
    }
    EXPECT_EQ(store_.Load(config.id)->end, (MatchEnd{2, {30, -10, -10, -10}}));
    EXPECT_EQ(store_.LoadMany({config.id})->at(0).end, (MatchEnd{2, {30, -10, -10, -10}}));
    EXPECT_FALSE(store_.Load(Stored().id)->end);
    const absl::StatusOr<StoredDeal> second = store_.LoadDeal(config.id, 2);
    ASSERT_TRUE(second.ok()) << second.status();
    ASSERT_EQ(second->log.size(), 2u);
    EXPECT_EQ(second->log.back().revision, 3);
    EXPECT_EQ(GetErrorDetails(store_.LoadDeal(config.id, 3).status()).reason, "RECORD_NOT_FOUND");

    CheckPages({.player = players[0]}, config.id);
    CheckPages({.table = config.id}, config.id);
    EXPECT_TRUE(store_.ListDeals({.player = PlayerId{entropy_.NewUuid()}})->empty());
    EXPECT_TRUE(
        store_.ListDeals({.table = config.id, .end_time = absl::FromUnixSeconds(1)})->empty());
    CheckOutbox(config);
  }

  // Newest first, one a page.
  void CheckPages(DealQuery query, TableId table) {
    query.limit = 1;
    for (const int number : {2, 1}) {
      const absl::StatusOr<std::vector<DealKey>> page = store_.ListDeals(query);
      ASSERT_TRUE(page.ok()) << page.status();
      ASSERT_EQ(page->size(), 1u);
      EXPECT_EQ(page->front().table, table);
      EXPECT_EQ(page->front().number, number);
      query.after = page->front();
    }
    EXPECT_TRUE(store_.ListDeals(query)->empty());
  }

  void CheckOutbox(const TableConfig& config) {
    std::vector<OutboxTarget> first;
    for (const OutboxItem& item : Value(store_.ListOutbox(1, 0))) first.push_back(item.target);
    EXPECT_EQ(first.size(), 2u) << "one of each target";
    const std::size_t all = Value(store_.ListOutbox(100, 0)).size();
    EXPECT_EQ(Value(store_.ListOutbox(100, 1)).size(), all - 2) << "all but the first of each";
    int found = 0;
    for (const OutboxItem& item : Value(store_.ListOutbox(100, 0))) {
      if (item.config.id != config.id) continue;
      ++found;
      EXPECT_TRUE(item.config.SameRequest(config));
      EXPECT_EQ(item.end.totals, (std::vector<int>{30, -10, -10, -10}));
      EXPECT_EQ(item.end.deals_scored, 2);
      EXPECT_TRUE(store_.MarkDelivered(config.id, item.target).ok());
    }
    EXPECT_EQ(found, 2) << "ratings and matchmaking";
    for (const OutboxItem& item : Value(store_.ListOutbox(100, 0)))
      EXPECT_NE(item.config.id, config.id);
    for (const LiveTable& live : AllLive()) EXPECT_NE(live.key.table, config.id);
  }

  // Read in pages of two.
  std::vector<LiveTable> AllLive() {
    std::vector<LiveTable> all;
    std::optional<TableKey> after;
    while (true) {
      const auto page = Value(store_.ListLive(after, 2));
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < 2) return all;
      after = page.back().key;
    }
  }

  void LiveTablesAreListedWithTheirRevisions() {
    const TableConfig older = NewTable(absl::FromUnixSeconds(1'890'000'000));
    const TableConfig newer = NewTable(absl::FromUnixSeconds(1'890'000'001));
    ASSERT_TRUE(store_.Create(older).ok() && store_.Create(newer).ok());
    for (const int revision : {1, 2}) ASSERT_TRUE(Append(Entry(older.id, revision)).ok());
    std::vector<LiveTable> ours;
    for (const LiveTable& live : AllLive()) {
      if (live.key.table == older.id || live.key.table == newer.id) ours.push_back(live);
    }
    ASSERT_EQ(ours.size(), 2u);
    EXPECT_EQ(ours[0].key.table, newer.id);
    EXPECT_EQ(ours[0].key.create_time, newer.create_time);
    EXPECT_EQ(ours[0].revision, 0);
    EXPECT_EQ(ours[1].key.table, older.id);
    EXPECT_EQ(ours[1].revision, 2);
  }

  void ManyTablesAreLoadedAtOnce() {
    const TableConfig with_log = NewTable();
    const TableConfig without = NewTable();
    ASSERT_TRUE(store_.Create(with_log).ok() && store_.Create(without).ok());
    for (const int revision : {1, 2}) ASSERT_TRUE(Append(Entry(with_log.id, revision)).ok());
    const TableId missing{entropy_.NewUuid()};
    const auto many = Value(store_.LoadMany({without.id, missing, with_log.id}));
    ASSERT_EQ(many.size(), 2u);
    for (const StoredTable& one : many) {
      const StoredTable same = Value(store_.Load(one.config.id));
      EXPECT_TRUE(one.config.SameRequest(same.config));
      EXPECT_EQ(one.config.create_time, same.config.create_time);
      EXPECT_EQ(one.config.first_seed, same.config.first_seed);
      EXPECT_EQ(one.config.seats, same.config.seats);
      ASSERT_EQ(one.log.size(), same.log.size());
      EXPECT_EQ(one.log.size(), one.config.id == with_log.id ? 2u : 0u);
      for (std::size_t i = 0; i < one.log.size(); ++i) {
        EXPECT_EQ(one.log[i].revision, static_cast<int>(i) + 1);
        EXPECT_EQ(one.log[i].request, same.log[i].request);
        EXPECT_EQ(one.log[i].payload, same.log[i].payload);
        EXPECT_EQ(one.log[i].elapsed, same.log[i].elapsed);
        EXPECT_EQ(one.log[i].create_time, same.log[i].create_time);
      }
    }
    EXPECT_TRUE(Value(store_.LoadMany({})).empty());
  }

  void TablesAreListedNewestFirst() {
    TableConfig older = NewTable(absl::FromUnixSeconds(1'900'000'000));
    TableConfig newer = NewTable(absl::FromUnixSeconds(1'900'000'001));
    newer.seats[1] = older.seats[1];
    ASSERT_TRUE(store_.Create(older).ok() && store_.Create(newer).ok());
    TableQuery query{.player = older.seats[1].player, .limit = 1};
    for (const TableId expected : {newer.id, older.id}) {
      const absl::StatusOr<std::vector<TableKey>> page = store_.ListTables(query);
      ASSERT_TRUE(page.ok()) << page.status();
      ASSERT_EQ(page->size(), 1u);
      EXPECT_EQ(page->front().table, expected);
      query.after = page->front();
    }
    EXPECT_TRUE(store_.ListTables(query)->empty());

    // Of anybody: newer ones than all others, and gone from the open ones once the match is over.
    NewEntry end = Entry(newer.id, 1);
    end.deal_number = end.deal_revision = 1;
    end.match_end = MatchEnd{.deals_scored = 0, .totals = {0, 0, 0, 0}};
    ASSERT_TRUE(Append(end).ok());
    EXPECT_EQ(store_.ListTables({.show_finished = true, .limit = 1})->front().table, newer.id);
    EXPECT_EQ(store_.ListTables({.limit = 1})->front().table, older.id);
    query.after.reset();
    EXPECT_EQ(store_.ListTables(query)->front().table, older.id);
    query.show_finished = true;
    EXPECT_EQ(store_.ListTables(query)->front().table, newer.id);
  }

  // Four writers, each insisting with its own requests: every revision once, none missing.
  void RacersLeaveOneLog() {
    const TableId table = Stored().id;
    constexpr int kEach = 25;
    std::vector<std::vector<NewEntry>> work(4);
    for (auto& mine : work) {
      for (int i = 0; i < kEach; ++i) mine.push_back(Entry(table, 0));
    }
    std::vector<std::thread> racers;
    for (auto& mine : work) {
      racers.emplace_back([this, &mine] {
        int revision = 1;
        for (NewEntry& entry : mine) {
          while (true) {
            entry.entry.revision = revision++;
            const absl::StatusOr<Appended> done = Append(entry);
            if (done.ok()) break;
            ASSERT_TRUE(absl::IsAborted(done.status())) << done.status();
            if (revision > 4 * kEach) revision = 1;
          }
        }
      });
    }
    for (std::thread& racer : racers) racer.join();
    const std::vector<LogEntry> log = store_.Load(table)->log;
    ASSERT_EQ(log.size(), 4u * kEach);
    for (std::size_t i = 0; i < log.size(); ++i) {
      EXPECT_EQ(log[i].revision, static_cast<int>(i) + 1);
    }
  }

  TableStore& store_;
  OsEntropy entropy_;
};

}  // namespace tarot::rules_service
