// Tests two properties of the secrets on Postgres. The database alone shows no card of a running
// deal. If a key is lost, no scored deal and no finished match is lost.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "libs/pg/migrate.h"
#include "libs/rules/codec.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/record_service.h"
#include "services/rules/storage/pg_table_store.h"
#include "services/rules/storage/sql_values.h"
#include "services/rules/testing/played_match.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

SecretKey Key(const std::string& id, char byte = 'k') { return {id, std::string(32, byte)}; }

std::string Hex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

std::string Hex(const dealing::DealSeed& seed) {
  return Hex(std::string(seed.begin(), seed.end()));
}

class PgSecretsTest : public testing::Test {
 protected:
  // A process that has its own encryption keys.
  struct Process {
    Process(const std::string& dsn, const std::vector<SecretKey>& keys)
        : pool({.dsn = dsn, .connections = 2}, TableStatements(), registry),
          append_pool({.dsn = dsn, .connections = 2, .session_sql = kAppendSession},
                      AppendStatements(), registry),
          store(MakePgTableStore(pool, append_pool, dealing::SecretBox(keys), entropy)) {}
    OsEntropy entropy;
    prometheus::Registry registry;
    pg::Pool pool;
    pg::Pool append_pool;
    std::unique_ptr<TableStore> store;
  };

  PgSecretsTest() { EXPECT_THAT(pg::Migrate(dsn_, "rules", Migrations()), IsOk()); }

  pqxx::result Run(const std::string& sql) {
    pqxx::connection connection(dsn_);
    return pqxx::nontransaction(connection).exec(sql);
  }

  // Returns all rows of the schema as text. Bytes are in hexadecimal form.
  std::string Dump() {
    std::string text;
    for (const char* table :
         {"tables", "table_seats", "table_actions", "deals", "deal_players", "outbox", "nodes"}) {
      for (const pqxx::row& row : Run(absl::StrCat("SELECT t::text FROM rules.", table, " t"))) {
        absl::StrAppend(&text, row[0].c_str(), "\n");
      }
    }
    return text;
  }

  PlayedMatch Created(Process& process, const std::string& rule_set = "fft", int players = 4) {
    PlayedMatch match(rule_set, players, 2, entropy_);
    EXPECT_THAT(process.store->Create(match.config()), IsOk());
    return match;
  }

  static void Store(Process& process, const NewEntry& entry) {
    EXPECT_THAT(process.store->Append({entry})[0], IsOk());
  }

  // Plays until `done` returns true for the state.
  template <typename Done>
  void Play(Process& process, PlayedMatch& match, const Done& done) {
    while (!done(match.state())) Store(process, match.Next());
  }

  // Plays to the first revision of deal `number`.
  void PlayToDeal(Process& process, PlayedMatch& match, int number) {
    Play(process, match,
         [number](const TableState& state) { return state.match.deals_dealt == number; });
  }

  void PlayToEnd(Process& process, PlayedMatch& match) {
    Play(process, match, [](const TableState& state) { return state.match.Finished(); });
  }

  static void ExpectReplays(Process& process, const PlayedMatch& match) {
    const auto stored = process.store->Load(match.config().id);
    ASSERT_THAT(stored, IsOk());
    const auto replayed = Replay(std::make_shared<const TableConfig>(stored->config), stored->log);
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->revision, match.state().revision);
    EXPECT_EQ(replayed->match.totals, match.state().match.totals);
    EXPECT_EQ(replayed->start->provenance.seed, match.state().start->provenance.seed);
  }

  static void ExpectUnreadable(Process& process, TableId table) {
    EXPECT_THAT(process.store->Load(table).status(), HasReason("SECRET_UNREADABLE"));
    const auto many = process.store->LoadMany({table});
    ASSERT_THAT(many, IsOk());
    EXPECT_TRUE(many->empty());
  }

  const std::string dsn_ = testkit::PgCluster::Shared().NewDatabase();
  SeededEntropy entropy_{14};
};

TEST_F(PgSecretsTest, NoRowShowsASecretOfARunningDeal) {
  Process process(dsn_, {Key("one")});
  int discards = 0, reveals = 0;
  int unscored = 0;
  for (const auto& [rule_set, players] : {std::pair("fft", 4), std::pair("fft", 5),
                                          std::pair("pagat", 3), std::pair("booklet_customs", 4)}) {
    PlayedMatch match = Created(process, rule_set, players);
    std::set<std::string> revealed, secret;
    EXPECT_FALSE(absl::StrContains(Dump(), Hex(*match.config().first_seed)));
    while (!match.state().match.Finished()) {
      const NewEntry entry = match.Next();
      Store(process, entry);
      const TableState& state = match.state();
      if (!state.match.DealRunning()) {
        const bool scored = state.match.deal.result.outcome == rules::Outcome::kScored;
        (scored ? revealed : secret).insert(Hex(state.start->provenance.seed));
      }
      if (state.match.Finished()) revealed.merge(secret);
      const auto* action = std::get_if<rules::Action>(&entry.entry.body);
      const bool discard = action != nullptr && action->kind == rules::Action::Kind::kDiscard;
      const bool look = discard || action == nullptr || !state.match.DealRunning();
      if (!look) continue;
      const std::string dump = Dump();
      EXPECT_FALSE(absl::StrContains(dump, Hex(state.next->seed)));
      if (state.match.DealRunning()) {
        EXPECT_FALSE(absl::StrContains(dump, Hex(state.start->provenance.seed)));
      }
      if (discard) {
        ++discards;
        EXPECT_FALSE(absl::StrContains(dump, Hex(rules::EncodeAction(*action)).substr(4)));
      }
      for (const std::string& seed : revealed) {
        ++reveals;
        EXPECT_TRUE(absl::StrContains(dump, seed)) << "A scored deal has no secrets.";
      }
      for (const std::string& seed : secret) {
        ++unscored;
        EXPECT_FALSE(absl::StrContains(dump, seed)) << "These hands are secret until the end.";
      }
    }
    ExpectReplays(process, match);
  }
  EXPECT_GT(discards, 0);
  EXPECT_GT(reveals, 0);
  EXPECT_GT(unscored, 0);
}

TEST_F(PgSecretsTest, AnOldKeyStaysUntilItsMatchesAreOver) {
  Process before(dsn_, {Key("old")});
  PlayedMatch match = Created(before);
  PlayToDeal(before, match, 1);
  Process rotated(dsn_, {Key("new", 'n'), Key("old")});
  ExpectReplays(rotated, match);
  Process after(dsn_, {Key("new", 'n')});
  ExpectUnreadable(after, match.config().id);
  PlayToDeal(rotated, match, 2);
  ExpectReplays(rotated, match);
  ExpectUnreadable(after, match.config().id);  // The seed of deal 2 is encrypted with the old key.
  PlayToEnd(rotated, match);
  ExpectReplays(after, match);
}

TEST_F(PgSecretsTest, ALostKeyLosesNoFinishedDeal) {
  Process process(dsn_, {Key("one")});
  PlayedMatch finished = Created(process);
  PlayToEnd(process, finished);
  PlayedMatch running = Created(process);
  PlayToDeal(process, running, 2);
  const auto deals = [&](Process& reader) {
    return *reader.store->LoadDeals({{.table = finished.config().id, .number = 1},
                                     {.table = running.config().id, .number = 1}});
  };
  const std::vector<StoredDeal> with_key = deals(process);
  ASSERT_EQ(with_key.size(), 2u);
  // The process `lost` does not have the key with the id "one". The process `wrong` has another key
  // under this id.
  Process lost(dsn_, {Key("two")});
  Process wrong(dsn_, {Key("one", 'w')});
  for (Process* other : {&lost, &wrong}) {
    ExpectReplays(*other, finished);
    EXPECT_EQ(other->store->LoadMany({finished.config().id})->size(), 1u);
    const std::vector<StoredDeal> without = deals(*other);
    ASSERT_EQ(without.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& a = std::get<DealStarted>(with_key[i].log[0].body).start;
      const auto& b = std::get<DealStarted>(without[i].log[0].body).start;
      EXPECT_EQ(a->provenance, b->provenance);
      for (std::size_t e = 1; e < with_key[i].log.size(); ++e) {
        EXPECT_EQ(with_key[i].log[e], without[i].log[e]);
      }
    }
    ExpectUnreadable(*other, running.config().id);
    EXPECT_EQ(other->store->LoadSummaries({running.config().id})->size(), 1u) << "lists work";
  }
}

// A deal without a score stays encrypted until its match is over. If its key is lost, lists must
// still show the other records.
TEST_F(PgSecretsTest, ALostKeyHidesNoOtherRecord) {
  Process process(dsn_, {Key("one")});
  // Plays matches until a match has a scored deal, and after it a deal without a score.
  const auto has_both = [](const rules::Match& match) {
    return !match.Finished() && !match.DealRunning() && match.deals_scored > 0 &&
           match.deal.result.outcome != rules::Outcome::kScored;
  };
  std::optional<PlayedMatch> match;
  while (!match || !has_both(match->state().match)) {
    if (!match || match->state().match.Finished()) {
      match.emplace(Created(process, "booklet_customs"));
    }
    Store(process, match->Next());
  }
  const TableId table = match->config().id;
  const int closed = match->state().match.deals_dealt;
  Process lost(dsn_, {Key("two")});
  RecordService with_key(*process.store), without_key(*lost.store);
  const auto before = with_key.List({.table = table});
  const auto after = without_key.List({.table = table});
  ASSERT_THAT(before, IsOk());
  ASSERT_THAT(after, IsOk());
  EXPECT_GT(before->records.size(), 0u);
  EXPECT_EQ(after->records.size(), before->records.size());
  const auto all = lost.store->ListDeals({.table = table});
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(lost.store->LoadDeals(*all)->size(), all->size());
  EXPECT_THAT(with_key.Get(table, closed).status(), HasReason("RECORD_CLOSED"));
  EXPECT_THAT(without_key.Get(table, closed).status(), HasReason("SECRET_UNREADABLE"));
}

TEST_F(PgSecretsTest, RefusesASecretThatWasMoved) {
  Process process(dsn_, {Key("one")});
  PlayedMatch match = Created(process);
  PlayToDeal(process, match, 1);
  PlayedMatch other = Created(process);
  PlayToDeal(process, other, 1);
  const std::string here = match.config().id.ToString(), there = other.config().id.ToString();
  Run(absl::StrCat("UPDATE rules.table_actions SET payload = (SELECT payload FROM",
                   " rules.table_actions WHERE table_id = '", there,
                   "' AND revision = 1) WHERE table_id = '", here, "' AND revision = 1"));
  ExpectUnreadable(process, match.config().id);
  ExpectReplays(process, other);

  PlayedMatch fresh = Created(process);
  Run(absl::StrCat("UPDATE rules.tables SET first_seed = (SELECT first_seed FROM rules.tables",
                   " WHERE table_id = '", there, "') WHERE table_id = '",
                   fresh.config().id.ToString(), "'"));
  ExpectUnreadable(process, fresh.config().id);
}

TEST_F(PgSecretsTest, AMovedSecretNeverReplacesAFinishedDeal) {
  Process process(dsn_, {Key("one")});
  PlayedMatch match = Created(process);
  PlayToEnd(process, match);
  PlayedMatch other = Created(process);
  PlayToDeal(process, other, 1);
  Run(absl::StrCat("UPDATE rules.table_actions SET payload = (SELECT payload FROM",
                   " rules.table_actions WHERE table_id = '", other.config().id.ToString(),
                   "' AND revision = 1) WHERE table_id = '", match.config().id.ToString(),
                   "' AND revision = 1"));
  ExpectUnreadable(process, match.config().id);
}

// Versions without encryption stored the secrets as they are.
TEST_F(PgSecretsTest, ReadsClearEntriesAndContinuesTheirMatch) {
  Process process(dsn_, {Key("one")});
  PlayedMatch match = Created(process);
  const std::string table = match.config().id.ToString();
  Run(absl::StrCat("UPDATE rules.tables SET first_seed = '\\x", Hex(*match.config().first_seed),
                   "' WHERE table_id = '", table, "'"));
  while (match.state().match.deals_dealt < 2) {
    const NewEntry entry = match.Next();
    Store(process, entry);
    const StoredBody clear = EncodeBody(entry.entry.body);
    Run(absl::StrCat("UPDATE rules.table_actions SET kind = ", clear.kind, ", payload = '\\x",
                     Hex(clear.payload), "' WHERE table_id = '", table,
                     "' AND revision = ", entry.entry.revision));
  }
  Run("UPDATE rules.deals SET revealed = NULL");
  Process upgraded(dsn_, {Key("two")});
  ExpectReplays(upgraded, match);
  PlayToEnd(upgraded, match);
  ExpectReplays(upgraded, match);
}

}  // namespace
}  // namespace tarot::rules_service
