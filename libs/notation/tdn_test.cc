#include "libs/notation/tdn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/notation/testing/examples.h"

namespace tarot::notation {
namespace {

using ::testing::HasSubstr;

Record ReadOne(const std::string& text) {
  const auto records = ReadTdn(text);
  EXPECT_TRUE(records.ok()) << records.status();
  return records.ok() && records->size() == 1 ? records->front() : Record();
}

std::string Written(const Record& record) {
  const auto text = WriteTdn(record);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

std::string Problem(const std::string& text) {
  const auto records = ReadTdn(text);
  EXPECT_FALSE(records.ok());
  return std::string(records.status().message());
}

std::string With(const std::string& from, const std::string& to) {
  const std::string text = Example();
  EXPECT_THAT(text, HasSubstr(from));
  return absl::StrReplaceAll(text, {{from, to}});
}

TEST(TdnTest, ReadsTheExampleAndWritesTheSameBytes) {
  const Record record = ReadOne(Example());
  EXPECT_EQ(record.names[2], "Chloé");
  EXPECT_EQ(record.players, 4);
  EXPECT_EQ(record.entries.size(), 4u + 1 + 1 + 1 + 72);
  EXPECT_EQ(Written(record), Example());
}

TEST(TdnTest, ReadsAndWritesThePilesOfAGatheredPack) {
  Record record = ReadOne(Example());
  record.procedure = dealing::Procedure::kDrawnGathering;
  const std::string shuffled = Written(record);
  EXPECT_THAT(shuffled, HasSubstr("[Dealing \"3 "));
  EXPECT_EQ(ReadOne(shuffled), record);
  record.gathered = rules::OrderedPack();
  record.piles = {{2, 30}, {40, 6}};
  const std::string text = Written(record);
  EXPECT_THAT(text, HasSubstr("[Gathered \"S1 S2 | S3 S4 "));
  EXPECT_EQ(ReadOne(text), record);
  EXPECT_THAT(Problem(absl::StrReplaceAll(text, {{"S1 S2 | S3", "S1 S2 | | S3"}})),
              HasSubstr("an empty packet"));
  EXPECT_THAT(Problem(absl::StrReplaceAll(text, {{"Dealing \"3", "Dealing \"2"}})),
              HasSubstr("expected the 78 cards"));
  record.piles = {{77}};
  EXPECT_FALSE(WriteTdn(record).ok());
}

// Tests complete deals of every rule set and player count, and deals that stop after a random
// number of entries.
TEST(TdnTest, ReadsAndWritesRandomDeals) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      Rng rng(static_cast<std::uint64_t>(n) + 17);
      for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(testing::Message() << named.name << " n=" << n << " i=" << i);
        const bool whole = i % 2 == 0;
        const std::size_t entries_max = whole ? 1000 : static_cast<std::size_t>(rng.Below(40));
        const Record record = RandomRecord(named, n, rng, entries_max);
        const std::string text = Written(record);
        ASSERT_EQ(ReadOne(text), record) << text;
        ASSERT_EQ(Written(ReadOne(text)), text);
      }
    }
  }
}

TEST(TdnTest, KeepsTheValuesOfCustomRuleSets) {
  Rng rng(2026);
  for (int i = 0; i < 400; ++i) {
    const rules::NamedRuleSet custom = RandomRules(rng);
    const int span = custom.rules.players_max - custom.rules.players_min + 1;
    const Record record = RandomRecord(custom, custom.rules.players_min + rng.Below(span), rng,
                                       i % 2 == 0 ? 1000 : static_cast<std::size_t>(rng.Below(20)));
    const std::string text = Written(record);
    ASSERT_EQ(ReadOne(text), record) << text;
    ASSERT_EQ(Written(ReadOne(text)), text);
  }
  // The tag Rules may have any text that ParseRuleSet() reads; the record has the canonical text of
  // the same rule set. If two values contradict each other, the error names both values.
  EXPECT_EQ(ReadOne(With("\"fft\"",
                         "\"shogix +cut_min=4 +call5_ranks=king,queen,knight,jack "
                         "+call5_self=allowed\"")),
            ReadOne(Example()));
  EXPECT_THAT(Problem(With("\"fft\"", "\"fft +hand=4:17\"")),
              HasSubstr("line 8: Rules \"fft +hand=4:17\": hand"));
}

TEST(TdnTest, GivesErrorsALineAndAColumn) {
  const auto place = [](const std::string& from, const std::string& to) {
    const auto metadata = GetErrorDetails(ReadTdn(With(from, to)).status()).metadata;
    return metadata.at("line") + ":" + metadata.at("column");
  };
  EXPECT_EQ(place("[Taker \"C\"]", "{é} [Taker \"Z\"]"), "18:5");
  EXPECT_EQ(place("- - G -", "- - Y -"), "17:5");
  EXPECT_EQ(place("2. D: H2 HJ", "2. D: H2 HR"), "24:10");
  EXPECT_EQ(place("3. C: S1 SQ", "3. C: S1 T9"), "25:10") << "not held";
  EXPECT_EQ(place("[Contract \"G\"]", "[Contract G]"), "19:11");
}

TEST(TdnTest, RefusesNoncesWithoutADealing) {
  const std::string nonce = "[Nonce \"B:00ff\"]\n*\n";
  const std::string with = With("*\n", "[Dealing \"2 C\"]\n" + nonce);
  const Record record = ReadOne(with);
  EXPECT_EQ(record.nonces[1], std::string("\0\xFF", 2));
  EXPECT_EQ(record.first_chair, 2);
  EXPECT_EQ(ReadOne(Written(record)), record);
  EXPECT_THAT(Problem(With("*\n", nonce)), HasSubstr("\"B:00ff\": the record has no Dealing"));
  EXPECT_THAT(Problem(absl::StrReplaceAll(with, {{"00ff", "00f"}})), HasSubstr("1 to 32 bytes"));
}

// The tags of a record may have any order. But the words of the auction and of the play must follow
// their tag directly.
TEST(TdnTest, AcceptsTagsInAnyOrder) {
  const std::string body = std::string(absl::StripSuffix(Example(), "*\n"));
  std::vector<std::string> parts;
  for (const absl::string_view line : absl::StrSplit(body, '\n', absl::SkipEmpty())) {
    if (line[0] == '%') continue;
    if (line[0] == '[' || parts.empty()) parts.emplace_back();
    absl::StrAppend(&parts.back(), line, "\r\n");
  }
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    rng.Shuffle(parts);
    std::string text;
    for (const std::string& part : parts) text += part;
    ASSERT_EQ(Written(ReadOne(text + "*\n")), Example());
  }
}

TEST(TdnTest, SkipsCommentsAndGlyphsAndKeepsOtherTags) {
  std::string text = With("1. A: D1 D7", "{first\ntrick} 1. A: D1 $3 {[%clk 0:12]} D7{!}");
  text = absl::StrReplaceAll(text, {{"[Play \"", "[Zebra \"a\\\"b\"]\n[Play \""}});
  const Record record = ReadOne(text);
  EXPECT_EQ(record.tags, (std::map<std::string, std::string>{{"Zebra", "a\"b"}}));
  EXPECT_THAT(Written(record), HasSubstr("D:+72\"]\n[Zebra \"a\\\"b\"]\n*\n"));
}

TEST(TdnTest, ReadsSeveralRecords) {
  const auto records = ReadTdn(Example() + "\n" + Example());
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ((*records)[0], (*records)[1]);
}

TEST(TdnTest, AcceptsHandsFromAnySeat) {
  const std::string text = Example();
  const std::size_t start = text.find("A:15,7") + 2;
  const std::size_t end = text.find('"', start);
  std::vector<std::string> hands = absl::StrSplit(text.substr(start, end - start), ' ');
  std::rotate(hands.begin(), hands.begin() + 2, hands.end());
  const std::string turned = absl::StrCat(text.substr(0, start - 2), "C:", hands[0], " ", hands[1],
                                          " ", hands[2], " ", hands[3], text.substr(end));
  EXPECT_EQ(ReadOne(turned), ReadOne(text));
}

TEST(TdnTest, WritesHandfulCardsWhenSeveralArePossible) {
  const std::string shown = With("\"C:10\"", "\"C:10:X,20,17,14,12,8,5,4,2,1\"");
  EXPECT_EQ(Written(ReadOne(shown)), Example()) << "there is no other ten";
  EXPECT_THAT(Problem(With("\"C:10\"", "\"C:10:20,17,14,12,8,5,4,2,1,3\"")),
              HasSubstr("line 21: moves: action 9 of 79, by C: You do not hold T3."));
  EXPECT_THAT(Problem(With("\"C:10\"", "\"C:8\"")), HasSubstr("line 21: Poignee \"C:8\": several"));
}

// The taker has eighteen trumps, and the dog has one. So one trump must go into the écart. All
// seats see it, and the taker may still show it in a handful.
TEST(TdnTest, ReadsAndWritesExposedTrumpsAndSlams) {
  using rules::Action;
  Record record = ReadOne(Example());
  record.dog = rules::Set({"S2", "S3", "S4", "H2", "H3", "T20"});
  rules::CardSet trumps;
  for (int rank = 2; rank <= 19; ++rank) trumps.Insert(rules::Trump(rank));
  record.hands =
      rules::HandsWith(rules::FindRuleSet("fft")->rules, 4, record.dog, {rules::CardSet(), trumps});
  std::swap(record.hands[0], record.hands[1]);
  const rules::CardSet ecart = (record.dog - rules::Set({"T20"})) | rules::Set({"T2"});
  const rules::CardSet shown = trumps - rules::Set({"T16", "T17", "T18"});
  record.entries = {{0, Action::Bid(rules::Contract::kGarde)},
                    {1, Action::Bid(rules::Contract::kPass)},
                    {2, Action::Bid(rules::Contract::kPass)},
                    {3, Action::Bid(rules::Contract::kPass)},
                    {0, Action::Discard(ecart)},
                    {0, Action::Slam(true)},
                    {0, Action::Handful(shown)}};
  const std::string text = Written(record);
  EXPECT_THAT(text, HasSubstr("[Ecart \"2/432/32/-/-\"]\n"
                              "[Poignee \"A:15:19,15,14,13,12,11,10,9,8,7,6,5,4,3,2\"]\n"
                              "[Chelem \"A:announced\"]\n[Play \"A\"]\n[Term"));
  EXPECT_EQ(ReadOne(text), record);
}

// These deals end before the first card.
TEST(TdnTest, ReadsAndWritesRedeals) {
  Record record = ReadOne(Example());
  record.entries.clear();
  for (rules::Seat seat = 0; seat < 4; ++seat) {
    record.entries.push_back({seat, rules::Action::Bid(rules::Contract::kPass)});
  }
  EXPECT_THAT(Written(record), HasSubstr("- - - -\n[Termination \"all-pass\"]\n*\n"));
  EXPECT_EQ(ReadOne(Written(record)), record);
  // Makes a deal with a petit sec: seat B gives its trumps to seat A and gets the Petit from seat
  // C. Other cards go back, so that all hands keep their sizes.
  record.entries.clear();
  const auto give = [&](std::size_t from, std::size_t to, rules::CardSet cards) {
    record.hands[from] -= cards;
    record.hands[to] |= cards;
  };
  give(1, 0, rules::Set({"T21", "T19", "T18", "T16", "T10"}));
  give(2, 1, rules::Set({"T1"}));
  give(0, 1, rules::Set({"H3", "H7", "H8", "H11"}));
  give(0, 2, rules::Set({"D1"}));
  EXPECT_THAT(Written(record), HasSubstr("[Termination \"petit-sec\"]\n*\n"));
  EXPECT_EQ(ReadOne(Written(record)), record);
}

TEST(TdnTest, RefusesNamesThatATextCannotHold) {
  Record record = ReadOne(Example());
  record.names[1] = "a\nb";
  EXPECT_FALSE(WriteTdn(record).ok());
  record.names[1] = "\xC0\xAF";
  EXPECT_FALSE(WriteTdn(record).ok());
  record.names[1] = "b";
  record.tags["Deal"] = "x";
  EXPECT_FALSE(WriteTdn(record).ok());
  record.tags.clear();
  record.entries.pop_back();
  EXPECT_THAT(Written(record), HasSubstr("SJ CQ DN\n[Termination \"abandoned\"]\n*\n"));
  record.abandoned_by = 3;
  EXPECT_EQ(ReadOne(Written(record)), record);
  record.entries.back().action = rules::Action::Play(rules::kExcuse);
  EXPECT_THAT(std::string(WriteTdn(record).status().message()), HasSubstr("entries[77]"));
}

// Each case is a text and a part of its error, which names the line.
TEST(TdnTest, NamesTheLineOfEveryError) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {Example().substr(0, Example().size() - 2), "line 42: the record does not end"},
      {"", "line 1: there is no record"},
      {With("% TDN 1.0", "% TDN 2.0"), "line 1: this is not TDN 1"},
      {With("% EXPORT", "% VIEW B"), "line 2: a view hides cards"},
      {With("[Players \"4\"]", "[Players \"4\"]\n[Players \"4\"]"), "line 8: a second tag Players"},
      {With("[Players \"4\"]", "[Players \"6\"]"), "line 7: Players \"6\": the rule set fft"},
      {With("[Players \"4\"]\n", ""), "line 42: the record has no Players"},
      {With("\"fft\"", "\"nowhere\""),
       "line 8: Rules \"nowhere\": rule_set: no rule set has that name"},
      {With("[Dealer \"D\"]", "[Dealer \"B\"]"), "line 9: Dealer \"B\": expected D"},
      {With("SeatB", "SeatE"), "line 11: SeatE \"bot:papillon-2\": there is no such seat"},
      {With("/KJ/", "/KK/"), "line 14: '15,7,6,3/KK/J873/65321/763' is not a hand"},
      {With("A:15,7,6,3", "A:15,7,6"), "line 14: cards: "},
      {With("[Dog \"X,5/1/-/NJ4/-\"]", "[Dog \"?\"]"), "line 15: Dog \"?\": these are not cards"},
      {With("- - G -", "- - G x"), "line 17: 'x' is not a bid"},
      {With("- - G -", "- - G G"), "line 17: moves: action 4 of 79, by D: Pass, or bid"},
      {With("[Taker \"C\"]", "[Taker \"B\"]"), "line 41: Result \"C:40/41 bouts=2\": not the"},
      {With("[Contract \"G\"]", "[Contract \"GS\"]"), "line 19: contract: stated C takes, garde_"},
      {With("-/43/N1/-/J8", "-/43/N1/-/J"), "line 20: moves: action 5 of 79, by C: Discard exac"},
      {With("1. A: D1 D7 DQ DK =D", "1. A: D1 D7 DQ DK =C"), "line 23: tricks: trick 1 goes to D"},
      {With("2. D: H2", "2. C: H2"), "line 24: moves: action 12 of 79, by C: It is not your turn"},
      {With("2. D: H2", "3. D: H2"), "line 24: expected trick 2"},
      {With("4. A: D2 T21", "4. A: D2 H4"), "line 26: moves: action 21 of 79, by B: You must"},
      {With("5. B: C1 T4 C5 C3 =C", "5. B: C1 T4 C5 C3"), "line 28: the previous trick has no"},
      {With("SN =D", "SN HN =D"), "line 40: the trick has too many cards"},
      {With("C:40/41", "C:41/41"), "line 41: result: stated 41 points"},
      {With("C:40/41 bouts=2", "C:40/41"), "line 41: Result \"C:40/41\": expected the form"},
      {With("A:+72 B:+72 C:-216", "A:+73 B:+71 C:-216"), "line 42: score: stated A:+73"},
      {With("C:-216", "C:-215"), "line 42: Score \"A:+72 B:+72 C:-215 D:+72\": the scores do"},
      {With("*", "[Seed \"00\"]\n*"), "line 43: Seed \"00\": expected 128 hexadecimal digits"},
      {With("*", "[Termination \"all-pass\"]\n*"), "line 43: ending: stated passed by all"},
      {With("Chloé", "Chlo\xE9"), "line 12: invalid UTF-8"},
      {With("\"Ana\"]", "\"Ana]"), "line 10: the value of the tag does not end"},
      {With("\"Ana\"]", "\"Ana\""), "line 10: expected ']'"},
      {With("[Play \"", "{ [Play \""), "line 22: the comment does not end"},
  };
  for (const auto& [text, problem] : cases) EXPECT_THAT(Problem(text), HasSubstr(problem));
}

// Makes one random change: replaces, inserts or swaps bytes, or leaves out or doubles a run of
// bytes.
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
    default: {  // Swaps two bytes, which may give another valid record.
      const auto other = static_cast<std::size_t>(rng.Below(static_cast<int>(text.size())));
      std::swap(text[at], text[other]);
    }
  }
}

TEST(TdnFuzzTest, SurvivesMutatedText) {
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

TEST(TdnFuzzTest, SurvivesNoise) {
  Rng rng(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text(static_cast<std::size_t>(rng.Below(200)), ' ');
    for (char& c : text) c = static_cast<char>(rng.Below(i % 2 == 0 ? 256 : 96) + (i % 2 ? 32 : 0));
    EXPECT_FALSE(ReadTdn(text).ok());
  }
}

}  // namespace
}  // namespace tarot::notation
