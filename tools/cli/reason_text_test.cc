#include "tools/cli/reason_text.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tarot::cli {
namespace {

using bot::v1::Reason;
using testing::HasSubstr;
using testing::Not;

std::string Name(std::uint32_t seat) { return absl::StrCat("Seat", seat); }

// Returns the rows of the table of reasons in docs/analysis.md: the name, the proof, and the
// sentences in English and French.
std::vector<std::vector<std::string>> Rows() {
  std::ifstream file(TAROT_SOURCE_DIR "/docs/analysis.md");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells.size() != 4) continue;
    rows.push_back({cells[0].substr(3, cells[0].size() - 4), cells[1], cells[2],
                    cells[3].substr(0, cells[3].size() - 2)});
  }
  return rows;
}

TEST(ReasonTextTest, SentencesAreThoseOfTheDocument) {
  const auto rows = Rows();
  const auto sentences = ReasonSentences();
  ASSERT_EQ(rows.size(), sentences.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], sentences[i].name);
    EXPECT_EQ(rows[i][2], sentences[i].english);
    EXPECT_EQ(rows[i][3], sentences[i].french);
  }
}

TEST(ReasonTextTest, EveryKindHasASentenceInBothLanguages) {
  for (int kind = 1; kind < Reason::Kind_ARRAYSIZE; ++kind) {
    ASSERT_TRUE(Reason::Kind_IsValid(kind));
    Reason reason;
    reason.set_kind(static_cast<Reason::Kind>(kind));
    reason.set_card(27);
    reason.set_other_card(75);
    reason.set_suit(1);
    reason.set_seat(2);
    reason.set_trick(3);
    reason.set_trumps(10);
    reason.set_points(20);
    reason.set_number(620);
    reason.set_better_number(155);
    for (const Language language : {Language::kEnglish, Language::kFrench}) {
      const std::string text = ReasonText(reason, false, Name, language);
      EXPECT_FALSE(text.empty()) << kind;
      EXPECT_EQ(text.back(), '.');
      EXPECT_THAT(text, Not(HasSubstr("{")));
      EXPECT_THAT(text, Not(HasSubstr("?")));
    }
  }
  EXPECT_EQ(ReasonText(Reason(), false, Name, Language::kEnglish), "") << "an unknown kind";
}

TEST(ReasonTextTest, NamesCardsAndPointsAsPlayersDo) {
  Reason reason;
  reason.set_kind(Reason::POINTS_GIVEN);
  reason.set_card(25);  // The Knight of hearts.
  reason.set_other_card(14);
  reason.set_number(5);
  reason.set_better_number(1);
  EXPECT_EQ(ReasonText(reason, false, Name, Language::kEnglish),
            "The trick was lost already: the Knight of hearts gives 2.5 points, the ace of hearts "
            "gives half a point.");
  EXPECT_EQ(ReasonText(reason, false, Name, Language::kFrench),
            "Le pli était déjà perdu : le Cavalier de cœur donne 2,5 points, l’as de cœur donne un "
            "demi-point.");
}

TEST(ReasonTextTest, BidsAndLeadsHaveSentencesOfTheirOwn) {
  Reason reason;
  reason.set_kind(Reason::CONTRACT_CHANCE);
  reason.set_better_number(617);
  EXPECT_EQ(ReasonText(reason, true, Name, Language::kEnglish),
            "The better bid is made in 62 % of the likely deals.");
  reason.set_number(404);
  EXPECT_EQ(ReasonText(reason, true, Name, Language::kEnglish),
            "This bid is made in 40 % of the likely deals, the better bid in 62 %.");
  reason.Clear();
  reason.set_kind(Reason::TOP_TRUMP_EARLY);
  reason.set_card(76);
  EXPECT_EQ(ReasonText(reason, false, Name, Language::kFrench),
            "Le 21 d’atout fait un pli à tout moment : rien ne presse.");
}

TEST(ReasonTextTest, DescribesAHand) {
  bot::v1::Hand hand;
  hand.set_trumps(1);
  hand.add_bouts(56);
  hand.set_kings(2);
  for (const std::uint32_t length : {6u, 4u, 1u, 0u}) hand.add_suit_lengths(length);
  EXPECT_EQ(HandText(hand, Language::kEnglish),
            "1 trump, 1 bout (Petit), 2 Kings, 6 spades, a single diamond, no clubs");
  EXPECT_EQ(HandText(hand, Language::kFrench),
            "1 atout, 1 bout (Petit), 2 Rois, 6 piques, un seul carreau, pas de trèfle");
}

TEST(ReasonTextTest, ReadsLanguages) {
  EXPECT_EQ(ParseLanguage("fr"), Language::kFrench);
  EXPECT_FALSE(ParseLanguage("de").has_value());
}

}  // namespace
}  // namespace tarot::cli
