#include "services/rules/transport/table_admin_service.h"

#include <gtest/gtest.h>

#include <string>

#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rules_service {
namespace {

TEST(VoidDealTest, DecodesACommandAndNamesAWrongField) {
  v1::VoidDealRequest good;
  good.set_deal_number(3);
  good.set_reason("a power cut");
  good.set_request_id("5f3c2a10-0000-4000-8000-000000000001");
  const absl::StatusOr<VoidCommand> command = Decode(good);
  ASSERT_THAT(command, testkit::IsOk());
  EXPECT_EQ(command->deal_number, 3);
  EXPECT_EQ(command->reason, "a power cut");
  const auto field = [&](auto spoil) {
    v1::VoidDealRequest bad = good;
    spoil(bad);
    return GetErrorDetails(Decode(bad).status()).metadata["field"];
  };
  EXPECT_EQ(field([](auto& r) { r.set_deal_number(0); }), "deal_number");
  EXPECT_EQ(field([](auto& r) { r.set_deal_number(4294967295u); }), "deal_number");
  EXPECT_EQ(field([](auto& r) { r.set_reason(""); }), "reason");
  EXPECT_EQ(field([](auto& r) { r.set_reason("\x1b[2J"); }), "reason");
  EXPECT_EQ(field([](auto& r) { r.set_reason(std::string(201, 'x')); }), "reason");
  EXPECT_EQ(field([](auto& r) { r.set_request_id("1"); }), "request_id");
}

}  // namespace
}  // namespace tarot::rules_service
