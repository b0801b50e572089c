#include "tools/cli/text.h"

#include <gtest/gtest.h>

#include "tools/cli/card_face.h"

namespace tarot::cli {
namespace {

using rules::Card;
using rules::Suit;
using rules::SuitCard;
using rules::Trump;

const TextStyle kPlain(false);

std::uint32_t Number(Card card) { return static_cast<std::uint32_t>(rules::Index(card)); }

TEST(CardFaceTest, ShowsSuitsCourtCardsAndBouts) {
  EXPECT_EQ(Face(Number(SuitCard(Suit::kHearts, 14)), kPlain), "♥R");
  EXPECT_EQ(Face(Number(SuitCard(Suit::kClubs, 10)), kPlain), "♣10");
  EXPECT_EQ(Face(Number(Trump(21)), kPlain), "T21*");
  EXPECT_EQ(Face(Number(Trump(20)), kPlain), "T20");
  EXPECT_EQ(Face(Number(rules::kExcuse), kPlain), "Ex*");
  EXPECT_EQ(Face(200, kPlain), "?");
}

TEST(CardFaceTest, ParsesEveryFace) {
  for (int i = 0; i < rules::kCardCount; ++i) {
    const std::string face = Face(static_cast<std::uint32_t>(i), kPlain);
    EXPECT_EQ(ParseTypedCard(face), rules::CardAt(i)) << face;
  }
}

TEST(CardFaceTest, ParsesUsualSpellings) {
  EXPECT_EQ(ParseTypedCard("hk"), SuitCard(Suit::kHearts, 14));
  EXPECT_EQ(ParseTypedCard("H14"), SuitCard(Suit::kHearts, 14));
  EXPECT_EQ(ParseTypedCard("cc"), SuitCard(Suit::kClubs, 12));
  EXPECT_EQ(ParseTypedCard("dd"), SuitCard(Suit::kDiamonds, 13));
  EXPECT_EQ(ParseTypedCard("21"), Trump(21));
  EXPECT_EQ(ParseTypedCard(" ex "), rules::kExcuse);
}

TEST(CardFaceTest, RefusesOtherText) {
  for (const char* text : {"", "h", "h15", "t22", "0", "-1", "h0", "h+5", "t 3", "x3", "s100"}) {
    EXPECT_EQ(ParseTypedCard(text), std::nullopt) << text;
  }
}

TEST(CardFaceTest, SortsTheHandHighestFirstTrumpsLast) {
  const rules::CardSet hand = {SuitCard(Suit::kSpades, 2),
                               SuitCard(Suit::kSpades, 14),
                               SuitCard(Suit::kDiamonds, 3),
                               SuitCard(Suit::kClubs, 4),
                               Trump(5),
                               Trump(6),
                               rules::kExcuse};
  const std::vector<Card> sorted = {SuitCard(Suit::kSpades, 14),
                                    SuitCard(Suit::kSpades, 2),
                                    SuitCard(Suit::kClubs, 4),
                                    SuitCard(Suit::kDiamonds, 3),
                                    Trump(6),
                                    Trump(5),
                                    rules::kExcuse};
  EXPECT_EQ(SortedForHand(hand), sorted);
}

TEST(ColumnsTest, RemovesControlSequencesOfForeignText) {
  EXPECT_EQ(Safe("Zoë ♥"), "Zoë ♥");
  EXPECT_EQ(Safe("a\x1b[2Jb\n"), "a?[2Jb?");
  EXPECT_EQ(Safe("\xc2\x9b"
                 "31m"),
            "?31m");  // A C1 control character.
  EXPECT_EQ(Safe("\xe2\x80\xae"
                 "abc"),
            "?abc");                  // Right-to-left override.
  EXPECT_EQ(Safe("\xff\xc3"), "??");  // Broken UTF-8.
}

TEST(ColumnsTest, CountsCodePointsNotBytesNorColours) {
  EXPECT_EQ(Width("♥R"), 2);
  EXPECT_EQ(Width(TextStyle(true).Paint(Tone::kRed, "♥R")), 2);
  EXPECT_EQ(Fit("Barthélémy", 6), "Barth…");
  EXPECT_EQ(Fit("Zoë", 6), "Zoë");
  EXPECT_EQ(Fit("bot Sociable 3", 9), "bot Soc…3");
  EXPECT_EQ(Fit("Anna2024", 6), "Anna2…");
}

TEST(ColumnsTest, AlignsAndLeavesNoTrailingSpace) {
  EXPECT_EQ(Columns({{"a", "10", "x"}, {"bcd", "7", ""}}, {1}), "a    10  x\nbcd   7\n");
}

TEST(StyleTest, ColoursOnlyOnRequestOrATerminal) {
  EXPECT_TRUE(WantColor("auto", true, nullptr, "xterm"));
  EXPECT_TRUE(WantColor("auto", true, "", "xterm"));
  EXPECT_FALSE(WantColor("auto", true, "1", "xterm"));
  EXPECT_FALSE(WantColor("auto", true, nullptr, "dumb"));
  EXPECT_FALSE(WantColor("auto", false, nullptr, "xterm"));
  EXPECT_TRUE(WantColor("always", false, "1", "dumb"));
  EXPECT_FALSE(WantColor("never", true, nullptr, "xterm"));
  EXPECT_EQ(kPlain.Paint(Tone::kRed, "x"), "x");
  EXPECT_EQ(TextStyle(true).Paint(Tone::kRed, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace tarot::cli
