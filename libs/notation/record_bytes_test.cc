#include "libs/notation/record_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/notation/names.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/notation/testing/examples.h"
#include "libs/testkit/golden.h"

namespace tarot::notation {
namespace {

using ::testing::HasSubstr;

std::string Encoded(const Record& record) {
  const auto bytes = EncodeRecord(record);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

std::string Problem(absl::string_view bytes) {
  const auto document = DecodeRecord(bytes);
  EXPECT_FALSE(document.ok());
  return std::string(document.status().message());
}

// Returns `bytes` with the right checksum in the last four bytes.
std::string Sealed(std::string bytes) {
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 16777619u;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[bytes.size() - 4 + i] = static_cast<char>(hash >> (8 * i) & 0xFF);
  }
  return bytes;
}

// Returns the records of `rounds` rounds. Each round has one record for each pair of a named rule
// set and a player count, and one record with a custom rule set. In every third round, the deals of
// the named rule sets stop after fewer than 40 entries.
std::vector<Record> Samples(int rounds) {
  Rng rng(11);
  std::vector<Record> records;
  for (int i = 0; i < rounds; ++i) {
    for (const rules::NamedRuleSet& named : rules::RuleSets()) {
      for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
        const std::size_t most = i % 3 == 2 ? static_cast<std::size_t>(rng.Below(40)) : 1000;
        records.push_back(RandomRecord(named, n, rng, most));
        Record& record = records.back();
        if (rng.Below(2) == 0) record.seed.reset();
        if (rng.Below(2) == 0) record.commitment.reset();
        if (i % 2 == 0) {
          record.procedure = dealing::Procedure::kSeedAndNonces;
          record.first_chair = rng.Below(n);
          record.first_deal = rng.Below(2) == 0;
          record.nonces[Slot(rng.Below(n))] = std::string("\0 \xFF", 3);
          if (rng.Below(2) == 0) record.gathered = rules::RandomPack(rng);
          if (rng.Below(2) == 0) record.procedure = dealing::Procedure::kDrawnGathering;
          if (record.gathered && record.procedure == dealing::Procedure::kDrawnGathering) {
            record.piles = {{6, 4, 20}, {48}};
          }
        }
      }
    }
    const rules::NamedRuleSet custom = RandomRules(rng);
    records.push_back(RandomRecord(custom, custom.rules.players_max, rng));
  }
  return records;
}

TEST(RecordBytesTest, DecodesEveryRecordThatItEncodes) {
  for (const Record& record : Samples(12)) {
    const std::string bytes = Encoded(record);
    const auto document = DecodeRecord(bytes);
    ASSERT_TRUE(document.ok()) << document.status() << " " << record.rule_set;
    ASSERT_EQ(document->record, record) << record.rule_set;
    ASSERT_EQ(*EncodeDocument(*document), bytes);
    if (!record.seed && !record.commitment) {
      ASSERT_EQ(Untruth(*document), "");
    }
  }
}

TEST(RecordBytesTest, NeedsFewBytesWithoutNamesAndSeed) {
  Rng rng(1);
  std::size_t bytes = 0;
  int whole = 0;
  for (int i = 0; i < 200; ++i) {
    Record record = RandomRecord(*rules::FindRuleSet("fft"), 4, rng);
    if (record.entries.size() < 76) continue;
    record = Record{.rule_set = record.rule_set,
                    .hands = record.hands,
                    .dog = record.dog,
                    .entries = record.entries};
    bytes += Encoded(record).size();
    ++whole;
  }
  EXPECT_LT(bytes / static_cast<std::size_t>(whole), 120u);
}

TEST(RecordBytesTest, DetectsAnyDamagedByte) {
  const std::string bytes = Encoded(Samples(1).front());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    EXPECT_FALSE(DecodeRecord(damaged).ok()) << i;
    EXPECT_FALSE(DecodeRecord(bytes.substr(0, i)).ok()) << i;
  }
  EXPECT_THAT(Problem("nonsense"), HasSubstr("not the bytes of a record"));
  EXPECT_THAT(Problem(std::string("TR\x02....", 7)), HasSubstr("an unknown version"));
  EXPECT_THAT(Problem(bytes.substr(0, bytes.size() - 1)), HasSubstr("damaged"));
}

// For changed bytes with the right checksum, the decoder returns an error, or a document that
// encodes to the same bytes. So each record has only one form.
TEST(RecordBytesTest, RefusesHostileBytesOrDecodesCanonicalOnes) {
  std::vector<std::string> samples;
  for (const Record& record : Samples(2)) samples.push_back(Encoded(record));
  Rng rng(5);
  int taken = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string bytes =
        samples[static_cast<std::size_t>(rng.Below(static_cast<int>(samples.size())))];
    for (int changes = rng.Below(3); changes >= 0; --changes) {
      const auto at = static_cast<std::size_t>(3 + rng.Below(static_cast<int>(bytes.size()) - 7));
      switch (rng.Below(4)) {
        case 0:
          bytes.erase(at, 1);
          break;
        case 1:
          bytes.insert(at, 1, static_cast<char>(rng.Below(256)));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << rng.Below(8));
      }
    }
    bytes = Sealed(std::move(bytes));
    const auto document = DecodeRecord(bytes);
    if (!document.ok()) continue;
    ++taken;
    const auto again = EncodeDocument(*document);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, bytes);
    Untruth(*document);
  }
  EXPECT_GT(taken, 1000);
}

TEST(RecordBytesTest, RefusesDocumentsThatTheFormCannotHold) {
  const Record record = Samples(1).front();
  Record lie = record;
  lie.dog |= lie.hands[0];
  EXPECT_FALSE(EncodeDocument({.record = lie}).ok());
  lie = record;
  lie.entries.push_back({9, rules::Action::Slam(false)});
  EXPECT_FALSE(EncodeDocument({.record = lie}).ok());
  lie = record;
  lie.entries.push_back({0, rules::Action::Slam(true)});
  EXPECT_TRUE(EncodeDocument({.record = lie}).ok()) << "it does not judge";
  EXPECT_THAT(std::string(EncodeRecord(lie).status().message()), HasSubstr("entries["));
}

TEST(RecordBytesTest, KeepsTheOrderOfAnArchive) {
  std::string archive;
  const std::vector<Record> records = Samples(1);
  for (const Record& record : records) AppendToArchive(Encoded(record), archive);
  const auto parts = SplitArchive(archive);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(DecodeRecord((*parts)[i])->record, records[i]);
  }
  EXPECT_THAT(std::string(SplitArchive(archive.substr(0, archive.size() - 1)).status().message()),
              HasSubstr("cut short in record"));
  EXPECT_FALSE(SplitArchive("tarot").ok());
  EXPECT_TRUE(SplitArchive(kArchiveMagic)->empty());
}

// Version 1 of the encoder wrote the file records_v1.tarotrec on 2026-11-21. The file has one
// record for each pair of a rule set and a player count, and some records with custom rule sets.
// The file never changes. If this test fails, correct the code and not the file.
TEST(RecordBytesTest, ReadsOldBytes) {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/golden/records_v1.tarotrec", std::ios::binary);
  const std::string archive{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto parts = SplitArchive(archive);
  ASSERT_TRUE(parts.ok()) << parts.status();
  std::string summary;
  for (const absl::string_view part : *parts) {
    const auto document = DecodeRecord(part);
    ASSERT_TRUE(document.ok()) << document.status();
    EXPECT_EQ(*EncodeDocument(*document), part);
    const Record& record = document->record;
    const auto replayed = Replay(record);
    ASSERT_TRUE(replayed.ok() && replayed->problem.empty()) << record.rule_set;
    EXPECT_EQ(replayed->deal.result.outcome, document->claims.outcome) << record.rule_set;
    const auto scores = document->claims.scores.value_or(replayed->deal.result.scores);
    EXPECT_EQ(replayed->deal.result.scores, scores) << record.rule_set;
    absl::StrAppend(&summary, record.rule_set, ", ", record.players, " players, ",
                    record.entries.size(), " actions, seat A ", HandName(record.hands[0]), ": ",
                    absl::StrJoin(scores, " "), "\n");
  }
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/records_v1.txt", summary));
}

}  // namespace
}  // namespace tarot::notation
