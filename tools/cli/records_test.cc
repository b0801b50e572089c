#include "tools/cli/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/notation/tdn.h"
#include "libs/testkit/golden.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tools/cli/testing/sample_record.h"

namespace tarot::cli {
namespace {

using rules::v1::DealRecord;
using ::testing::HasSubstr;

const TextStyle kPlain(false);

std::string Golden(const std::string& name) {
  return TAROT_SOURCE_DIR "/tests/golden/tarotctl_" + name;
}

std::string Tdn(const DealRecord& record) {
  const auto document = ToDocument(record);
  EXPECT_TRUE(document.ok()) << document.status();
  const auto text = notation::WriteTdn(document->record);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

std::string Proof(const DealRecord& record) {
  const auto document = ToDocument(record);
  if (!document.ok()) return std::string(document.status().message());
  return RenderProof(document->record, notation::Prove(*document), kPlain);
}

// Returns the same deal with each seat number raised by `by`, modulo the number of seats.
DealRecord Turned(const DealRecord& record, int by) {
  DealRecord out = record;
  const int n = record.hands_size();
  out.set_dealer((record.dealer() + static_cast<unsigned>(by)) % static_cast<unsigned>(n));
  for (int seat = 0; seat < n; ++seat) {
    const int to = (seat + by) % n;
    *out.mutable_players(to) = record.players(seat);
    *out.mutable_hands(to) = record.hands(seat);
    out.mutable_result()->set_scores(to, record.result().scores(seat));
  }
  const auto turn = [&](unsigned seat) { return (seat + static_cast<unsigned>(by)) % 4; };
  for (auto& entry : *out.mutable_entries()) entry.set_seat(turn(entry.seat()));
  out.mutable_result()->set_taker(turn(record.result().taker()));
  return out;
}

TEST(RecordsTest, WritesTdnAsInTheGoldenFile) {
  EXPECT_TRUE(testkit::MatchesGolden(Golden("record.tdn"), Tdn(SampleRecord())));
  EXPECT_TRUE(notation::ReadTdn(Tdn(SampleRecord())).ok());
}

TEST(RecordsTest, RendersTheProofAsInTheGoldenFile) {
  DealRecord lie = SampleRecord();
  std::string out = Proof(lie);
  lie.mutable_result()->set_scores(1, lie.result().scores(1) + 1);
  lie.mutable_result()->set_unit(95);
  (*lie.mutable_seed())[0] = 8;
  EXPECT_TRUE(testkit::MatchesGolden(Golden("proof.txt"), out + "\n" + Proof(lie)));
}

TEST(RecordsTest, CountsSeatsFromTheFirstSpeaker) {
  for (int by = 1; by < 4; ++by) {
    const DealRecord turned = Turned(SampleRecord(), by);
    EXPECT_EQ(Tdn(turned), Tdn(SampleRecord()));
    EXPECT_EQ(Proof(turned), Proof(SampleRecord()));
  }
}

TEST(RecordsTest, MarksBotsAtEachSeat) {
  DealRecord record = SampleRecord();
  const std::string name = record.players(1).display_name();
  record.mutable_players(1)->set_bot_level("club");
  for (int by = 0; by < 4; ++by) {
    EXPECT_THAT(Proof(Turned(record, by)), testing::HasSubstr(" bot " + name + "\n")) << by;
    EXPECT_THAT(Proof(Turned(SampleRecord(), by)), testing::Not(testing::HasSubstr(" bot ")));
  }
}

TEST(RecordsTest, ReadsJsonWithAndWithoutItsEnvelope) {
  rules::v1::GetRecordResponse response;
  *response.mutable_record() = SampleRecord();
  std::string enveloped, bare;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(response, &enveloped).ok());
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(SampleRecord(), &bare).ok());
  for (const std::string& json : {enveloped, bare}) {
    const auto documents = ParseRecords(json);
    ASSERT_TRUE(documents.ok()) << documents.status();
    EXPECT_EQ(documents->front().record, ToDocument(SampleRecord())->record);
  }
  EXPECT_FALSE(ParseRecords("{\"record\": {\"dealer\": 7}}").ok());
  EXPECT_FALSE(ParseRecords("{").ok());
}

TEST(RecordsTest, ReadsJsonOfEarlierVersionsWithParametersThatAreConstantsNow) {
  const std::string same = R"("rules": {"preset": "fft", "drawExcuseRedraw": true,
      "bid_rounds": 1, "overtrump": "OVERTRUMP_MANDATORY_IF_POSSIBLE"})";
  std::string bare;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(SampleRecord(), &bare).ok());
  const auto with = [&bare](const std::string& rules) {
    return ParseRecords(absl::StrCat("{", rules, ",", bare.substr(1)));
  };
  ASSERT_TRUE(with(same).ok()) << with(same).status();
  const absl::Status refused = with(R"("rules": {"drawExcuseRedraw": false})").status();
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "record.rules.draw_excuse_redraw");
}

TEST(RecordsTest, RefusesPartsThatDoNotFit) {
  DealRecord record = SampleRecord();
  record.set_dealer(4);
  EXPECT_THAT(Proof(record), HasSubstr("do not fit together"));
  record = SampleRecord();
  record.mutable_entries(3)->set_seat(9);
  EXPECT_THAT(Proof(record), HasSubstr("entries.seat: no such seat"));
  record = SampleRecord();
  record.mutable_hands(0)->set_cards(0, 200);
  EXPECT_THAT(Proof(record), HasSubstr("hands"));
  record = SampleRecord();
  record.mutable_seed()->pop_back();
  EXPECT_THAT(Proof(record), HasSubstr("seed: must be 64 bytes"));
  record = SampleRecord();
  record.mutable_result()->mutable_scores()->RemoveLast();
  EXPECT_THAT(Proof(record), HasSubstr("result.scores: must be one for each seat"));
}

}  // namespace
}  // namespace tarot::cli
