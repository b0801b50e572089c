// Tests the partitions of the logs and the archive of finished matches on Postgres.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
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

// The first partition of the tests has the tables that are made on the day after kStart. At kLater,
// the archiver may archive this partition, because kLater is long after the partition's end.
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
const absl::Time kLater = kStart + absl::Hours(24 * 30);
constexpr absl::Duration kDay = absl::Hours(24);
constexpr absl::Duration kAfter = absl::Hours(24 * 7);
// At this time the archiver may archive the first partition, but no later partition.
const absl::Time kFirstDue = kStart + 2 * kDay + kAfter;

// A temporary directory, which the destructor removes.
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

// A process of the service, with its own pools. If `old_schema` is true, the schema has no archive,
// so the process can only make tables and append to their logs.
struct Process {
  Process(const std::string& dsn, const std::string& directory, char key = 'k',
          bool old_schema = false)
      : pool({.dsn = dsn, .connections = 4}, Statements(old_schema), registry),
        append_pool({.dsn = dsn, .connections = 2, .session_sql = kAppendSession},
                    AppendStatements(), registry),
        upkeep_pool({.dsn = dsn, .connections = 2, .session_sql = kLogUpkeepSession},
                    UpkeepStatements(), registry),
        archive(MakeDirectoryArchiveStore(directory)),
        store(MakePgTableStore(pool, append_pool,
                               dealing::SecretBox({{std::string(1, key), std::string(32, key)}}),
                               entropy, archive.get())),
        partitioner(upkeep_pool, upkeep_pool, stop),
        archiver(upkeep_pool, *store, *archive, stop, kAfter) {}

  static std::vector<pg::Statement> Statements(bool old_schema) {
    std::vector<pg::Statement> all = TableStatements();
    for (const pg::Statement& statement : PlayerDataStatements()) all.push_back(statement);
    if (old_schema) {
      std::erase_if(all, [](const pg::Statement& statement) {
        return absl::StrContains(statement.sql, "archived_matches");
      });
    }
    return all;
  }
  static std::vector<pg::Statement> UpkeepStatements() {
    std::vector<pg::Statement> all = LogPartitionStatements();
    for (const pg::Statement& statement : ArchiverStatements()) all.push_back(statement);
    return all;
  }

  absl::StatusOr<int> MakePartitions(absl::Time now) { return partitioner.MakeAhead(now); }

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
  UpkeepStop stop;
  LogPartitioner partitioner;
  Archiver archiver;
};

class PgArchiveTest : public testing::Test {
 protected:
  struct Day;

  PgArchiveTest() { EXPECT_THAT(pg::Migrate(dsn_, "rules", Migrations()), IsOk()); }

  pqxx::result Run(const std::string& sql) {
    pqxx::connection connection(dsn_);
    return pqxx::nontransaction(connection).exec(sql);
  }
  int Count(const std::string& sql) { return Run("SELECT count(*) " + sql)[0][0].as<int>(); }

  // Returns random matches that begin within the hour after `time`. The matches use all rule sets
  // and all numbers of players in turn. If `random_ids` is true, every second match has a random
  // id, like the matches of older versions.
  std::vector<RandomMatch> MatchesAt(absl::Time time, int count, int deals = 2,
                                     bool random_ids = false) {
    std::vector<std::pair<std::string, int>> games;
    for (const rules::NamedRuleSet& named : rules::RuleSets()) {
      for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
        games.emplace_back(named.name, n);
      }
    }
    std::vector<RandomMatch> matches;
    for (int i = 0; i < count; ++i) {
      const auto& [rule_set, players] =
          games[static_cast<std::size_t>(next_game_++) % games.size()];
      TableConfig table{.rule_set = rule_set,
                        .deal_count = deals,
                        .ranked = i % 4 == 0,
                        .create_time = time + absl::Seconds(10 * i)};
      if (random_ids && i % 2 == 0) table.id = TableId{entropy_.NewUuid()};
      matches.emplace_back(table, players, i % players, entropy_);
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
  void ExpectNoLogs() {
    for (const char* log : {"table_actions", "deals", "deal_players"}) {
      EXPECT_EQ(Count(absl::StrCat("FROM rules.", log)), 0) << log;
    }
  }

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
      answers["table " + table.ToString()] = TableText(process, table);
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
      const std::vector<SeatConfig>& seats = matches[i].config().seats;
      const PlayerId player = seats[i % seats.size()].player;
      answers["list of player " + player.ToString()] =
          ListText(records, {.player = player, .limit = 2});
      answers["list of player at table " + player.ToString()] =
          ListText(records, {.player = player, .table = matches[i].config().id});
      answers["tables of " + player.ToString()] = TablesText(process, player);
      answers["export of " + player.ToString()] = *data->Export(player);
    }
    return answers;
  }

  static std::string TablesText(Process& process, PlayerId player) {
    const auto tables = process.store->ListTables({.player = player, .show_finished = true});
    EXPECT_THAT(tables, IsOk());
    std::string text;
    for (const TableKey& key : *tables) absl::StrAppend(&text, key.table.ToString(), " ");
    return text;
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

  // Returns what GetTable shows of a finished match: the end of the match, and the last deal of the
  // log.
  static std::string TableText(Process& process, TableId table) {
    const absl::StatusOr<StoredTable> stored = process.store->Load(table);
    if (!stored.ok()) return stored.status().ToString();
    const auto state = Replay(std::make_shared<const TableConfig>(stored->config), stored->log);
    if (!state.ok()) return state.status().ToString();
    const rules::Match& match = state->match;
    return absl::StrCat(match.Finished(), " ", match.deals_dealt, " ", match.deals_scored, " ",
                        match.deal.trick_count, " ", absl::StrJoin(match.totals, " "), " ",
                        stored->config.seats[0].display_name);
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
    const auto counts = AuditTables(*process.store, 0, 2,
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
  int next_game_ = 0;
};

// Asks about 1,000 deals before, during and after the move of their logs to the archive. The
// answers must be the same.
TEST_F(PgArchiveTest, AnswersTheSameFromTheLogAndFromTheArchive) {
  Process process(dsn_, directory_.path);
  ASSERT_EQ(*process.MakePartitions(kStart), 3);
  // Some matches are older than the first partition. The other matches are from two later days.
  std::vector<RandomMatch> matches = MatchesAt(kStart, 20, 4, /*random_ids=*/true);
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

  // This call archives the first partition and the matches before it. The deals of the other day
  // still come from the logs.
  const ArchiveRun first = process.ArchiveAll(kFirstDue);
  EXPECT_EQ(first.matches, 20 + 95);
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
  ExpectNoLogs();
  EXPECT_EQ(Count("FROM rules.log_partitions WHERE drop_time IS NULL"), 0);
  EXPECT_EQ(*process.archiver.Overdue(kLater), absl::ZeroDuration());

  EXPECT_EQ(first.deals + second.deals, audited.deals);
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

// The matches of one day, and what readers get about them. Half of the matches are in the default
// partitions.
struct PgArchiveTest::Day {
  Day(PgArchiveTest& test, const std::string& dsn, int number)
      : start(kStart + number * kDay), due(start + 2 * kDay + kAfter) {
    Process process(dsn, test.directory_.path);
    EXPECT_THAT(process.MakePartitions(start), IsOk());
    matches = test.MatchesAt(start + kDay, 4, 2, /*random_ids=*/true);
    Store(process, matches);
    pqxx::connection connection(dsn);
    pqxx::nontransaction(connection).exec0("DELETE FROM rules.outbox");
    answers = test.Answers(process, matches);
  }

  const absl::Time start;
  const absl::Time due;
  std::vector<RandomMatch> matches;
  std::map<std::string, std::string> answers;
};

// A child process runs the archiver and is killed at each point of a run. Then another run ends the
// work.
TEST_F(PgArchiveTest, LosesAndDoublesNoDealWhenItIsKilledAtAnyPoint) {
  // A run has five steps for a partition, two steps for the drop of the partition, and six steps
  // for the default partitions.
  constexpr int kPoints = 13;
  for (int point = 0; point <= kPoints; ++point) {
    SCOPED_TRACE(point);
    const Day day(*this, dsn_, point);
    const auto run = [&] {
      Process process(dsn_, directory_.path);
      int points = 0;
      process.archiver.set_on_step([&](ArchiveStep) {
        if (points++ == point) ::raise(SIGKILL);
      });
      process.ArchiveAll(day.due);
      EXPECT_EQ(points, kPoints);
    };
    if (point < kPoints) {
      EXPECT_EXIT(run(), testing::KilledBySignal(SIGKILL), "");
    } else {
      run();  // The run has no further point, so it ends normally.
    }
    Process process(dsn_, directory_.path);
    EXPECT_TRUE(day.answers == Answers(process, day.matches)) << "before the next run";
    process.ArchiveAll(day.due);
    EXPECT_TRUE(day.answers == Answers(process, day.matches)) << "after the next run";
    Audit(process);
  }
  EXPECT_EQ(Count("FROM rules.archived_matches"), 4 * (kPoints + 1));
  EXPECT_EQ(Count("FROM rules.archive_files"), 2 * (kPoints + 1));
  EXPECT_THAT(directory_.Files(), SizeIs(2 * (kPoints + 1))) << "and no further file";
  ExpectNoLogs();
}

// Kills the process at random moments, for example while a file is written or while a statement
// runs.
TEST_F(PgArchiveTest, LosesAndDoublesNoDealWhenItIsKilledAtRandomMoments) {
  Rng rng(3);
  for (int number = 0; number < 12; ++number) {
    SCOPED_TRACE(number);
    const Day day(*this, dsn_, number);
    const absl::Duration delay = absl::Microseconds(rng.Below(120'000));
    EXPECT_EXIT(
        {
          std::thread([delay] {
            absl::SleepFor(delay);
            ::raise(SIGKILL);
          }).detach();
          Process process(dsn_, directory_.path);
          (void)process.MakePartitions(day.start + kDay);
          process.ArchiveAll(day.due);
          ::pause();
        },
        testing::KilledBySignal(SIGKILL), "");
    Process process(dsn_, directory_.path);
    EXPECT_TRUE(day.answers == Answers(process, day.matches)) << "before the next run";
    // Postgres may need a moment to notice that the connection of the killed process is gone.
    while (process.archiver.RunOnce(day.due)->busy) absl::SleepFor(absl::Milliseconds(5));
    process.ArchiveAll(day.due);
    EXPECT_TRUE(day.answers == Answers(process, day.matches)) << "after the next run";
    Audit(process);
  }
  EXPECT_EQ(Count("FROM rules.archived_matches"), 4 * 12);
  ExpectNoLogs();
}

// Kills and restarts Postgres itself at each point of a run.
TEST_F(PgArchiveTest, LosesAndDoublesNoDealWhenPostgresIsKilledAtAnyPoint) {
  testkit::PgCluster postgres({.fsync = true});  // Without fsync, a kill would lose commits.
  const std::string dsn = postgres.NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "rules", Migrations()), IsOk());
  const Day day(*this, dsn, 0);
  std::set<int> killed;
  for (bool done = false; !done && killed.size() < 40;) {
    // Uses a new process each time, because connections to a killed Postgres may end late.
    Process archiving(dsn, directory_.path);
    int points = 0;
    archiving.archiver.set_on_step([&](ArchiveStep) {
      if (!killed.insert(points++).second) return;
      postgres.Kill();
      postgres.Start();
    });
    for (;;) {
      const absl::StatusOr<ArchiveRun> run = archiving.archiver.RunOnce(day.due);
      done = run.ok() && run->did_nothing() && !run->busy;
      if (done || !run.ok()) break;
    }
    Process reading(dsn, directory_.path);
    const auto now = Answers(reading, day.matches);
    for (const auto& [question, answer] : day.answers) {
      EXPECT_TRUE(answer == now.at(question)) << killed.size() << " kills: " << question;
    }
  }
  Process process(dsn, directory_.path);
  Audit(process);
  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  EXPECT_EQ(tx.exec1("SELECT count(*) FROM rules.archived_matches")[0].as<int>(), 4);
  EXPECT_EQ(tx.exec1("SELECT count(*) FROM rules.table_actions")[0].as<int>(), 0);
  EXPECT_GE(killed.size(), 6u);
}

// Readers ask without a pause while two processes archive.
TEST_F(PgArchiveTest, AnswersTheSameAtEachMomentWhileTwoReplicasArchive) {
  Process one(dsn_, directory_.path), two(dsn_, directory_.path), reader(dsn_, directory_.path);
  ASSERT_THAT(one.MakePartitions(kStart), IsOk());
  std::vector<RandomMatch> matches;
  for (const int day : {1, 2, 3}) {
    for (RandomMatch& match : MatchesAt(kStart + day * kDay, 12, 2, /*random_ids=*/true)) {
      matches.push_back(std::move(match));
    }
  }
  Store(one, matches);
  Deliver();
  const auto before = Answers(reader, matches);
  // The readers need some time at each point of a run.
  for (Process* process : {&one, &two}) {
    process->archiver.set_on_step([](ArchiveStep) { absl::SleepFor(absl::Milliseconds(150)); });
  }
  std::atomic<int> running = 2, archived = 0;
  const auto archive = [&](Process& process) {
    for (;;) {
      const auto run = process.archiver.RunOnce(kLater);
      // Another transaction may hold a lock too long, because the readers never pause. Then the
      // next run continues.
      if (run.status().code() == absl::StatusCode::kAborted) continue;
      EXPECT_THAT(run, IsOk());
      if (!run.ok() || (run->did_nothing() && !run->busy)) break;
      archived += run->matches;
    }
    --running;
  };
  std::thread first([&] { archive(one); }), second([&] { archive(two); });
  int rounds = 0;
  for (; running > 0; ++rounds) {
    const auto now = Answers(reader, matches);
    for (const auto& [question, answer] : before) {
      EXPECT_TRUE(answer == now.at(question)) << "round " << rounds << ": " << question;
    }
  }
  first.join();
  second.join();
  EXPECT_TRUE(before == Answers(reader, matches));
  EXPECT_EQ(archived, 36);
  EXPECT_EQ(Count("FROM rules.archived_matches"), 36);
  ExpectNoLogs();
  RecordProperty("rounds_of_the_reader", rounds);
}

TEST_F(PgArchiveTest, DeletesTheNameOfAPlayerInTheArchive) {
  Process process(dsn_, directory_.path);
  ASSERT_THAT(process.MakePartitions(kStart), IsOk());
  const std::vector<RandomMatch> matches = MatchesAt(kStart + kDay, 2, 2, /*random_ids=*/true);
  Store(process, matches);
  Deliver();
  EXPECT_EQ(process.ArchiveAll().matches, 2);
  const auto data = MakePgPlayerDataStore(process.pool);
  for (const RandomMatch& match : matches) {
    const PlayerId player = match.config().seats[0].player;
    const auto deleted = data->Delete(player);
    ASSERT_THAT(deleted, IsOk());
    EXPECT_EQ(deleted->seats, 1);
    const auto record = RecordService(*process.store).Get(match.config().id, 1);
    ASSERT_THAT(record, IsOk());
    EXPECT_EQ(record->config.seats[0].display_name, kDeletedName);
    EXPECT_EQ(record->config.seats[1].display_name, "P");
  }
}

// A match with a wrong log stays in Postgres. The other matches go to the archive.
TEST_F(PgArchiveTest, ArchivesTheOtherMatchesIfOneCannotBeArchived) {
  Process process(dsn_, directory_.path);
  ASSERT_THAT(process.MakePartitions(kStart), IsOk());
  const std::vector<RandomMatch> matches = MatchesAt(kStart + kDay, 6, 2, /*random_ids=*/true);
  Store(process, matches);
  Deliver();
  for (const std::size_t wrong : {0, 1}) {  // Match 0 is in the default partitions, match 1 in the
                                            // partition of its day.
    Run(absl::StrCat("UPDATE rules.tables SET totals[1] = totals[1] + 1 WHERE table_id = '",
                     matches[wrong].config().id.ToString(), "'"));
  }
  int archived = 0, failed = 0;
  for (int i = 0; i < 8; ++i) {
    const auto run = process.archiver.RunOnce(kLater);
    archived += run.ok() ? run->matches : 0;
    failed += run.ok() ? 0 : 1;
  }
  EXPECT_EQ(archived, 4);
  EXPECT_GE(failed, 2);
  EXPECT_GT(*process.archiver.Overdue(kLater), absl::ZeroDuration());
  // An operator repairs the stored totals, and the archiver tries again.
  for (const std::size_t wrong : {0, 1}) {
    Run(absl::StrCat("UPDATE rules.tables SET totals[1] = totals[1] - 1 WHERE table_id = '",
                     matches[wrong].config().id.ToString(), "'"));
  }
  EXPECT_EQ(process.ArchiveAll(kLater + kUnarchivableRetry + absl::Seconds(1)).matches, 2);
  ExpectNoLogs();
}

TEST_F(PgArchiveTest, StopsInTheMiddleOfAStatement) {
  Process process(dsn_, directory_.path);
  EXPECT_TRUE(process.archiver.RunOnce(kLater)->did_nothing());
  const auto wait_for_ever = [](pqxx::connection& connection) {
    pqxx::nontransaction(connection).exec0("SET lock_timeout = 0");
    return absl::OkStatus();
  };
  ASSERT_THAT(process.upkeep_pool.With(LogPartitionStatements()[0], wait_for_ever), IsOk());
  pqxx::connection connection(dsn_);
  pqxx::work lock(connection);
  lock.exec0("LOCK TABLE rules.log_partitions IN ACCESS EXCLUSIVE MODE");
  std::thread stopper([&] {
    absl::SleepFor(absl::Milliseconds(300));
    process.stop.Stop();
  });
  const Stopwatch watch;
  EXPECT_THAT(process.archiver.RunOnce(kLater).status(), HasReason("STORAGE_AWAY"));
  EXPECT_LT(watch.Elapsed(), absl::Seconds(2));
  stopper.join();
  lock.abort();
  EXPECT_THAT(process.MakePartitions(kStart).status(), HasReason("STORAGE_AWAY"));
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

// A faulty archive, which changes the bytes that it stores.
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
  EXPECT_THAT(Archiver(process.upkeep_pool, *process.store, lying, process.stop, kAfter)
                  .RunOnce(kFirstDue)
                  .status(),
              HasReason("ARCHIVE_DAMAGED"));
  const auto away = MakeDirectoryArchiveStore("/tmp/tarot-no-such-directory");
  EXPECT_THAT(Archiver(process.upkeep_pool, *process.store, *away, process.stop, kAfter)
                  .RunOnce(kFirstDue)
                  .status(),
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
    EXPECT_TRUE(two.archiver.RunOnce(kLater)->busy);
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
  Store(process, MatchesAt(kStart, 1));             // The time of this match is before the first
                                                    // partition.
  Store(process, MatchesAt(kStart + kDay, 1));      // The time of this match is in the first
                                                    // partition.
  Store(process, MatchesAt(kStart + 9 * kDay, 1));  // The time of this match is after the last
                                                    // partition.
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
  EXPECT_EQ(process.ArchiveAll().matches, 4);
  EXPECT_TRUE(before == Answers(process, matches));
}

// A process that is killed while it makes a partition may leave constraints. The next run must
// remove them.
TEST_F(PgArchiveTest, MakesPartitionsAfterAProcessWasKilledAtAnyStep) {
  for (int step = 0; step <= static_cast<int>(kLastPartitionStep); ++step) {
    SCOPED_TRACE(step);
    const absl::Time now = kStart + step * 10 * kDay;
    EXPECT_EXIT(
        {
          Process process(dsn_, directory_.path);
          process.partitioner.set_on_step([&](PartitionStep done) {
            if (static_cast<int>(done) == step) ::raise(SIGKILL);
          });
          (void)process.MakePartitions(now);
        },
        testing::KilledBySignal(SIGKILL), "");
    const int before = Count("FROM rules.log_partitions");
    Process process(dsn_, directory_.path);
    Store(process, MatchesAt(now, 1));  // Play goes on.
    EXPECT_EQ(*process.MakePartitions(now) + before, 3 * (step + 1));
    EXPECT_EQ(Count("FROM pg_constraint WHERE conname LIKE '%_ck_next'"), 0);
    EXPECT_EQ(Count("FROM pg_inherits WHERE inhparent = 'rules.deals'::regclass"),
              3 * (step + 1) + 1);
  }
}

// Migrates a large database of the previous version while matches are played. Then all its finished
// matches go to the archive, while further matches are played.
TEST_F(PgArchiveTest, MigratesAndArchivesAFilledDatabaseUnderLoad) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<pg::Migration> old_migrations = Migrations();
  old_migrations.resize(8);
  ASSERT_THAT(pg::Migrate(dsn, "rules", old_migrations), IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  const auto count = [&](const std::string& from) {
    return tx.exec1("SELECT count(*) FROM " + from)[0].as<int>();
  };
  // Adds many entries of tables in play, so that the logs are large.
  tx.exec0(R"sql(
    INSERT INTO rules.tables
      (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time)
    SELECT gen_random_uuid(), 'fft', 2, 1000, 0, false, now() FROM generate_series(1, 2000);
    INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat, payload,
                                     elapsed_us, create_time)
    SELECT table_id, n, gen_random_uuid(), 0, 0, 0, '\x00', 0, now()
    FROM rules.tables, generate_series(1, 100) AS n)sql");
  Process old(dsn, directory_.path, 'k', /*old_schema=*/true);
  std::vector<RandomMatch> matches = MatchesAt(kStart - 100 * kDay, 100, 3, /*random_ids=*/true);
  Store(old, matches);
  // A thread plays matches with the previous version of the service, 20 matches at a time. Until
  // this thread ends, no other thread uses `plan`.
  std::vector<std::vector<RandomMatch>> plan;
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::size_t played = 0;
  absl::Duration longest;
  std::thread player([&] {
    for (; !stop; ++played) {
      plan.push_back(MatchesAt(kStart, 20, 1, /*random_ids=*/true));
      std::vector<TableConfig> configs;
      std::size_t length = 0;
      for (const RandomMatch& match : plan[played]) {
        configs.push_back(match.config());
        length = std::max(length, match.entries().size());
      }
      for (const auto& made : old.store->CreateMany(configs)) EXPECT_THAT(made, IsOk());
      for (std::size_t i = 0; i < length; ++i) {
        std::vector<NewEntry> batch;
        for (const RandomMatch& match : plan[played]) {
          if (i < match.entries().size()) batch.push_back(match.entries()[i]);
        }
        const Stopwatch watch;
        for (const auto& stored : old.store->Append(batch)) EXPECT_THAT(stored, IsOk());
        longest = std::max(longest, watch.Elapsed());
        ++rounds;
      }
    }
  });
  const auto wait_for_rounds = [&](int more) {
    for (const int until = rounds + more; rounds < until;) absl::SleepFor(absl::Milliseconds(1));
  };
  wait_for_rounds(30);
  EXPECT_THAT(pg::Migrate(dsn, "rules", Migrations()), IsOk());
  wait_for_rounds(30);
  Process process(dsn, directory_.path);
  EXPECT_EQ(*process.MakePartitions(kStart), 3);
  wait_for_rounds(30);
  tx.exec0("DELETE FROM rules.outbox");
  // Leaves out the list of all deals, because it grows during the test.
  const auto answers = [&] {
    auto all = Answers(process, matches);
    all.erase("list");
    return all;
  };
  const auto before = answers();
  const ArchiveRun run = process.ArchiveAll(kStart - 80 * kDay);
  EXPECT_EQ(run.matches, 100);
  EXPECT_FALSE(run.dropped);
  EXPECT_TRUE(before == answers());
  wait_for_rounds(30);
  stop = true;
  player.join();
  // The logs have all entries of the other matches, and no entry of the 100 archived matches.
  std::size_t entries = 2'000 * 100;
  for (std::size_t i = 0; i < played; ++i) {
    for (RandomMatch& match : plan[i]) {
      entries += match.entries().size();
      const auto loaded = process.store->Load(match.config().id);
      ASSERT_THAT(loaded, IsOk());
      EXPECT_EQ(loaded->log, match.stored().log);
      matches.push_back(std::move(match));
    }
  }
  EXPECT_EQ(count("rules.table_actions"), static_cast<int>(entries));
  EXPECT_EQ(count("rules.table_actions_rest"), static_cast<int>(entries));
  tx.exec0("DELETE FROM rules.outbox");
  EXPECT_EQ(process.ArchiveAll().matches, static_cast<int>(20 * played));
  EXPECT_EQ(count("rules.table_actions"), 2'000 * 100);
  EXPECT_EQ(count("rules.deals"), 0);
  EXPECT_EQ(count("rules.deal_players"), 0);
  for (const RandomMatch& match : matches) {
    const auto loaded = process.store->Load(match.config().id);
    ASSERT_THAT(loaded, IsOk());
    EXPECT_THAT(ProveArchived(match.stored(), *loaded), IsOk());
  }
  // The three locks of a partition delay play by at most 0.3 s each.
  EXPECT_LT(longest, absl::Seconds(3)) << "on a busy machine";
  RecordProperty("longest_append_ms", static_cast<int>(absl::ToInt64Milliseconds(longest)));
}

// A reader holds a lock and never ends. While the migration waits for this lock, play must not
// stop.
TEST_F(PgArchiveTest, TheMigrationGivesUpALockThatItDoesNotGet) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<pg::Migration> old_migrations = Migrations();
  old_migrations.resize(8);
  ASSERT_THAT(pg::Migrate(dsn, "rules", old_migrations), IsOk());
  pqxx::connection reader(dsn);
  std::optional<pqxx::work> reading(std::in_place, reader);
  reading->exec0("LOCK TABLE rules.deals IN ACCESS SHARE MODE");
  Process old(dsn, directory_.path, 'k', /*old_schema=*/true);
  const std::vector<RandomMatch> matches = MatchesAt(kStart, 2, 2);
  absl::Status migrated;
  std::thread job([&] { migrated = pg::Migrate(dsn, "rules", Migrations()); });
  absl::SleepFor(absl::Milliseconds(100));
  const Stopwatch watch;
  Store(old, matches);
  absl::SleepFor(absl::Seconds(3) - watch.Elapsed());
  EXPECT_EQ(pqxx::nontransaction(*std::make_unique<pqxx::connection>(dsn))
                .exec1("SELECT max(version) FROM rules.migrations")[0]
                .as<int>(),
            8);
  reading.reset();
  job.join();
  EXPECT_THAT(migrated, IsOk());
  Process process(dsn, directory_.path);
  for (const RandomMatch& match : matches) {
    EXPECT_EQ(process.store->Load(match.config().id)->log, match.stored().log);
  }
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
