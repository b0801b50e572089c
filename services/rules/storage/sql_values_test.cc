#include "services/rules/storage/sql_values.h"

#include <gtest/gtest.h>

#include <string>

namespace tarot::rules_service {
namespace {

template <typename Add>
std::string Text(Add add) {
  SqlArray array;
  add(array);
  return std::move(array).Finish();
}

TEST(SqlArrayTest, WritesNumbers) {
  EXPECT_EQ(Text([](SqlArray&) {}), "{}");
  EXPECT_EQ(Text([](SqlArray& a) {
              a.AddNumber(-1);
              a.AddNumber(INT64_MAX);
            }),
            "{-1,9223372036854775807}");
}

TEST(SqlArrayTest, WritesIdsInHexWithoutDashes) {
  const auto id = TableId::Parse("01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(Text([&](SqlArray& a) {
              a.AddId(*id);
              a.AddId(Uuid());
            }),
            "{0123456789abcdef0123456789abcdef,00000000000000000000000000000000}");
}

TEST(SqlArrayTest, WritesBytesInHexBehindAnEscapedBackslash) {
  EXPECT_EQ(Text([](SqlArray& a) {
              a.AddBytes(std::string("\x00\xff\"", 3));
              a.AddBytes("");
            }),
            R"({"\\x00ff22","\\x"})");
}

TEST(SqlArrayTest, EscapesTextsThatCouldEndAnElement) {
  EXPECT_EQ(Text([](SqlArray& a) {
              a.AddText(R"(Bo "the" \ {dealer},)");
              a.AddText("NULL");
              a.AddText("");
              a.AddText(std::string("cut\0off", 7));
            }),
            R"({"Bo \"the\" \\ {dealer},","NULL","","cut"})");
}

dealing::DealStart Start() {
  dealing::DealStart start{.dealer = 2};
  start.provenance.seed.fill(7);
  start.provenance.nonces[1] = "nonce";
  start.next_seed.fill(9);
  return start;
}

TEST(LogCodecTest, ReadsBackEveryKindOfBody) {
  const std::vector<EntryBody> bodies = {
      DealStarted{std::make_shared<const dealing::DealStart>(Start())},
      rules::Action::Bid(rules::Contract::kGarde),
      NonceAdded{std::string("\x00\xff'", 3)},
      SeatResumed(),
      DealVoided{"a power cut"},
      DealVoided{.reason = "a power cut", .ends_match = true},
      TricksClaimed{{rules::kTwentyOne, rules::kExcuse, rules::CardAt(0)}},
      PhraseSaid{Phrase::kGoodGame},
      SeatMuted{.seat = 3, .muted = true},
      SeatMuted{.seat = 0, .muted = false},
      Proposed{.kind = ProposalKind::kTakeBack, .granted = true},
      Proposed{.kind = ProposalKind::kBreak},
      Proposed{.kind = ProposalKind::kBreak, .asked = {{true, false, true, true, false}}},
      ProposalAnswered{.kind = ProposalKind::kTakeBack},
      ProposalAnswered{.kind = ProposalKind::kBreak, .agrees = true, .granted = true},
      BreakEnded(),
  };
  for (const EntryBody& body : bodies) {
    const StoredBody stored = EncodeBody(body);
    EXPECT_EQ(DecodeBody(stored.kind, stored.payload, 4, 1), body) << stored.kind;
  }
}

// Stored logs contain these numbers.
TEST(LogCodecTest, KeepsTheNumbersOfTheKinds) {
  EXPECT_EQ(EncodeBody(rules::Action()).kind, 0);
  EXPECT_EQ(EncodeBody(DealStarted{std::make_shared<const dealing::DealStart>(Start())}).kind, 1);
  EXPECT_EQ(EncodeBody(SeatResumed()).kind, 2);
  EXPECT_EQ(EncodeBody(NonceAdded()).kind, 3);
  EXPECT_EQ(EncodeBody(DealVoided()).kind, 6) << "sealed_log.h has 4 and 5";
  EXPECT_EQ(EncodeBody(TricksClaimed()).kind, 7);
  EXPECT_EQ(EncodeBody(Proposed()).kind, 8);
  EXPECT_EQ(EncodeBody(ProposalAnswered()).kind, 9);
  EXPECT_EQ(EncodeBody(BreakEnded()).kind, 10);
  EXPECT_EQ(EncodeBody(PhraseSaid()).kind, 20);
  EXPECT_EQ(EncodeBody(SeatMuted()).kind, 21);
}

TEST(LogCodecTest, RefusesProposalsAndAnswersThatDoNotExist) {
  using std::string_literals::operator""s;
  for (const std::string& payload : {""s, "\1"s, "\0\0"s, "\3\0"s, "\1\2"s, "\1\0\0"s}) {
    EXPECT_FALSE(DecodeBody(8, payload, 4, 1).has_value());
  }
  for (const std::string& payload : {""s, "\1\0"s, "\3\0\0"s, "\1\2\0"s, "\1\0\2"s}) {
    EXPECT_FALSE(DecodeBody(9, payload, 4, 1).has_value());
  }
}

TEST(LogCodecTest, RefusesPhrasesAndMutesThatDoNotExist) {
  for (const absl::string_view payload : {"", "\x07", "\x01\x01"}) {
    EXPECT_FALSE(DecodeBody(20, payload, 4, 1).has_value());
  }
  EXPECT_FALSE(DecodeBody(20, std::string(1, '\0'), 4, 1).has_value());
  for (const absl::string_view payload : {"", "\x01", "\x04\x01", "\x01\x02"}) {
    EXPECT_FALSE(DecodeBody(21, payload, 4, 1).has_value());
  }
}

TEST(LogCodecTest, ReadsTheSeedAloneOfOldLogs) {
  const std::optional<EntryBody> body = DecodeBody(1, std::string(64, 's'), 4, 2);
  ASSERT_TRUE(body.has_value());
  const dealing::DealStart& start = *std::get<DealStarted>(*body).start;
  EXPECT_EQ(start.provenance.procedure, dealing::Procedure::kSeedAlone);
  EXPECT_EQ(start.dealer, 0) << "the seat after the dealer of deal 1, who sits last";
}

TEST(LogCodecTest, ReturnsNothingForUnknownBytes) {
  EXPECT_FALSE(DecodeBody(0, "\xff", 4, 1).has_value());
  EXPECT_FALSE(DecodeBody(1, "short", 4, 1).has_value());
  EXPECT_FALSE(DecodeBody(4, "", 4, 1).has_value());
  EXPECT_FALSE(DecodeBody(7, "\x4e", 4, 1).has_value()) << "no card has the number 78";
}

}  // namespace
}  // namespace tarot::rules_service
