#include "services/gateway/transport/table_name.h"

#include <vector>

#include "absl/strings/strip.h"

namespace tarot::gateway {
namespace {

constexpr absl::string_view kPrefix = "tables/";
constexpr std::size_t kNameBytes = kPrefix.size() + 36;
constexpr char kFieldOne = 1 << 3 | 2;  // Its tag; the length is one byte.

}  // namespace

std::optional<TableId> ParseTableName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kPrefix)) return std::nullopt;
  return TableId::Parse(name);
}

std::optional<TableId> PeekTable(const grpc::ByteBuffer& request) {
  std::vector<grpc::Slice> slices;
  if (!request.Dump(&slices).ok() || slices.empty()) return std::nullopt;
  const absl::string_view bytes(reinterpret_cast<const char*>(slices[0].begin()), slices[0].size());
  if (bytes.size() < 2 + kNameBytes || bytes[0] != kFieldOne || bytes[1] != kNameBytes) {
    return std::nullopt;
  }
  return ParseTableName(bytes.substr(2, kNameBytes));
}

}  // namespace tarot::gateway
