// ImportRecords: what TDN says comes out as messages, and what is wrong is told with its place.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/transport/referee.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

std::string Example() {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/data/notation/example.tdn", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

absl::Status Import(const std::string& tdn, v1::ImportRecordsResponse* response) {
  v1::ImportRecordsRequest request;
  request.set_tdn(tdn);
  return ImportRecords(request, response);
}

TEST(ImportRecordsTest, EveryRecordComesOutProven) {
  v1::ImportRecordsResponse response;
  ASSERT_THAT(Import(Example() + Example(), &response), IsOk());
  ASSERT_EQ(response.records_size(), 2);
  const v1::DealRecord& record = response.records(1);
  EXPECT_EQ(record.rule_set(), "fft");
  EXPECT_FALSE(record.has_rules());
  EXPECT_EQ(record.dealer(), 3u);
  EXPECT_EQ(record.players(1).display_name(), "bot:papillon-2");
  EXPECT_EQ(record.hands_size(), 4);
  EXPECT_EQ(record.entries_size(), 79);
  EXPECT_EQ(record.result().scores(2), -216);
  EXPECT_TRUE(record.seed().empty());
}

TEST(ImportRecordsTest, WhatIsWrongIsToldWithLineAndColumn) {
  v1::ImportRecordsResponse response;
  const absl::Status status =
      Import(absl::StrReplaceAll(Example(), {{"3. C: S1 SQ", "3. C: S1 T9"}}), &response);
  EXPECT_THAT(status, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(status).metadata.at("line"), "25");
  EXPECT_EQ(GetErrorDetails(status).metadata.at("column"), "10");
  EXPECT_THAT(Import("", &response), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Import(std::string(100'001, ' '), &response), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::rules_service
