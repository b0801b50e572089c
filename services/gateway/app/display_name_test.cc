#include "services/gateway/app/display_name.h"

#include <gmock/gmock.h>

#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

TEST(DisplayNameTest, AcceptsNamesOfPeople) {
  for (const char* name : {"A", "Anna", "Jean-Luc d'Été", "Ελένη", "王小明", "Żółć 3", "🂡",
                           "Nguyễn Thị", "Пётр", "محمد", "דוד", "नरेंद्र", "สมชาย", "さくら花",
                           "John王", "ကျော်", "ज़ों", "12345678901234567890123456789012"}) {
    EXPECT_THAT(ComposeDisplayName(name), IsOk()) << name;
  }
}

TEST(DisplayNameTest, CountsCharactersAndNotBytes) {
  std::string name;
  for (int i = 0; i < 32; ++i) name += "e\u0301";
  EXPECT_THAT(ComposeDisplayName(name), IsOk());
  EXPECT_THAT(ComposeDisplayName(name + "x"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(ComposeDisplayName(std::string(10'000, 'x')), HasReason("BAD_REQUEST"));
}

TEST(DisplayNameTest, ReturnsTheComposedForm) {
  EXPECT_EQ(*ComposeDisplayName("Ange\u0301le"), "Angéle");
}

struct Refusal {
  const char* name;
  const char* why;
};

class RefusedNameTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedNameTest, IsRefusedWithItsReason) {
  const absl::Status status = ComposeDisplayName(GetParam().name).status();
  EXPECT_THAT(status, HasReason("BAD_REQUEST"));
  EXPECT_THAT(status.message(), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedNameTest,
    testing::Values(
        Refusal{"", "required"}, Refusal{" ", "begin or end with a space"},
        Refusal{" Anna", "begin or end with a space"},
        Refusal{"Anna ", "begin or end with a space"}, Refusal{"An  na", "two spaces in a row"},
        Refusal{"An\nna", "plain space"}, Refusal{"An\x7Fna", "invisible"},
        Refusal{"An\xC2\xA0na", "plain space"}, Refusal{"An\u2003na", "plain space"},
        Refusal{"An\u2800na", "plain space"}, Refusal{"An\u200Bna", "invisible"},
        Refusal{"An\u200Dna", "invisible"}, Refusal{"\u202Eanna", "direction-changing"},
        Refusal{"\u2066x", "direction-changing"}, Refusal{"\uFEFFAnna", "invisible"},
        Refusal{"\u3164", "invisible"}, Refusal{"\u115F\u1160", "invisible"},
        Refusal{"\u00ADx", "invisible"}, Refusal{"x\uFE0F", "invisible"},
        Refusal{"\u0378", "unassigned"}, Refusal{"\uE000", "unassigned"},
        Refusal{"\uFFFD", "invisible"}, Refusal{"123456789012345678901234567890123", "at most 32"},
        Refusal{"\xC3", "UTF-8"}, Refusal{"\xFF", "UTF-8"}, Refusal{"\xC0\x80", "UTF-8"},
        Refusal{"\xED\xA0\x80", "UTF-8"}, Refusal{"\xF4\x90\x80\x80", "UTF-8"},
        Refusal{"a\u0301\u0302\u0303\u0304\u0306", "combining marks"},
        Refusal{"\u0301a", "combining mark"}, Refusal{"x\u20DD", "covers or encloses"},
        Refusal{"o\u0338", "covers or encloses"}, Refusal{"\u0410nna", "one script"},
        Refusal{"Ann\u03B1", "one script"}, Refusal{"1\u0662", "digits of one kind"},
        Refusal{"bot Ada", "marks the bots"}, Refusal{"Bot", "marks the bots"},
        Refusal{"BOT-7", "marks the bots"}, Refusal{"b0t Ada", "marks the bots"}));

TEST(DisplayNameTest, RefusesAZeroByte) {
  EXPECT_THAT(ComposeDisplayName(absl::string_view("a\0b", 3)), HasReason("BAD_REQUEST"));
}

TEST(ReservedNamesTest, RefuseNamesThatLookLikeThem) {
  ReservedNames names;
  EXPECT_FALSE(names.Contains("Papillon"));
  names.Set({"Papillon", "Feu Follet", "Camaïeu"});
  for (const char* name :
       {"Papillon", "PAPILLON", "Papi11on", "papiIIon", "Feu Fo11et", "camaïeu", "Pap\u0131llon"}) {
    EXPECT_TRUE(names.Contains(*ComposeDisplayName(name))) << name;
  }
  for (const char* name : {"Papillons", "Anna", "Feu", "Camaieu"}) {
    EXPECT_FALSE(names.Contains(name)) << name;
  }
}

TEST(ReservedNamesTest, ForgetNamesThatAreNoLongerReserved) {
  ReservedNames names;
  names.Set({"Papillon"});
  names.Set({"Mistral"});
  EXPECT_FALSE(names.Contains("Papillon"));
  EXPECT_TRUE(names.Contains("Mistral"));
}

}  // namespace
}  // namespace tarot::gateway_service
