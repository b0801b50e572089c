// Text that was meddled with never crashes the reader; what it takes, it writes back.
#include <gtest/gtest.h>

#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/notation/test_records.h"

namespace tarot::notation {
namespace {

// One change: a byte, a run left out or doubled, or a line moved.
void Mutate(std::string& text, Rng& rng) {
  static const std::string bytes = "[]{}\"\\%*$=:.,/-?\n\r\t 0129ABCDEGHJKNPQSTX\x80\xC3\xFF";
  if (text.empty()) return;
  const auto at = static_cast<std::size_t>(rng.Below(static_cast<int>(text.size())));
  const auto length = static_cast<std::size_t>(1 + rng.Below(12));
  const auto byte = static_cast<std::size_t>(rng.Below(static_cast<int>(bytes.size())));
  switch (rng.Below(5)) {
    case 0:
      text[at] = bytes[byte];
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(at, length));
      break;
    case 3:
      text.insert(at, 1, bytes[byte]);
      break;
    default: {  // Swap two bytes of about the same kind: often still a record.
      const auto other = static_cast<std::size_t>(rng.Below(static_cast<int>(text.size())));
      std::swap(text[at], text[other]);
    }
  }
}

TEST(TdnFuzzTest, MutatedTextNeverCrashes) {
  Rng rng(2026);
  std::vector<std::string> seeds = {Example()};
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      seeds.push_back(*WriteTdn(RandomRecord(named, n, rng)));
    }
  }
  int read = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seeds[static_cast<std::size_t>(rng.Below(static_cast<int>(seeds.size())))];
    for (int changes = rng.Below(4); changes >= 0; --changes) Mutate(text, rng);
    if (const auto documents = ParseTdn(text); documents.ok()) {
      for (const Document& document : *documents) EXPECT_FALSE(Prove(document).empty());
    }
    const auto records = ReadTdn(text);
    if (!records.ok()) {
      ++refused;
      ASSERT_EQ(records.status().message().substr(0, 5), "line ") << records.status();
      continue;
    }
    ++read;
    for (const Record& record : *records) {
      const auto written = WriteTdn(record);
      ASSERT_TRUE(written.ok()) << written.status() << "\n" << text;
      const auto again = ReadTdn(*written);
      ASSERT_TRUE(again.ok()) << again.status() << "\n" << *written;
      ASSERT_EQ(again->front(), record) << text;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

TEST(TdnFuzzTest, NoiseNeverCrashes) {
  Rng rng(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text(static_cast<std::size_t>(rng.Below(200)), ' ');
    for (char& c : text) c = static_cast<char>(rng.Below(i % 2 == 0 ? 256 : 96) + (i % 2 ? 32 : 0));
    EXPECT_FALSE(ReadTdn(text).ok());
  }
}

}  // namespace
}  // namespace tarot::notation
