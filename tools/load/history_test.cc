// Tests that the reader returns what the writer has written, and refuses other text.
#include "tools/load/history.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"

namespace tarot::load {
namespace {

std::string Path(const std::string& name) {
  return absl::StrCat(testing::TempDir(), "/history-", getpid(), "-", name);
}

std::vector<Event> OneOfEach() {
  SeededEntropy entropy(1);
  Event event{.time_us = 123'456'789,
              .client = 7,
              .attempt = 2,
              .revision = 41,
              .stream = 3,
              .table = TableId{entropy.NewUuid()},
              .player = PlayerId{entropy.NewUuid()},
              .request = RequestId{entropy.NewUuid()},
              .text = "UNAVAILABLE/STORAGE_AWAY",
              .bytes = std::string("\0\n bytes\xff", 9)};
  std::vector<Event> events;
  for (int kind = 0; kind <= static_cast<int>(Event::Kind::kEnd); ++kind) {
    event.kind = static_cast<Event::Kind>(kind);
    events.push_back(event);
  }
  return events;
}

TEST(HistoryTest, ReadsBackEveryKindOfLine) {
  for (const Event& event : OneOfEach()) {
    const std::string line = FormatEvent(event);
    const std::optional<Event> read = ParseEvent(line);
    ASSERT_TRUE(read.has_value()) << line;
    EXPECT_EQ(FormatEvent(*read), line);
    EXPECT_EQ(read->kind, event.kind);
  }
}

TEST(HistoryTest, RefusesInvalidLines) {
  const std::string line = FormatEvent(OneOfEach()[1]);
  for (const std::string& bad :
       {std::string(), std::string("seat"), line + " more", line.substr(0, line.rfind(' ')),
        "what" + line.substr(4), line.substr(0, line.size() - 3) + "***"}) {
    EXPECT_FALSE(ParseEvent(bad).has_value()) << bad;
  }
}

TEST(HistoryTest, ReadsBackAFileInOrder) {
  const std::string path = Path("file.gz");
  const std::vector<Event> events = OneOfEach();
  {
    auto writer = HistoryWriter::Create(path);
    ASSERT_TRUE(writer.ok());
    for (const Event& event : events) (*writer)->Write(event);
  }
  std::vector<std::string> read;
  ASSERT_TRUE(ReadHistory(path, [&](const Event& e) { read.push_back(FormatEvent(e)); }).ok());
  ASSERT_EQ(read.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(read[i], FormatEvent(events[i]));
  unlink(path.c_str());
}

TEST(HistoryTest, ReportsADamagedFile) {
  const std::string path = Path("damaged");
  std::ofstream(path) << "end 1 0\nend 2\n";
  const absl::Status status = ReadHistory(path, [](const Event&) {});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_EQ(ReadHistory(path + ".none", [](const Event&) {}).code(), absl::StatusCode::kNotFound);
  unlink(path.c_str());
}

}  // namespace
}  // namespace tarot::load
