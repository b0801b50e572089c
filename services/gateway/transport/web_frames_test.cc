#include "services/gateway/transport/web_frames.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

std::string Framed(const std::string& message, char flags = 0) {
  std::string frame = {flags, 0, 0, static_cast<char>(message.size() >> 8),
                       static_cast<char>(message.size() & 0xff)};
  return frame + message;
}

TEST(WebFramesTest, FindsTheMessage) {
  for (const std::string& message : {std::string(), std::string("abc"), std::string(300, 'x')}) {
    const auto parsed = ParseWebCall(Framed(message));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(BytesOf(*parsed), message);
  }
}

TEST(WebFramesTest, RefusesEveryOtherBody) {
  const std::string frame = Framed("abc");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_THAT(ParseWebCall(frame.substr(0, size)), HasReason("BAD_REQUEST")) << size;
  }
  EXPECT_THAT(ParseWebCall(frame + "x"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(ParseWebCall(frame + frame), HasReason("BAD_REQUEST"));
  for (const char flags : {'\x01', '\x80', '\x02'}) {
    EXPECT_THAT(ParseWebCall(Framed("abc", flags)), HasReason("BAD_REQUEST"));
  }
  const std::string huge("\0\xff\xff\xff\xff", 5);
  EXPECT_THAT(ParseWebCall(huge), HasReason("BAD_REQUEST"));
}

TEST(WebFramesTest, ThePrefixHasTheLength) {
  const auto prefix = MessagePrefix(0x01020304);
  EXPECT_EQ(std::string(prefix.data(), prefix.size()), std::string("\0\1\2\3\4", 5));
}

TEST(WebFramesTest, TheTrailerHasCodeTextAndDetails) {
  EXPECT_EQ(TrailerFrame(grpc::Status::OK).substr(5), "grpc-status: 0\r\n");
  const grpc::Status status(grpc::StatusCode::NOT_FOUND, "à 100 %\r\nx: y", "\1\2");
  const std::string frame = TrailerFrame(status);
  EXPECT_EQ(frame[0], '\x80');
  EXPECT_EQ(static_cast<std::size_t>(frame[4]), frame.size() - 5);
  EXPECT_EQ(frame.substr(5),
            "grpc-status: 5\r\n"
            "grpc-message: %C3%A0 100 %25%0D%0Ax: y\r\n"
            "grpc-status-details-bin: AQI\r\n")
      << "A line break in a text must not make a trailer of its own.";
}

TEST(WebFramesTest, ReadsTimeouts) {
  EXPECT_EQ(ParseGrpcTimeout("500m"), absl::Milliseconds(500));
  EXPECT_EQ(ParseGrpcTimeout("2H"), absl::Hours(2));
  EXPECT_EQ(ParseGrpcTimeout("3M"), absl::Minutes(3));
  EXPECT_EQ(ParseGrpcTimeout("99999999S"), absl::Seconds(99'999'999));
  for (const char* text : {"", "m", "5", "5x", "-5m", "+5m", " 5m", "123456789m", "5mm"}) {
    EXPECT_EQ(ParseGrpcTimeout(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tarot::gateway_service
