// Tests on real processes that players read an archived match as they read it before: the table,
// its stream, the score sheet, the records and the analysis. Then damages the archive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/storage/archiver.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/pg_table_store.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/player_thread.h"

namespace tarot::e2e {
namespace {

using testkit::HasReason;
using testkit::IsOk;

constexpr int kDeals = 2;

struct Directory {
  Directory() { path = ::mkdtemp(name); }
  ~Directory() { std::filesystem::remove_all(path); }
  char name[32] = "/tmp/tarot-archive-XXXXXX";
  std::string path;
};

// The messages of a WatchTable stream, and its end.
struct Watched {
  int messages = 0;
  rules::v1::Table last;
  absl::Status end;
};

// Waits for the end of a stream. `open` gets the function that the stream calls at its end.
template <typename Open>
absl::Status EndOf(Open open) {
  absl::Status end = absl::UnknownError("the stream has not ended");
  std::atomic<bool> over = false;
  const std::unique_ptr<client::Watch> watch = open([&](const absl::Status& status) {
    end = status;
    over = true;
  });
  EXPECT_TRUE(Eventually(absl::Minutes(2), [&] { return over.load(); }));
  return over ? end : absl::UnknownError("the stream has not ended");
}

class ArchiveTest : public testing::Test {
 protected:
  Watched Watch(client::Client& client, std::optional<int> after_revision = std::nullopt) {
    Watched watched;
    watched.end = EndOf([&](auto on_end) {
      return client.WatchTable(
          table_, after_revision,
          [&watched](const rules::v1::Table& table) {
            ++watched.messages;
            watched.last = table;
          },
          on_end);
    });
    return watched;
  }

  // Returns all parts of the analysis as a text, or the error.
  absl::StatusOr<std::string> Analyze(client::Client& client, int deal) {
    bot::v1::AnalyzeDealRequest request;
    request.set_name(absl::StrCat(table_, "/deals/", deal));
    request.set_node_budget(20);
    request.set_open_node_budget(20);
    std::string parts;
    const absl::Status end = EndOf([&](auto on_end) {
      return client.AnalyzeDeal(
          request,
          [&parts](const bot::v1::AnalyzeDealResponse& part) {
            absl::StrAppend(&parts, part.ShortDebugString(), "\n");
          },
          on_end);
    });
    if (!end.ok()) return end;
    return parts;
  }

  absl::StatusOr<rules::v1::Table> Get(client::Client& client) {
    rules::v1::GetTableRequest request;
    request.set_name(table_);
    const auto response = client.Call(&client::Tables::GetTable, request);
    if (!response.ok()) return response.status();
    return response->table();
  }

  // Returns a text without the parts of a table that the archive does not keep.
  static std::string Text(rules::v1::Table table) {
    table.clear_revision();
    table.clear_phrases();
    return table.ShortDebugString();
  }

  // Returns the answers to the calls that read the match, as texts.
  std::map<std::string, std::string> Answers(client::Client& client) {
    std::map<std::string, std::string> answers;
    const auto table = Get(client);
    EXPECT_THAT(table, IsOk());
    if (table.ok()) answers["table"] = Text(*table);
    const Watched watched = Watch(client);
    EXPECT_THAT(watched.end, IsOk());
    EXPECT_EQ(watched.messages, 1);
    answers["stream"] = Text(watched.last);
    EXPECT_EQ(answers["stream"], answers["table"]);
    rules::v1::GetScoreSheetRequest sheet;
    sheet.set_name(table_);
    const auto scores = client.Call(&client::Records::GetScoreSheet, sheet);
    EXPECT_THAT(scores, IsOk());
    if (scores.ok()) answers["sheet"] = scores->ShortDebugString();
    rules::v1::ListRecordsRequest list;
    list.set_table(table_);
    const auto records = client.Call(&client::Records::ListRecords, list);
    EXPECT_THAT(records, IsOk());
    if (records.ok()) answers["records"] = records->ShortDebugString();
    for (int deal = 1; deal <= kDeals; ++deal) {
      rules::v1::GetRecordRequest get;
      get.set_name(absl::StrCat(table_, "/deals/", deal));
      const auto record = client.Call(&client::Records::GetRecord, get);
      EXPECT_THAT(record, IsOk());
      if (record.ok()) answers[absl::StrCat("record ", deal)] = record->ShortDebugString();
      const auto analysis = Analyze(client, deal);
      EXPECT_THAT(analysis, IsOk());
      if (analysis.ok()) answers[absl::StrCat("analysis ", deal)] = *analysis;
    }
    return answers;
  }

  // Moves the match to the archive, as a replica of rules does a month later.
  void Archive() {
    OsEntropy entropy;
    RealClock clock;
    prometheus::Registry registry;
    pg::Pool pool({.dsn = cluster_.dsn(), .connections = 2}, rules_service::TableStatements(),
                  registry);
    pg::Pool append_pool(
        {.dsn = cluster_.dsn(), .connections = 1, .session_sql = rules_service::kAppendSession},
        rules_service::AppendStatements(), registry);
    std::vector<pg::Statement> upkeep = rules_service::LogPartitionStatements();
    for (const pg::Statement& each : rules_service::ArchiverStatements()) upkeep.push_back(each);
    pg::Pool upkeep_pool(
        {.dsn = cluster_.dsn(), .connections = 2, .session_sql = rules_service::kLogUpkeepSession},
        upkeep, registry);
    const auto archive = rules_service::MakeDirectoryArchiveStore(directory_.path);
    const auto store = rules_service::MakePgTableStore(
        pool, append_pool, dealing::SecretBox({{"k", std::string(32, 'k')}}), entropy,
        archive.get());
    rules_service::UpkeepStop stop;
    rules_service::Archiver archiver(upkeep_pool, *store, *archive, stop, absl::Hours(24));
    // The archiver waits until ratings and matchmaking have confirmed the match.
    int matches = 0;
    EXPECT_TRUE(Eventually(absl::Minutes(1), [&] {
      const auto run = archiver.RunOnce(clock.Now() + absl::Hours(24 * 30));
      if (run.ok()) matches += run->matches;
      return matches > 0;
    }));
    EXPECT_EQ(matches, 1);
    for (const char* log : {"table_actions", "deals", "deal_players"}) {
      EXPECT_EQ(Count(cluster_.dsn(), absl::StrCat("SELECT count(*) FROM rules.", log)), 0) << log;
    }
  }

  // Starts rules anew, so that it has no table in memory.
  void RestartRules() {
    cluster_.Kill("rules", SIGKILL);
    cluster_.Start("rules");
  }

  void PlayMatch() {
    ada_.Play("queues/casual4");
    ASSERT_TRUE(Eventually(absl::Minutes(2), [&] { return !ada_.table().empty(); }));
    table_ = ada_.table();
    // The archive keeps no phrases. If the match is over before, the test needs no phrase.
    rules::v1::SayPhraseRequest phrase;
    phrase.set_name(table_);
    phrase.set_phrase(rules::v1::SaidPhrase::HELLO);
    phrase.set_request_id(ada_.client().NewRequestId());
    said_ = ada_.client().Call(&client::Tables::SayPhrase, phrase).ok();
    ASSERT_TRUE(Eventually(absl::Minutes(2), [&] { return ada_.finished(); }));
    ada_.Join();
    ASSERT_EQ(ada_.error(), "");
  }

  const Directory directory_;
  Cluster cluster_{{.population = 0,
                    .deal_count = kDeals,
                    .rules_flags = {"--bot_delay=1ms", "--bots_only_delay=1ms", "--deal_pause=1ms",
                                    absl::StrCat("--archive_dir=", directory_.path)},
                    .fsync = false}};
  PlayerThread ada_{cluster_.SignIn("Ada"), "Ada"};
  const std::unique_ptr<client::Client> spectator_ = cluster_.SignIn("Cleo");
  std::string table_;
  bool said_ = false;
};

TEST_F(ArchiveTest, PlayersReadAnArchivedMatchAsBefore) {
  PlayMatch();
  const std::map<std::string, std::string> before = Answers(ada_.client());
  const std::map<std::string, std::string> spectator = Answers(*spectator_);
  const int revision = Get(ada_.client())->revision();
  Archive();
  RestartRules();
  for (const auto& [question, answer] : Answers(ada_.client())) {
    EXPECT_EQ(answer, before.at(question)) << question;
  }
  for (const auto& [question, answer] : Answers(*spectator_)) {
    EXPECT_EQ(answer, spectator.at(question)) << question;
  }
  // The archive has no entry for the phrase. So a client that has seen the whole log gets no older
  // view, only the end of the match.
  EXPECT_EQ(Get(ada_.client())->revision(), revision - (said_ ? 1 : 0));
  const Watched again = Watch(ada_.client(), revision);
  EXPECT_EQ(again.messages, 0);
  EXPECT_THAT(again.end, IsOk());

  // The file is damaged.
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path)) {
    ++files;
    std::string bytes(std::filesystem::file_size(entry), '\x5a');
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << bytes;
  }
  EXPECT_EQ(files, 1);
  RestartRules();
  EXPECT_THAT(Get(ada_.client()), HasReason("ARCHIVE_DAMAGED"));
  EXPECT_THAT(Watch(ada_.client()).end, HasReason("ARCHIVE_DAMAGED"));
  EXPECT_THAT(Analyze(ada_.client(), 1), HasReason("ARCHIVE_DAMAGED"));

  // The directory is away.
  std::filesystem::rename(directory_.path, directory_.path + ".away");
  EXPECT_THAT(Get(ada_.client()), HasReason("ARCHIVE_AWAY"));
  EXPECT_THAT(Analyze(ada_.client(), 1), HasReason("ARCHIVE_AWAY"));
  std::filesystem::rename(directory_.path + ".away", directory_.path);
}

}  // namespace
}  // namespace tarot::e2e
