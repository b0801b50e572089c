#include "libs/obs/log.h"

#include <gtest/gtest.h>

namespace tarot::obs {
namespace {

std::string Line(absl::string_view message, Fields fields = {}) {
  return FormatLine(absl::FromUnixMicros(1'700'000'000'000'042), Level::kWarning, "rules", message,
                    fields);
}

TEST(LogTest, WritesEachLineAsOneJsonObject) {
  EXPECT_EQ(Line("call was slow", {{"method", "x/Y"}, {"reason", ""}, {"seconds", "1.5"}}),
            R"({"time":"2023-11-14T22:13:20.000042Z","level":"warning","service":"rules",)"
            R"("message":"call was slow","method":"x/Y","seconds":"1.5"})"
            "\n");
}

TEST(LogTest, EscapesSpecialCharacters) {
  const std::string line = Line("a\"b\\c\nd\te\x7f", {{"k\"ey", absl::string_view("\0\x1b", 2)}});
  EXPECT_NE(line.find(R"("message":"a\"b\\c\nd\u0009e\u007f")"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("k\"ey":"\u0000\u001b")"), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(LogTest, KeepsUtf8AndReplacesOtherBytes) {
  EXPECT_NE(Line("Écart ♠ 🂡").find("Écart ♠ 🂡"), std::string::npos);
  EXPECT_NE(Line("a\xff\xc3z").find(R"(a\ufffd\ufffdz)"), std::string::npos);
  // These bytes are an overlong form of "/".
  EXPECT_NE(Line("\xc0\xaf").find(R"("\ufffd\ufffd")"), std::string::npos);
  // These bytes are a surrogate.
  EXPECT_NE(Line("\xed\xa0\x80").find(R"("\ufffd\ufffd\ufffd")"), std::string::npos);
  // The last character is incomplete.
  EXPECT_NE(Line("end\xe2\x99").find(R"("end\ufffd\ufffd")"), std::string::npos);
}

}  // namespace
}  // namespace tarot::obs
