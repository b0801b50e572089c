// Tests that names and page tokens parse back to the values from which they were made, and that
// malformed texts are refused.

#include "services/rules/transport/convert.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/values.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

const char kUuid[] = "01234567-89ab-4def-8123-456789abcdef";

TEST(PagesTest, TokensRoundTrip) {
  const DealKey key{.table = *TableId::Parse(kUuid),
                    .number = 7,
                    .finish_time = absl::FromUnixMicros(1'795'000'000'123'456)};
  const auto back = ParseDealPageToken(PageToken(key));
  ASSERT_THAT(back.status(), IsOk());
  EXPECT_EQ(**back, key);
  const TableKey table{.table = key.table, .create_time = key.finish_time};
  const auto table_back = ParseTablePageToken(PageToken(table));
  ASSERT_THAT(table_back.status(), IsOk());
  EXPECT_EQ((*table_back)->table, key.table);
  EXPECT_EQ((*table_back)->create_time, key.finish_time);
  EXPECT_EQ(*ParseDealPageToken(""), std::nullopt);
}

TEST(PagesTest, RefusesMalformedTokensAndSizes) {
  for (const char* bad : {"x", "AAAA", "!!!", "MSAyIDM=", "' OR 1=1"}) {
    EXPECT_THAT(ParseDealPageToken(bad).status(), HasReason("BAD_REQUEST")) << bad;
    EXPECT_THAT(ParseTablePageToken(bad).status(), HasReason("BAD_REQUEST")) << bad;
  }
  EXPECT_EQ(*PageSize(0), 20);
  EXPECT_EQ(*PageSize(1'000'000), 100);
  EXPECT_THAT(PageSize(-1).status(), HasReason("BAD_REQUEST"));
}

// Postgres has a smaller range of times than an int64. A token with a time outside this range is an
// error.
TEST(PagesTest, RefusesTokensOfImpossibleTimes) {
  const auto token = [](std::int64_t micros) {
    return absl::WebSafeBase64Escape(absl::StrCat(micros, " ", kUuid, " 1"));
  };
  EXPECT_THAT(ParseDealPageToken(token(1)).status(), IsOk());
  for (const std::int64_t micros : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_THAT(ParseDealPageToken(token(micros)).status(), HasReason("BAD_REQUEST")) << micros;
    EXPECT_THAT(ParseTablePageToken(token(micros)).status(), HasReason("BAD_REQUEST")) << micros;
  }
}

TEST(TimesTest, RangeFrom1970To9999) {
  google::protobuf::Timestamp time;
  time.set_seconds(1'800'000'000);
  time.set_nanos(5000);
  EXPECT_EQ(*wire::DecodeTime(time, "end_time"), absl::FromUnixMicros(1'800'000'000'000'005));
  for (const std::int64_t seconds : {std::int64_t{-1}, std::int64_t{253'402'300'800},
                                     std::numeric_limits<std::int64_t>::max()}) {
    time.set_seconds(seconds);
    EXPECT_THAT(wire::DecodeTime(time, "end_time").status(), HasReason("BAD_REQUEST")) << seconds;
  }
  time.set_seconds(0);
  time.set_nanos(1'000'000'000);
  EXPECT_THAT(wire::DecodeTime(time, "end_time").status(), HasReason("BAD_REQUEST"));
}

TEST(NamesTest, ParseStrictly) {
  const TableId table = *TableId::Parse(kUuid);
  EXPECT_EQ(*ParseTableName(TableName(table), "name"), table);
  EXPECT_EQ(ParseDealName(DealName(table, 12), "name")->number, 12);
  const std::string prefix = TableName(table);
  for (const std::string& bad :
       {std::string(), std::string("tables/"), prefix + " ", "x" + prefix, std::string(kUuid)}) {
    EXPECT_THAT(ParseTableName(bad, "name").status(), HasReason("BAD_REQUEST")) << bad;
  }
  for (const std::string& bad : {prefix, prefix + "/deals/", prefix + "/deals/0",
                                 prefix + "/deals/-1", prefix + "/deals/1x"}) {
    EXPECT_THAT(ParseDealName(bad, "name").status(), HasReason("BAD_REQUEST")) << bad;
  }
}

}  // namespace
}  // namespace tarot::rules_service
