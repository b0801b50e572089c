#include "libs/status/wire.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "libs/base/error.h"

namespace tarot::status {
namespace {

TEST(WireTest, ReasonAndMetadataSurviveTheRoundTrip) {
  const absl::Status sent = Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD",
                                  "You must follow hearts.", {{"why", "MUST_FOLLOW"}});
  const absl::Status back = FromGrpc(ToGrpc(sent));
  EXPECT_EQ(back.code(), sent.code());
  EXPECT_EQ(back.message(), sent.message());
  EXPECT_EQ(GetErrorDetails(back).reason, "ILLEGAL_CARD");
  EXPECT_EQ(GetErrorDetails(back).metadata.at("why"), "MUST_FOLLOW");
}

TEST(WireTest, BadRequestNamesTheField) {
  const grpc::Status sent = ToGrpc(BadRequest("clocks.move_limit", "at least one second"));
  EXPECT_EQ(sent.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::Status wire;
  ASSERT_TRUE(wire.ParseFromString(sent.error_details()));
  ASSERT_EQ(wire.details_size(), 2);
  google::rpc::BadRequest bad;
  ASSERT_TRUE(wire.details(1).UnpackTo(&bad));
  EXPECT_EQ(bad.field_violations(0).field(), "clocks.move_limit");
}

TEST(WireTest, BadRequestNamesBothFieldsThatContradict) {
  const grpc::Status sent =
      ToGrpc(Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST", "deal_packet against hand",
                   {{"field", "rules.deal_packet"},
                    {"other_field", "rules.hand"},
                    {"description", "a hand must be dealt in whole packets"}}));
  google::rpc::Status wire;
  ASSERT_TRUE(wire.ParseFromString(sent.error_details()));
  google::rpc::BadRequest bad;
  ASSERT_TRUE(wire.details(1).UnpackTo(&bad));
  ASSERT_EQ(bad.field_violations_size(), 2);
  EXPECT_EQ(bad.field_violations(0).field(), "rules.deal_packet");
  EXPECT_EQ(bad.field_violations(1).field(), "rules.hand");
  EXPECT_EQ(bad.field_violations(1).description(), "a hand must be dealt in whole packets");
}

TEST(WireTest, OkAndForeignErrorsPass) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  const absl::Status foreign = FromGrpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone"));
  EXPECT_TRUE(absl::IsUnavailable(foreign));
  EXPECT_EQ(GetErrorDetails(foreign).reason, "");
}

// An error may repeat words of a request, which may have 8 KiB.
TEST(WireTest, CutsLongTexts) {
  std::string euros;
  for (int i = 0; i < 3'000; ++i) euros += "\u20ac";
  const absl::Status sent =
      Error(absl::StatusCode::kNotFound, "RULE_SET_NOT_FOUND", euros, {{"rule_set", euros}});
  const grpc::Status wire = ToGrpc(sent);
  EXPECT_LT(wire.error_message().size() + wire.error_details().size(), 2'000u);
  EXPECT_EQ(wire.error_message().size() % 3, 0u) << "A character is never cut.";
  const absl::Status got = FromGrpc(wire);
  EXPECT_EQ(GetErrorDetails(got).reason, "RULE_SET_NOT_FOUND");
  EXPECT_EQ(GetErrorDetails(got).metadata.at("rule_set"), euros.substr(0, 300));
}

}  // namespace
}  // namespace tarot::status
