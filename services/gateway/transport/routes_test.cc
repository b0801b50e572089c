#include "services/gateway/transport/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::gateway_service {
namespace {

const TableId kTable = *TableId::Parse("01234567-89ab-8def-8123-456789abcdef");
const std::string kName = absl::StrCat("tables/", kTable.ToString());

// Returns the message as two slices; the first one has `first` bytes.
grpc::ByteBuffer Divided(const google::protobuf::Message& message, std::size_t first) {
  const std::string bytes = message.SerializeAsString();
  first = std::min(first, bytes.size());
  const grpc::Slice slices[] = {grpc::Slice(bytes.substr(0, first)),
                                grpc::Slice(bytes.substr(first))};
  return grpc::ByteBuffer(slices, 2);
}

TEST(PeekTest, FindsTheTableHoweverTheBytesAreDivided) {
  rules::v1::SubmitActionRequest request;
  request.set_name(kName);
  request.set_request_id("5f3c2a10-0000-4000-8000-000000000001");
  for (std::size_t first = 0; first <= request.ByteSizeLong(); ++first) {
    EXPECT_EQ(PeekTable(Divided(request, first)), kTable) << first;
    EXPECT_EQ(PeekTableOfName(Divided(request, first)), kTable) << first;
  }
}

TEST(PeekTest, FindsTheTableOfADealOnlyInTheLongerForm) {
  rules::v1::GetRecordRequest request;
  request.set_name(absl::StrCat(kName, "/deals/12"));
  EXPECT_EQ(PeekTable(Divided(request, 9)), std::nullopt);
  EXPECT_EQ(PeekTableOfName(Divided(request, 9)), kTable);
}

TEST(PeekTest, FindsNoTableInOtherRequests) {
  EXPECT_EQ(PeekTableOfName(grpc::ByteBuffer()), std::nullopt);
  rules::v1::ListTablesRequest list;
  EXPECT_EQ(PeekTableOfName(Divided(list, 0)), std::nullopt);
  list.set_player(absl::StrCat("players/", kTable.ToString()));
  EXPECT_EQ(PeekTableOfName(Divided(list, 5)), std::nullopt);
  rules::v1::GetTableRequest table;
  table.set_name("tables/1");
  EXPECT_EQ(PeekTableOfName(Divided(table, 3)), std::nullopt);
}

}  // namespace
}  // namespace tarot::gateway_service
