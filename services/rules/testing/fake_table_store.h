// Defines a store in memory, for unit tests and simulation. The store keeps domain values, not
// bytes. One contract test checks this store and PgTableStore
// (services/rules/testing/table_store_contract.h).
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/testkit/fake_statements.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// The fault of one call of Append. All entries of the call get the same answer. With
// kStoredButUnanswered the entries are stored. With each other fault they are not stored.
enum class AppendFault {
  kNone,
  kLost,                 // Answers UNAVAILABLE STORAGE_AWAY.
  kStoredButUnanswered,  // Answers UNAVAILABLE.
  kSlow,                 // Answers UNAVAILABLE STORAGE_SLOW.
  kConflict,             // Answers ABORTED.
};

struct FakeTables {
  struct Stored {
    StoredTable table;
    MatchProgress progress;
    absl::Time finish_time = absl::InfiniteFuture();
  };
  struct EndedDeal {
    DealKey key;
    int first_revision = 0;
    int last_revision = 0;
    std::vector<PlayerId> players;
  };

  std::map<TableId, Stored> tables;
  std::vector<EndedDeal> deals;
  std::vector<std::pair<TableId, OutboxTarget>> outbox;
  AppendFault fault = AppendFault::kNone;  // The fault of the next Append.
};

class FakeTableStore : public TableStore, public testkit::FakeStatements<FakeTables> {
 public:
  using Fault = AppendFault;

  std::vector<absl::StatusOr<bool>> CreateMany(const std::vector<TableConfig>& configs) override {
    using Results = std::vector<absl::StatusOr<bool>>;
    const absl::StatusOr<Results> results = Run([=](FakeTables& data) -> absl::StatusOr<Results> {
      Results created;
      for (const TableConfig& config : configs) {
        const auto [at, made] = data.tables.try_emplace(config.id);
        if (made) at->second.table.config = config;
        const bool same = at->second.table.config.SameRequest(config);
        created.push_back(same ? absl::StatusOr<bool>(made) : TableExists());
      }
      return created;
    });
    return results.ok() ? *results : Results(configs.size(), results.status());
  }

  std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) override {
    using Results = std::vector<absl::StatusOr<Appended>>;
    const absl::StatusOr<Results> results =
        Run([=](FakeTables& data) -> absl::StatusOr<Results> { return AppendTo(data, entries); });
    return results.ok() ? *results : Results(entries.size(), results.status());
  }

  absl::StatusOr<StoredTable> Load(TableId table) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<StoredTable> {
      const auto found = data.tables.find(table);
      if (found != data.tables.end()) return found->second.table;
      return TableNotFound();
    });
  }

  absl::StatusOr<std::vector<TableId>> FindTables(const std::vector<TableId>& tables) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<TableId>> {
      std::vector<TableId> found;
      for (const TableId table : tables) {
        if (data.tables.contains(table)) found.push_back(table);
      }
      return found;
    });
  }

  absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<StoredTable>> {
      std::vector<StoredTable> stored;
      for (const TableId table : tables) {
        const auto found = data.tables.find(table);
        if (found != data.tables.end()) stored.push_back(found->second.table);
      }
      return stored;
    });
  }

  absl::StatusOr<std::vector<TableKey>> ListLive(absl::Time since,
                                                 const std::optional<TableKey>& after,
                                                 int limit) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<TableKey>> {
      std::vector<TableKey> live = TablesOf(data, {.after = after, .limit = limit});
      while (!live.empty() && live.back().create_time < since) live.pop_back();
      return live;
    });
  }

  absl::StatusOr<std::vector<TableId>> ListBehind(
      const std::vector<TableRevision>& tables) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<TableId>> {
      std::vector<TableId> behind;
      for (const auto& [table, revision] : tables) {
        const auto found = data.tables.find(table);
        if (found == data.tables.end()) continue;
        if (static_cast<int>(found->second.table.log.size()) > revision) behind.push_back(table);
      }
      return behind;
    });
  }

  absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<TableKey>> {
      return TablesOf(data, query);
    });
  }

  absl::StatusOr<std::vector<TableSummary>> LoadSummaries(
      const std::vector<TableId>& tables) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<TableSummary>> {
      std::vector<TableSummary> summaries;
      for (const TableId table : tables) {
        const auto found = data.tables.find(table);
        if (found == data.tables.end()) continue;
        summaries.push_back({found->second.table.config, found->second.progress});
      }
      return summaries;
    });
  }

  absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) override {
    return Run([q = query](const FakeTables& data) -> absl::StatusOr<std::vector<DealKey>> {
      std::vector<DealKey> keys;
      for (const FakeTables::EndedDeal& deal : data.deals) {
        const auto& players = deal.players;
        const bool sat =
            !q.player || std::find(players.begin(), players.end(), *q.player) != players.end();
        const bool here = !q.table || *q.table == deal.key.table;
        const bool then = deal.key.finish_time >= q.start_time && deal.key.finish_time < q.end_time;
        const bool before = q.after && !Newer(*q.after, deal.key);
        if (sat && here && then && !before) keys.push_back(deal.key);
      }
      std::sort(keys.begin(), keys.end(), Newer);
      if (static_cast<int>(keys.size()) > q.limit) keys.resize(static_cast<std::size_t>(q.limit));
      return keys;
    });
  }

  absl::StatusOr<std::vector<StoredDeal>> LoadDeals(const std::vector<DealKey>& deals) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<StoredDeal>> {
      std::vector<StoredDeal> stored;
      for (const DealKey& key : deals) {
        const auto found =
            std::find_if(data.deals.begin(), data.deals.end(), [&](const auto& deal) {
              return deal.key.table == key.table && deal.key.number == key.number;
            });
        if (found == data.deals.end()) continue;
        const StoredTable& table = data.tables.at(key.table).table;
        stored.push_back({.key = found->key,
                          .config = table.config,
                          .match_over = table.end.has_value(),
                          .log = {table.log.begin() + found->first_revision - 1,
                                  table.log.begin() + found->last_revision}});
      }
      return stored;
    });
  }

  absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit, int offset) override {
    return Run([=](const FakeTables& data) -> absl::StatusOr<std::vector<OutboxItem>> {
      std::vector<OutboxItem> items;
      std::map<OutboxTarget, int> taken;
      for (const auto& [table, target] : data.outbox) {
        const int place = taken[target]++;
        if (place < offset || place >= offset + limit) continue;
        const FakeTables::Stored& stored = data.tables.at(table);
        items.push_back({.config = stored.table.config,
                         .target = target,
                         .end = *stored.table.end,
                         .finish_time = stored.finish_time});
      }
      return items;
    });
  }

  absl::Status MarkDelivered(TableId table, OutboxTarget target) override {
    return Run([=](FakeTables& data) {
      std::erase(data.outbox, std::pair(table, target));
      return absl::OkStatus();
    });
  }

  void FailNextAppend(AppendFault fault) {
    RunNow([=](FakeTables& data) { data.fault = fault; });
  }

  // Loses the last entries of a log, or a whole game table. A failover to an old standby may do the
  // same.
  void LoseEntries(TableId table, std::size_t entries) {
    RunNow([=](FakeTables& data) {
      std::vector<LogEntry>& log = data.tables.at(table).table.log;
      log.resize(log.size() - entries);
    });
  }
  void LoseTable(TableId table) {
    RunNow([=](FakeTables& data) { data.tables.erase(table); });
  }

 private:
  static bool Newer(const DealKey& a, const DealKey& b) {
    return std::tie(a.finish_time, a.table, a.number) > std::tie(b.finish_time, b.table, b.number);
  }

  static bool NewerTable(const TableKey& a, const TableKey& b) {
    return std::tie(a.create_time, a.table) > std::tie(b.create_time, b.table);
  }

  static std::vector<TableKey> TablesOf(const FakeTables& data, const TableQuery& q) {
    std::vector<TableKey> keys;
    for (const auto& [id, stored] : data.tables) {
      const auto& seats = stored.table.config.seats;
      const bool sits = !q.player || std::any_of(seats.begin(), seats.end(), [&](const auto& seat) {
        return seat.player == *q.player;
      });
      const TableKey key{.table = id, .create_time = stored.table.config.create_time};
      const bool live = stored.finish_time == absl::InfiniteFuture();
      const bool before = q.after && !NewerTable(*q.after, key);
      if (sits && (live || q.show_finished) && !before) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end(), NewerTable);
    if (static_cast<int>(keys.size()) > q.limit) keys.resize(static_cast<std::size_t>(q.limit));
    return keys;
  }

  static absl::StatusOr<std::vector<absl::StatusOr<Appended>>> AppendTo(
      FakeTables& data, const std::vector<NewEntry>& entries) {
    const AppendFault fault = std::exchange(data.fault, AppendFault::kNone);
    if (fault == Fault::kLost) {
      return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The connection broke.");
    }
    if (fault == Fault::kSlow) {
      return Error(absl::StatusCode::kUnavailable, "STORAGE_SLOW", "It took too long.");
    }
    if (fault == Fault::kConflict) {
      return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT", "Another statement was first.");
    }
    std::map<TableId, std::size_t> before;
    for (const NewEntry& entry : entries) {
      const auto stored = data.tables.find(entry.table);
      if (stored != data.tables.end()) before[entry.table] = stored->second.table.log.size();
    }
    std::vector<absl::StatusOr<Appended>> results;
    for (const NewEntry& entry : entries) {
      const auto known = before.find(entry.table);
      results.push_back(known == before.end() ? absl::AbortedError("No such table.")
                                              : Insert(data, entry, known->second));
    }
    if (fault == Fault::kStoredButUnanswered) return absl::UnavailableError("The answer was lost.");
    return results;
  }

  // `before` is the length that the table's log had before the batch.
  static absl::StatusOr<Appended> Insert(FakeTables& data, const NewEntry& e, std::size_t before) {
    FakeTables::Stored& stored = data.tables[e.table];
    std::vector<LogEntry>& log = stored.table.log;
    for (const LogEntry& old : log) {
      if (old.request == e.entry.request) {
        return Appended{.revision = old.revision, .replayed = true};
      }
    }
    const bool next = e.entry.revision == static_cast<int>(before) + 1;
    if (!next || log.size() != before) return absl::AbortedError("Stale revision.");
    log.push_back(e.entry);
    if (e.progress) stored.progress = *e.progress;
    if (e.EndsDeal()) {
      data.deals.push_back({.key = {e.table, e.progress->deals_dealt, e.entry.create_time},
                            .first_revision = e.deal_revision,
                            .last_revision = e.entry.revision,
                            .players = e.players});
    }
    if (e.EndsMatch()) {
      const MatchProgress& end = *e.progress;
      stored.finish_time = e.entry.create_time;
      stored.table.end = MatchEnd{.deals_scored = end.deals_scored, .totals = end.totals};
      if (end.deals_scored > 0) data.outbox.emplace_back(e.table, OutboxTarget::kRatings);
      data.outbox.emplace_back(e.table, OutboxTarget::kMatchmaking);
    }
    return Appended{.revision = e.entry.revision};
  }
};

}  // namespace tarot::rules_service
