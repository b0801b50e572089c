#include "services/rules/storage/archive_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/app/record_service.h"
#include "services/rules/testing/random_match.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

StoredTable MatchOf(const std::string& rule_set, int players, int bots, Entropy& entropy,
                    int deals = 3) {
  const TableConfig table{.rule_set = rule_set,
                          .deal_count = deals,
                          .create_time = absl::FromUnixMicros(1'795'000'000'000'001)};
  return RandomMatch(table, players, bots, entropy).stored();
}

std::string Encoded(const StoredTable& stored) {
  const auto condensed = CondenseMatch(stored);
  EXPECT_THAT(condensed, IsOk());
  if (!condensed.ok()) return "";
  const auto bytes = EncodeMatch(*condensed);
  EXPECT_THAT(bytes, IsOk());
  return bytes.value_or("");
}

// Checks what a reader gets from the archive. Returns the number of deals.
int ExpectArchivedAsPlayed(const StoredTable& stored) {
  const auto condensed = CondenseMatch(stored);
  EXPECT_THAT(condensed, IsOk());
  // A reader of the archive knows the settings, but not the secret seed.
  TableConfig config = stored.config;
  config.first_seed.reset();
  const auto decoded = DecodeMatch(config, *stored.end, Encoded(stored));
  EXPECT_THAT(decoded, IsOk());
  if (!decoded.ok()) return 0;
  EXPECT_EQ(decoded->log, condensed->log);
  EXPECT_EQ(decoded->end, stored.end);
  EXPECT_THAT(ProveArchived(stored, *decoded), IsOk());
  const auto state = Replay(std::make_shared<const TableConfig>(decoded->config), decoded->log);
  EXPECT_THAT(state, IsOk());
  EXPECT_TRUE(state->match.Finished());
  return static_cast<int>(DealsOf(*decoded)->size());
}

TEST(ArchiveBytesTest, ReturnsEveryMatchOfEveryRuleSetAsItWasPlayed) {
  SeededEntropy entropy(5);
  int deals = 0;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (int bots = 0; bots <= n; bots += 2) {
        deals += ExpectArchivedAsPlayed(MatchOf(std::string(named.name), n, bots, entropy));
      }
    }
  }
  EXPECT_GT(deals, 150);
}

// The random matches must contain each kind of entry. If they did not, the test above would prove
// little.
TEST(ArchiveBytesTest, MatchesOfTheTestHaveEveryKindOfEntry) {
  SeededEntropy entropy(5);
  std::map<std::size_t, int> kinds;
  int taken_back = 0, clock = 0, last_trick = 0;
  for (int i = 0; i < 40; ++i) {
    for (const LogEntry& entry : MatchOf("fft", 4, i % 3, entropy).log) {
      ++kinds[entry.body.index()];
      if (TakesBack(entry.body)) ++taken_back;
      if (entry.actor == Actor::kClock) ++clock;
      if (entry.actor == Actor::kServer && entry.seat != rules::kNoSeat) ++last_trick;
    }
  }
  for (const EntryBody& body : std::vector<EntryBody>{
           DealStarted(), rules::Action(), NonceAdded(), SeatResumed(), DealVoided(),
           TricksClaimed(), PhraseSaid(), SeatMuted(), Proposed(), ProposalAnswered()}) {
    EXPECT_GT(kinds[body.index()], 0) << body.index();
  }
  EXPECT_GT(taken_back, 0);
  EXPECT_GT(clock, 0);
  EXPECT_GT(last_trick, 0);
}

TEST(ArchiveBytesTest, KeepsTheEndOfAMatchByAnOperator) {
  SeededEntropy entropy(8);
  StoredTable stored = MatchOf("fft", 4, 0, entropy);
  TableState state = NewTable(std::make_shared<const TableConfig>(stored.config));
  std::size_t kept = 0;
  while (state.match.deals_dealt < 2 || !state.match.DealRunning()) {
    ASSERT_THAT(Advance(state, stored.log[kept++]), IsOk());
  }
  stored.log.resize(kept);
  stored.log.push_back({.revision = state.revision + 1,
                        .actor = Actor::kServer,
                        .body = DealVoided{.reason = "the end", .ends_match = true},
                        .create_time = stored.log.back().create_time});
  ASSERT_THAT(Advance(state, stored.log.back()), IsOk());
  ASSERT_TRUE(state.match.Finished());
  stored.end->deals_scored = state.match.deals_scored;
  stored.end->totals.assign(state.match.totals.begin(), state.match.totals.begin() + 4);
  EXPECT_EQ(ExpectArchivedAsPlayed(stored), 2);
}

// Old logs have deals whose cards follow from the seed alone, and no seed of the next deal.
TEST(ArchiveBytesTest, KeepsOldLogs) {
  SeededEntropy entropy(9);
  StoredTable stored{.config = MatchOf("fft", 4, 0, entropy, 1).config, .end = MatchEnd{}};
  stored.config.first_seed.reset();
  stored.config.deal_count = 2;
  TableState state = NewTable(std::make_shared<const TableConfig>(stored.config));
  Rng rng(4);
  while (!state.match.Finished()) {
    LogEntry entry{.revision = state.revision + 1, .create_time = stored.config.create_time};
    if (state.match.DealRunning()) {
      entry.seat = state.match.deal.turn;
      entry.body = rules::RandomAction(state.match.deal, rng);
    } else {
      dealing::DealStart start{.dealer = rules::DealerOf(4, state.match.deals_dealt + 1)};
      start.provenance.procedure = dealing::Procedure::kSeedAlone;
      entropy.Fill(absl::MakeSpan(start.provenance.seed));
      entry.body = DealStarted{std::make_shared<const dealing::DealStart>(start)};
    }
    ASSERT_THAT(Advance(state, entry), IsOk());
    stored.log.push_back(entry);
  }
  stored.end->deals_scored = state.match.deals_scored;
  stored.end->totals.assign(state.match.totals.begin(), state.match.totals.begin() + 4);
  EXPECT_EQ(ExpectArchivedAsPlayed(stored), state.match.deals_dealt);
}

TEST(ArchiveBytesTest, RefusesEveryChangedByteAndEveryOtherTable) {
  SeededEntropy entropy(6);
  const StoredTable stored = MatchOf("fft", 4, 1, entropy, 1);
  const std::string bytes = Encoded(stored);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_THAT(DecodeMatch(stored.config, *stored.end, changed).status(),
                HasReason("ARCHIVE_DAMAGED"));
  }
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_THAT(DecodeMatch(stored.config, *stored.end, bytes.substr(0, size)).status(),
                HasReason("ARCHIVE_DAMAGED"));
  }
  TableConfig other = stored.config;
  other.id = TableId{entropy.NewUuid()};
  EXPECT_THAT(DecodeMatch(other, *stored.end, bytes).status(), HasReason("ARCHIVE_DAMAGED"));
}

TEST(ArchiveBytesTest, FindsEachDifferenceFromTheLog) {
  SeededEntropy entropy(7);
  const StoredTable stored = MatchOf("fft", 4, 1, entropy);
  const StoredTable archived = *CondenseMatch(stored);
  ASSERT_THAT(ProveArchived(stored, archived), IsOk());
  StoredTable wrong = archived;
  wrong.end->totals[1] += 1;
  EXPECT_THAT(ProveArchived(stored, wrong), HasReason("BUG"));
  wrong = archived;
  for (LogEntry& entry : wrong.log) entry.create_time += absl::Microseconds(1);
  EXPECT_THAT(ProveArchived(stored, wrong), HasReason("BUG"));
  wrong = archived;
  for (LogEntry& entry : wrong.log) {
    if (entry.seat == 0) entry.actor = Actor::kClock;
  }
  EXPECT_THAT(ProveArchived(stored, wrong), HasReason("BUG"));
  EXPECT_THAT(ProveArchived(stored, *CondenseMatch(MatchOf("fft", 4, 1, entropy))),
              HasReason("BUG"));
}

TEST(ArchiveBytesTest, RefusesMatchesThatAreNotOver) {
  SeededEntropy entropy(3);
  StoredTable stored = MatchOf("fft", 4, 1, entropy);
  stored.log.pop_back();
  EXPECT_THAT(CondenseMatch(stored).status(), HasReason("BUG"));
  stored.end.reset();
  EXPECT_THAT(CondenseMatch(stored).status(), HasReason("BUG"));
}

// A deal of bots takes less than 160 bytes, the size that the design allows. The nonces of persons
// need further bytes.
TEST(ArchiveBytesTest, TakesFewBytes) {
  SeededEntropy entropy(2);
  std::size_t bytes = 0, deals = 0;
  for (int i = 0; i < 20; ++i) {
    const StoredTable stored = MatchOf("fft", 4, 4, entropy, 6);
    const auto nonces = [&] {
      std::size_t sum = 0;
      for (const LogEntry& entry : stored.log) {
        const auto* added = std::get_if<NonceAdded>(&entry.body);
        if (added != nullptr) sum += added->nonce.size();
      }
      return sum;
    }();
    bytes += Encoded(stored).size() - nonces;
    deals += DealsOf(stored)->size();
  }
  RecordProperty("bytes_per_deal", static_cast<int>(bytes / deals));
  EXPECT_LT(bytes / deals, 165u);
}

}  // namespace
}  // namespace tarot::rules_service
