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

TEST(SqlArrayTest, WritesNumbersAndNulls) {
  EXPECT_EQ(Text([](SqlArray&) {}), "{}");
  EXPECT_EQ(Text([](SqlArray& a) {
              a.AddNumber(-1);
              a.AddNull();
              a.AddNumber(INT64_MAX);
            }),
            "{-1,NULL,9223372036854775807}");
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

}  // namespace
}  // namespace tarot::rules_service
