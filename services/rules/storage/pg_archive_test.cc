// Tests the partitions of the logs and the archive of finished matches on Postgres.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/record_service.h"
#include "services/rules/audit/audit_tables.h"
#include "services/rules/limits.h"
#include "services/rules/storage/archive_bytes.h"
#include "services/rules/storage/archiver.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/testing/random_match.h"
#include "services/rules/transport/record_service.h"
#include "tarot/rules/v1/record_service.pb.h"

namespace tarot::rules_service {
namespace {

using testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;

// The first partition of the tests has the tables that are made on the day after kStart. kLater is
// long after the time from which the archiver may archive this partition.
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
const absl::Time kLater = kStart + absl::Hours(24 * 30);
constexpr absl::Duration kDay = absl::Hours(24);
constexpr absl::Duration kAfter = absl::Hours(24 * 7);
// At this time the archiver may archive the first partition and no later one.
const absl::Time kFirstDue = kStart + 2 * kDay + kAfter;

// A directory that the destructor removes.
struct Directory {
  Directory() {
    char name[] = "/tmp/tarot-archive-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::set<std::string> Files() const {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      files.insert(entry.path().filename());
    }
    return files;
  }
  std::string path;
};

// A process of the service, with its own pools.
struct Process {
  Process(const std::string& dsn, const std::string& directory, char key = 'k')
      : pool({.dsn = dsn, .connections = 4}, Statements(), registry),
        append_pool({.dsn = dsn, .connections = 2, .session_sql = kAppendSession},
                    AppendStatements(), registry),
        upkeep_pool({.dsn = dsn, .connections = 2, .session_sql = kLogUpkeepSession},
                    UpkeepStatements(), registry),
        archive(MakeDirectoryArchiveStore(directory)),
        store(MakePgTableStore(pool, append_pool,
                               dealing::SecretBox({{std::string(1, key), std::string(32, key)}}),
                               entropy, archive.get())),
        archiver(upkeep_pool, *store, *archive, kAfter) {}

  static std::vector<pg::Statement> Statements() {
    std::vector<pg::Statement> all = TableStatements();
    for (const pg::Statement& statement : PlayerDataStatements()) all.push_back(statement);
    return all;
  }
  static std::vector<pg::Statement> UpkeepStatements() {
    std::vector<pg::Statement> all = LogPartitionStatements();
    for (const pg::Statement& statement : ArchiverStatements()) all.push_back(statement);
    return all;
  }

  absl::StatusOr<int> MakePartitions(absl::Time now) {
    return MakeLogPartitions(upkeep_pool, upkeep_pool, now);
  }

  // Runs the archiver again and again, until it finds nothing to do. Returns the sum of all runs.
  ArchiveRun ArchiveAll(absl::Time now = kLater) {
    ArchiveRun sum;
    for (;;) {
      const absl::StatusOr<ArchiveRun> run = archiver.RunOnce(now);
      EXPECT_THAT(run, IsOk());
      if (!run.ok() || run->did_nothing()) return sum;
      sum.matches += run->matches;
      sum.deals += run->deals;
      sum.bytes += run->bytes;
      sum.dropped |= run->dropped;
    }
  }

  OsEntropy entropy;
  prometheus::Registry registry;
  pg::Pool pool;
  pg::Pool append_pool;
  pg::Pool upkeep_pool;
  std::unique_ptr<ArchiveStore> archive;
  std::unique_ptr<TableStore> store;
  Archiver archiver;
};

class PgArchiveTest : public testing::Test {
 protected:
  PgArchiveTest() { EXPECT_THAT(pg::Migrate(dsn_, "rules", Migrations()), IsOk()); }

  pqxx::result Run(const std::string& sql) {
    pqxx::connection connection(dsn_);
    return pqxx::nontransaction(connection).exec(sql);
  }
  int Count(const std::string& sql) { return Run("SELECT count(*) " + sql)[0][0].as<int>(); }

  // Returns random matches that begin within the hour after `time`.
  std::vector<RandomMatch> MatchesAt(absl::Time time, int count, int deals = 2) {
    std::vector<RandomMatch> matches;
    for (int i = 0; i < count; ++i) {
      const TableConfig table{.rule_set = i % 3 == 0 ? "shogix" : "fft",
                              .deal_count = deals,
                              .ranked = i % 4 == 0,
                              .create_time = time + absl::Seconds(10 * i)};
      matches.emplace_back(table, 4, i % 4, entropy_);
    }
    return matches;
  }

  // Stores the matches without the last `left_out` entries of each match.
  static void Store(Process& process, const std::vector<RandomMatch>& matches,
                    std::size_t left_out = 0) {
    std::vector<TableConfig> configs;
    std::size_t longest = 0;
    for (const RandomMatch& match : matches) {
      configs.push_back(match.config());
      longest = std::max(longest, match.entries().size() - left_out);
    }
    for (const auto& made : process.store->CreateMany(configs)) ASSERT_THAT(made, IsOk());
    for (std::size_t i = 0; i < longest; ++i) {
      std::vector<NewEntry> batch;
      for (const RandomMatch& match : matches) {
        if (i + left_out < match.entries().size()) batch.push_back(match.entries()[i]);
      }
      for (const auto& stored : process.store->Append(batch)) ASSERT_THAT(stored, IsOk());
    }
  }
  void Deliver() { Run("DELETE FROM rules.outbox"); }

  // Returns the answers to all questions that readers may ask, as texts.
  std::map<std::string, std::string> Answers(Process& process,
                                             const std::vector<RandomMatch>& matches) {
    std::map<std::string, std::string> answers;
    RecordService records(*process.store);
    for (const RandomMatch& match : matches) {
      const TableId table = match.config().id;
      const int deals = static_cast<int>(DealsOf(match.stored())->size());
      for (int number = 1; number <= deals + 1; ++number) {
        const absl::StatusOr<DealRecord> record = records.Get(table, number);
        v1::DealRecord message;
        if (record.ok()) EncodeRecord(*record, &message);
        answers[absl::StrCat("record ", table.ToString(), " ", number)] =
            record.ok() ? message.SerializeAsString() : record.status().ToString();
      }
      answers["sheet " + table.ToString()] = SheetText(records, table);
      const auto summaries = process.store->LoadSummaries({table});
      EXPECT_THAT(summaries, IsOk());
      const MatchProgress& progress = summaries->at(0).progress;
      answers["summary " + table.ToString()] =
          absl::StrCat(progress.match_over, " ", progress.deals_dealt, " ", progress.deals_scored,
                       " ", absl::StrJoin(progress.totals, " "));
    }
    answers["list"] = ListText(records, {.limit = 41});
    answers["list of a time"] = ListText(records, {.start_time = kStart + kDay + absl::Minutes(3),
                                                   .end_time = kStart + 2 * kDay + absl::Minutes(3),
                                                   .limit = 9});
    const auto data = MakePgPlayerDataStore(process.pool);
    for (std::size_t i = 0; i < matches.size(); i += 5) {
      answers["list of table " + matches[i].config().id.ToString()] =
          ListText(records, {.table = matches[i].config().id, .limit = 3});
      const PlayerId player = matches[i].config().seats[i % 4].player;
      answers["list of player " + player.ToString()] =
          ListText(records, {.player = player, .limit = 2});
      answers["list of player at table " + player.ToString()] =
          ListText(records, {.player = player, .table = matches[i].config().id});
      answers["export of " + player.ToString()] = *data->Export(player);
    }
    return answers;
  }

  static std::string ListText(RecordService& records, DealQuery query) {
    std::string text;
    for (;;) {
      const absl::StatusOr<RecordPage> page = records.List(query);
      EXPECT_THAT(page, IsOk());
      if (!page.ok()) return page.status().ToString();
      for (const DealRecord& record : page->records) {
        v1::DealRecord message;
        EncodeRecord(record, &message);
        absl::StrAppend(&text, message.SerializeAsString());
      }
      absl::StrAppend(&text, "|");
      if (!page->last) return text;
      query.after = page->last;
    }
  }

  static std::string SheetText(RecordService& records, TableId table) {
    const absl::StatusOr<ScoreSheet> sheet = records.Sheet(table);
    if (!sheet.ok()) return sheet.status().ToString();
    std::string text = absl::StrCat(sheet->match_over, " ", sheet->draw ? sheet->draw->dealer : -1);
    for (const ScoreLine& line : sheet->lines) {
      absl::StrAppend(&text, "\n", line.number, " ", line.void_reason, " ", line.claim.seat, " ",
                      line.claim.trick, " ", absl::StrJoin(line.totals, " "), " ",
                      absl::StrJoin(line.deal.result.scores, " "), " ",
                      absl::FormatTime(line.finish_time));
    }
    return text;
  }

  static AuditCounts Audit(Process& process) {
    const auto counts = AuditTables(*process.store, 2,
                                    {.on_wrong =
                                         [](TableId table, const std::string& why) {
                                           ADD_FAILURE() << table.ToString() << ": " << why;
                                         },
                                     .on_progress = [](const AuditCounts&) {}});
    EXPECT_THAT(counts, IsOk());
    return counts.value_or(AuditCounts());
  }

  const std::string dsn_ = testkit::PgCluster::Shared().NewDatabase();
  const Directory directory_;
  SeededEntropy entropy_{21};
};

// Asks about 1,000 deals before, during and after the move of their logs to the archive. The
// answers must be the same.
TEST_F(PgArchiveTest, AnswersTheSameFromTheLogAndFromTheArchive) {
  Process process(dsn_, directory_.path);
  ASSERT_EQ(*process.MakePartitions(kStart), 3);
  // Some matches are from the day before the first partition. The others are from the two days
  // after it.
  std::vector<RandomMatch> matches = MatchesAt(kStart, 20, 4);
  for (const int day : {1, 2}) {
    for (RandomMatch& match : MatchesAt(kStart + day * kDay, 95, 4)) {
      matches.push_back(std::move(match));
    }
  }
  Store(process, matches);
  Deliver();
  const auto before = Answers(process, matches);
  const AuditCounts audited = Audit(process);
  EXPECT_GE(audited.deals, 1'000);

  // Archive only the first day. The deals of this day come from the archive, and the deals of the
  // other days come from the logs.
  const ArchiveRun first = process.ArchiveAll(kFirstDue);
  EXPECT_EQ(first.matches, 95);
  EXPECT_TRUE(first.dropped);
  EXPECT_TRUE(before == Answers(process, matches)) << "one day in the archive";
  EXPECT_EQ(Audit(process).deals, audited.deals);

  const ArchiveRun second = process.ArchiveAll();
  EXPECT_EQ(second.matches, 95);
  const auto after = Answers(process, matches);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [question, answer] : before) {
    EXPECT_TRUE(answer == after.at(question)) << question;
  }
  EXPECT_EQ(Audit(process).deals, audited.deals);
  EXPECT_EQ(Count("FROM rules.table_actions"), Count("FROM rules.table_actions_rest"));
  EXPECT_EQ(Count("FROM rules.log_partitions WHERE drop_time IS NULL"), 0);
  EXPECT_EQ(*process.archiver.Overdue(kLater), absl::ZeroDuration());

  const int deals = first.deals + second.deals;
  Run("VACUUM (FULL) rules.archived_matches");
  const auto index = Run("SELECT pg_total_relation_size('rules.archived_matches')")[0][0].as<int>();
  RecordProperty("archive_bytes_per_deal", static_cast<int>((first.bytes + second.bytes) / deals));
  RecordProperty("index_bytes_per_deal", index / deals);
  RecordProperty("deals", deals);
}

// A match in the archive can be read without the encryption key.
TEST_F(PgArchiveTest, ReadsTheArchiveAfterAKeyIsLost) {
  std::vector<RandomMatch> matches;
  {
    Process process(dsn_, directory_.path);
    ASSERT_THAT(process.MakePartitions(kStart), IsOk());
    matches = MatchesAt(kStart + kDay, 3);
    Store(process, matches);
    Deliver();
    EXPECT_EQ(process.ArchiveAll().matches, 3);
  }
  Process process(dsn_, directory_.path, 'x');
  for (const RandomMatch& match : matches) {
    const auto loaded = process.store->Load(match.config().id);
    ASSERT_THAT(loaded, IsOk());
    EXPECT_THAT(ProveArchived(match.stored(), *loaded), IsOk());
  }
}

// A child process runs the archiver and is killed after a step. Then another run completes the
// work.
TEST_F(PgArchiveTest, LosesAndDoublesNoDealWhenItIsKilledAfterAnyStep) {
  for (int step = 0; step <= static_cast<int>(kLastArchiveStep); ++step) {
    SCOPED_TRACE(step);
    const absl::Time day = kStart + step * kDay;
    std::vector<RandomMatch> matches;
    std::map<std::string, std::string> before;
    {
      Process process(dsn_, directory_.path);
      ASSERT_THAT(process.MakePartitions(day), IsOk());
      matches = MatchesAt(day + kDay, 4);
      Store(process, matches);
      Deliver();
      before = Answers(process, matches);
    }
    const absl::Time due = day + 2 * kDay + kAfter;
    EXPECT_EXIT(
        {
          Process process(dsn_, directory_.path);
          process.archiver.set_on_step([&](ArchiveStep done) {
            if (static_cast<int>(done) == step) ::raise(SIGKILL);
          });
          process.ArchiveAll(due);
        },
        testing::KilledBySignal(SIGKILL), "");
    Process process(dsn_, directory_.path);
    EXPECT_TRUE(before == Answers(process, matches)) << "before the next run";
    process.ArchiveAll(due);
    EXPECT_TRUE(before == Answers(process, matches)) << "after the next run";
    Audit(process);
  }
  const int steps = static_cast<int>(kLastArchiveStep) + 1;
  EXPECT_EQ(Count("FROM rules.archived_matches"), 4 * steps);
  EXPECT_EQ(Count("FROM rules.archive_files"), steps);
  EXPECT_THAT(directory_.Files(), SizeIs(steps)) << "and no further file";
  EXPECT_EQ(Count("FROM rules.table_actions"), 0);
}

TEST_F(PgArchiveTest, WaitsUntilAPartitionIsOldAndItsMatchesAreOverAndDelivered) {
  Process process(dsn_, directory_.path);
  ASSERT_THAT(process.MakePartitions(kStart), IsOk());
  const std::vector<RandomMatch> live = MatchesAt(kStart + kDay, 1);
  Store(process, live, /*left_out=*/1);
  const std::vector<RandomMatch> over = MatchesAt(kStart + 2 * kDay, 1);
  Store(process, over);
  EXPECT_EQ(process.ArchiveAll().matches, 0) << "ratings and matchmaking have no result";
  Deliver();
  // The second day ends at `midnight` + 3 * kDay, so the archiver must wait until kAfter after this
  // time. The partition of the third day has no tables.
  const absl::Time midnight = absl::FromUnixSeconds(absl::ToUnixSeconds(kStart) / 86'400 * 86'400);
  EXPECT_EQ(process.ArchiveAll(midnight + 3 * kDay + kAfter - absl::Seconds(1)).matches, 0);
  EXPECT_EQ(process.ArchiveAll(midnight + 3 * kDay + kAfter).matches, 1);
  EXPECT_EQ(*process.archiver.Overdue(kLater), kLater - kAfter - (midnight + 2 * kDay))
      << "the first day waits for its match";
  EXPECT_EQ(Count("FROM rules.archived_matches"), 1);
  ASSERT_THAT(process.store->Append({live[0].entries().back()})[0], IsOk());
  Deliver();
  EXPECT_EQ(process.ArchiveAll().matches, 1);
  EXPECT_EQ(Count("FROM rules.table_actions"), 0);
}

// A faulty archive: it changes the bytes that it stores.
class LyingStore : public ArchiveStore {
 public:
  absl::Status Write(const std::string&, absl::string_view bytes) override {
    bytes_ = std::string(bytes);
    bytes_[bytes_.size() / 2] ^= 1;
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Read(const std::string&, std::int64_t, std::int64_t) override {
    return bytes_;
  }

 private:
  std::string bytes_;
};

TEST_F(PgArchiveTest, DropsNothingThatTheArchiveDoesNotReturn) {
  Process process(dsn_, directory_.path);
  ASSERT_THAT(process.MakePartitions(kStart), IsOk());
  const std::vector<RandomMatch> matches = MatchesAt(kStart + kDay, 2);
  Store(process, matches);
  Deliver();
  const int rows = Count("FROM rules.table_actions");
  LyingStore lying;
  EXPECT_THAT(
      Archiver(process.upkeep_pool, *process.store, lying, kAfter).RunOnce(kFirstDue).status(),
      HasReason("ARCHIVE_DAMAGED"));
  const auto away = MakeDirectoryArchiveStore("/tmp/tarot-no-such-directory");
  EXPECT_THAT(
      Archiver(process.upkeep_pool, *process.store, *away, kAfter).RunOnce(kFirstDue).status(),
      HasReason("ARCHIVE_AWAY"));
  EXPECT_EQ(Count("FROM rules.archived_matches"), 0);
  EXPECT_EQ(Count("FROM rules.table_actions"), rows);
  EXPECT_EQ(process.ArchiveAll().matches, 2);
  // The files of the archive are gone. The errors of readers must name this fault.
  std::filesystem::remove_all(directory_.path);
  const TableId table = matches[0].config().id;
  EXPECT_THAT(process.store->Load(table).status(), HasReason("ARCHIVE_AWAY"));
  EXPECT_THAT(process.store->LoadDeals({{.table = table, .number = 1}}).status(),
              HasReason("ARCHIVE_AWAY"));
}

TEST_F(PgArchiveTest, OneReplicaArchivesAtATime) {
  Process one(dsn_, directory_.path), two(dsn_, directory_.path);
  ASSERT_THAT(one.MakePartitions(kStart), IsOk());
  Store(one, MatchesAt(kStart + kDay, 2));
  Deliver();
  one.archiver.set_on_step([&](ArchiveStep done) {
    if (done >= ArchiveStep::kCommitted) return;
    EXPECT_TRUE(two.archiver.RunOnce(kLater)->did_nothing());
    EXPECT_EQ(*two.MakePartitions(kLater), 0);
  });
  const auto run = one.archiver.RunOnce(kLater);
  ASSERT_THAT(run, IsOk());
  EXPECT_EQ(run->matches, 2);
}

TEST_F(PgArchiveTest, MakesPartitionsOfFutureDaysOnce) {
  Process process(dsn_, directory_.path);
  EXPECT_EQ(*process.MakePartitions(kStart), 3);
  EXPECT_EQ(*process.MakePartitions(kStart), 0);
  EXPECT_EQ(*process.MakePartitions(kStart + kDay), 1);
  Store(process, MatchesAt(kStart, 1));             // Today, which is before the first partition.
  Store(process, MatchesAt(kStart + kDay, 1));      // The day of the first partition.
  Store(process, MatchesAt(kStart + 9 * kDay, 1));  // A day after the last partition.
  EXPECT_GT(Count("FROM rules.table_actions_1"), 0);
  EXPECT_GT(Count("FROM rules.deals_1"), 0);
  EXPECT_GT(Count("FROM rules.deal_players_1"), 0);
  EXPECT_EQ(Count("FROM rules.tables WHERE table_id IN (SELECT table_id FROM "
                  "rules.table_actions_rest)"),
            2);
  // The job did not run for some days. These days have no partition, and their tables are in the
  // default partition.
  EXPECT_EQ(*process.MakePartitions(kStart + 20 * kDay), 3);
  EXPECT_EQ(Count("FROM pg_constraint WHERE conname LIKE '%_ck_next'"), 0);
}

// Older versions make random ids. A random id can lie in the range of a future day.
TEST_F(PgArchiveTest, MakesPartitionsAroundTablesThatExist) {
  Process process(dsn_, directory_.path);
  std::vector<RandomMatch> matches = MatchesAt(kStart + kDay, 2);
  Store(process, matches);
  EXPECT_EQ(*process.MakePartitions(kStart), 5) << "two more than days";
  const std::vector<RandomMatch> later = MatchesAt(kStart + kDay + absl::Hours(1), 2);
  Store(process, later);
  EXPECT_EQ(Count("FROM (SELECT DISTINCT table_id FROM rules.table_actions_rest) t"), 2);
  Deliver();
  for (const RandomMatch& match : later) matches.push_back(match);
  const auto before = Answers(process, matches);
  EXPECT_EQ(process.ArchiveAll().matches, 2);
  EXPECT_TRUE(before == Answers(process, matches));
}

// An interrupted run leaves a constraint. The next run must remove this constraint.
TEST_F(PgArchiveTest, MakesPartitionsAfterAnInterruptedRun) {
  Process process(dsn_, directory_.path);
  for (const char* table : kLogTables) {
    Run(absl::StrCat("ALTER TABLE rules.", table, "_rest ADD CONSTRAINT ", table,
                     "_rest_ck_next CHECK (table_id < '00000000-0000-0000-0000-000000000001')"
                     " NOT VALID"));
  }
  EXPECT_EQ(*process.MakePartitions(kStart), 3);
  EXPECT_EQ(Count("FROM pg_constraint WHERE conname LIKE '%_ck_next'"), 0);
}

// A database that the version before partitions has filled gets partitions while its tables are
// played.
TEST(PgPartitionsTest, PartitionsAFilledDatabaseUnderLoad) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<pg::Migration> before = Migrations();
  before.resize(8);
  ASSERT_THAT(pg::Migrate(dsn, "rules", before), IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  tx.exec(R"sql(
    INSERT INTO rules.tables
      (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time)
    SELECT gen_random_uuid(), 'fft', 2, 1000, 0, false, now() FROM generate_series(1, 2000);
    INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat, payload,
                                     elapsed_us, create_time)
    SELECT table_id, n, gen_random_uuid(), 0, 0, 0, '\x00', 0, now()
    FROM rules.tables, generate_series(1, 100) AS n)sql");
  prometheus::Registry registry;
  pg::Pool append_pool({.dsn = dsn, .connections = 2, .session_sql = kAppendSession},
                       AppendStatements(), registry);
  OsEntropy entropy;
  // Both versions append entries with the same statements.
  const auto store = MakePgTableStore(append_pool, append_pool,
                                      dealing::SecretBox({{"k", std::string(32, 'k')}}), entropy);
  std::vector<TableId> tables;
  for (const pqxx::row& row : tx.exec("SELECT table_id FROM rules.tables LIMIT 50")) {
    tables.push_back(*TableId::Parse(row[0].c_str()));
  }
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  absl::Duration longest;
  std::thread player([&] {
    for (int revision = 101; !stop; ++revision) {
      std::vector<NewEntry> batch;
      for (const TableId table : tables) {
        batch.push_back({.table = table,
                         .entry = {.revision = revision,
                                   .request = RequestId{entropy.NewUuid()},
                                   .seat = 0,
                                   .body = rules::Action::Bid(rules::Contract::kPass)}});
      }
      const Stopwatch watch;
      for (const auto& stored : store->Append(batch)) EXPECT_THAT(stored, IsOk());
      longest = std::max(longest, watch.Elapsed());
      ++rounds;
    }
  });
  const auto wait_for_rounds = [&](int more) {
    for (const int until = rounds + more; rounds < until;) std::this_thread::yield();
  };
  wait_for_rounds(5);
  EXPECT_THAT(pg::Migrate(dsn, "rules", Migrations()), IsOk());
  wait_for_rounds(5);
  std::vector<pg::Statement> statements = LogPartitionStatements();
  pg::Pool upkeep_pool({.dsn = dsn, .connections = 1, .session_sql = kLogUpkeepSession}, statements,
                       registry);
  EXPECT_EQ(*MakeLogPartitions(upkeep_pool, upkeep_pool, absl::Now()), 3);
  wait_for_rounds(5);
  stop = true;
  player.join();
  EXPECT_EQ(tx.exec("SELECT count(*) FROM rules.table_actions")[0][0].as<int>(),
            2'000 * 100 + 50 * rounds);
  EXPECT_EQ(tx.exec("SELECT count(*) FROM rules.table_actions_rest")[0][0].as<int>(),
            2'000 * 100 + 50 * rounds);
  RecordProperty("longest_append_ms", static_cast<int>(absl::ToInt64Milliseconds(longest)));
}

TEST(DirectoryArchiveStoreTest, ReplacesAPartOfAFileThatAKilledProcessLeft) {
  const Directory directory;
  const auto store = MakeDirectoryArchiveStore(directory.path);
  std::ofstream(directory.path + "/a.part") << "a part of a longer file";
  EXPECT_THAT(store->Read("a", 0, 1).status(), HasReason("ARCHIVE_AWAY"));
  EXPECT_THAT(store->Write("a", "0123456789"), IsOk());
  EXPECT_EQ(*store->Read("a", 3, 4), "3456");
  EXPECT_THAT(store->Read("a", 8, 3).status(), HasReason("ARCHIVE_DAMAGED"));
  EXPECT_THAT(store->Write("a", "new"), IsOk());
  EXPECT_EQ(*store->Read("a", 0, 3), "new");
  EXPECT_THAT(directory.Files(), testing::ElementsAre("a"));
}

}  // namespace
}  // namespace tarot::rules_service
