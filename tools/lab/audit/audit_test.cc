#include "tools/lab/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "libs/notation/testing/random_records.h"
#include "libs/rules/testing/random_deals.h"

namespace tarot::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<notation::Record> Records(int count) {
  Rng rng(21);
  std::vector<notation::Record> records;
  while (static_cast<int>(records.size()) < count) {
    records.push_back(notation::RandomRecord(*rules::FindRuleSet("fft"), 4, rng));
    if (records.back().entries.size() < 76) records.pop_back();
  }
  return records;
}

std::string Write(const std::string& name, const std::string& content) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

struct Found {
  RecordAuditCounts counts;
  std::vector<Wrong> wrong;
};

Found AuditPaths(const std::vector<std::string>& paths) {
  Auditor auditor(3);
  const auto files = FindAuditFiles(paths);
  EXPECT_TRUE(files.ok()) << files.status();
  for (const AuditFile& file : files.value_or(std::vector<AuditFile>())) {
    AddFile(file.path, [&](Auditor::Job job) { auditor.Add(std::move(job)); });
  }
  while (!auditor.Finish(1)) continue;
  return {auditor.counts(), auditor.Take()};
}

TEST(AuditFilesTest, ChecksEveryRecordOfArchivesAndTexts) {
  std::string archive, tdn;
  for (const notation::Record& record : Records(600)) {
    notation::AppendToArchive(*notation::EncodeRecord(record), archive);
    if (tdn.size() < 50000) absl::StrAppend(&tdn, *notation::WriteTdn(record));
  }
  Write("history/deep/all.tarotrec", archive);
  Write("history/some.tdn", tdn);
  Write("history/notes.txt", "no record");
  const Found found = AuditPaths({absl::StrCat(testing::TempDir(), "/history")});
  EXPECT_GT(found.counts.records, 620);
  EXPECT_EQ(found.counts.wrong, 0) << found.wrong.front().name << ": " << found.wrong.front().why;
}

// Exchanges two cards that one seat played, so that the seat plays against a rule.
void Revoke(notation::Document& document) {
  const notation::Document before = document;
  std::vector<notation::Entry>& entries = document.record.entries;
  for (std::size_t at = 41; at < entries.size(); ++at) {
    if (entries[at].seat != entries[40].seat) continue;
    std::swap(entries[40].action, entries[at].action);
    if (notation::Untruth(document).find("moves: ") == 0) return;
    document = before;
  }
  FAIL() << "no revoke is possible";
}

TEST(AuditFilesTest, NamesPlantedCorruptions) {
  std::string archive;
  const std::vector<notation::Record> records = Records(6);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string bytes = *notation::EncodeRecord(records[i]);
    notation::Document lie = *notation::DecodeRecord(bytes);
    if (i == 1) (*lie.claims.scores)[2] -= 6;
    if (i == 2) (*lie.record.seed)[5] ^= 1;
    if (i == 3) Revoke(lie);
    if (i == 4) lie.record.entries.resize(30);
    bytes = *notation::EncodeDocument(lie);
    if (i == 5) bytes[40] = static_cast<char>(bytes[40] ^ 4);
    notation::AppendToArchive(bytes, archive);
  }
  const std::string path = Write("planted.tarotrec", archive);
  const Found found = AuditPaths({path});
  EXPECT_EQ(found.counts.records, 6);
  ASSERT_THAT(found.wrong, SizeIs(5));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(found.wrong[i].name, absl::StrCat(path, " record ", i + 2));
  }
  EXPECT_THAT(found.wrong[0].why, HasSubstr("score: stated "));
  EXPECT_THAT(found.wrong[1].why, HasSubstr("seed: it gives other cards"));
  EXPECT_THAT(found.wrong[2].why, HasSubstr("moves: action "));
  EXPECT_THAT(found.wrong[3].why, HasSubstr("ending: stated played to the end"));
  EXPECT_THAT(found.wrong[4].why, HasSubstr("damaged"));
}

TEST(AuditFilesTest, ChecksTheNeighboursOfABadText) {
  const std::vector<notation::Record> records = Records(3);
  const std::string first = *notation::WriteTdn(records[0]);
  std::string second = *notation::WriteTdn(records[1]);
  second.replace(second.find("[Dog \""), 6, "[Cat \"");
  const std::string path =
      Write("three.tdn", absl::StrCat(first, second, *notation::WriteTdn(records[2])));
  const Found found = AuditPaths({path});
  EXPECT_EQ(found.counts.records, 3);
  ASSERT_THAT(found.wrong, SizeIs(1));
  // The audit names the last line of the second record. In TDN this line is "*", the end of a
  // record.
  const auto line =
      std::count(first.begin(), first.end(), '\n') + std::count(second.begin(), second.end(), '\n');
  EXPECT_EQ(found.wrong[0].name, absl::StrCat(path, ":", line));
  EXPECT_THAT(found.wrong[0].why, HasSubstr("the record has no Dog"));
}

TEST(AuditFilesTest, CountsAFileWithoutRecordsAsWrong) {
  EXPECT_THAT(AuditPaths({Write("empty.tdn", "")}).wrong, SizeIs(1));
  EXPECT_THAT(AuditPaths({Write("cut.tarotrec", "tarotrec1\n\x7fshort")}).wrong, SizeIs(1));
  EXPECT_FALSE(FindAuditFiles({"/nonexistent"}).ok());
}

TEST(ProgressTest, ShowsABarOnATerminalAndLinesElsewhere) {
  const absl::Time start = absl::UnixEpoch();
  std::ostringstream bar, lines;
  Progress on_terminal(bar, true, start);
  on_terminal.Show(start + absl::Seconds(1), 0.5, 1000, 1);
  on_terminal.Clear();
  EXPECT_EQ(bar.str(),
            "\r[###############...............]  50 %  1000 records, 1 wrong, 1000/s\x1b[K"
            "\r\x1b[K");
  Progress plain(lines, false, start);
  plain.Show(start + absl::Seconds(1), 0.5, 1000, 1);
  plain.Show(start + absl::Seconds(10), 0.7, 2000, 1);
  plain.Clear();
  EXPECT_EQ(lines.str(), " 70 %  2000 records, 1 wrong, 200/s\n");
}

}  // namespace
}  // namespace tarot::lab
