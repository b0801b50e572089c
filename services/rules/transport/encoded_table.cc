#include "services/rules/transport/encoded_table.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>

#include "libs/rpc/block_arena.h"
#include "libs/wire/convert.h"
#include "services/rules/transport/convert.h"

namespace tarot::rules_service {
namespace {

struct EncodedTable {
  grpc::Slice shared;
  bool has_deal = false;
  bool shows_discard = false;
  std::array<Attachment, rules::kPlayersMax> own;  // A grpc::Slice, for seats that look.
};

// Enough for a table in play.
using StackArena = rpc::BlockArena<16 << 10>;

grpc::Slice Serialize(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.ByteSizeLong());
  // Ours alone until it is returned.
  message.SerializeWithCachedSizesToArray(const_cast<std::uint8_t*>(slice.begin()));
  return slice;
}

EncodedTable EncodeShared(const TableState& state) {
  StackArena arena;
  auto* const table = arena.Make<v1::Table>();
  EncodeTable(MakeTableView(state, rules::kNoSeat), table);
  return {.shared = Serialize(*table),
          .has_deal = table->has_deal(),
          .shows_discard = !table->deal().discard().empty()};
}

// What `seat` sees beyond what `shared` shows to all.
grpc::Slice EncodeOwn(const TableState& state, rules::Seat seat, const EncodedTable& shared) {
  StackArena arena;
  auto* const table = arena.Make<v1::Table>();
  table->set_viewer(static_cast<std::uint32_t>(seat));
  if (!shared.has_deal) return Serialize(*table);
  wire::EncodeOwnView(rules::MakeView(state.match.deal, seat), !shared.shows_discard,
                      table->mutable_deal());
  return Serialize(*table);
}

const EncodedTable& Encoded(const TableState& state) {
  return state.encoded.Get<EncodedTable>([&] { return EncodeShared(state); });
}

// The tag and the length of field 1.
grpc::Slice Header(std::size_t size) {
  using google::protobuf::io::CodedOutputStream;
  std::array<std::uint8_t, 6> bytes;
  bytes[0] = 1 << 3 | 2;
  const std::uint8_t* const end =
      CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), bytes.data() + 1);
  return grpc::Slice(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

}  // namespace

const grpc::Slice& SharedPart(const TableState& state) { return Encoded(state).shared; }

const grpc::Slice& OwnPart(const TableState& state, rules::Seat seat) {
  const EncodedTable& encoded = Encoded(state);
  return encoded.own[static_cast<std::size_t>(seat)].Get<grpc::Slice>(
      [&] { return EncodeOwn(state, seat, encoded); });
}

grpc::ByteBuffer TableResponse(const TableState& state, rules::Seat viewer) {
  const grpc::Slice& shared = SharedPart(state);
  if (viewer == rules::kNoSeat) {
    const std::array<grpc::Slice, 2> slices = {Header(shared.size()), shared};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }
  const grpc::Slice& own = OwnPart(state, viewer);
  const std::array<grpc::Slice, 3> slices = {Header(shared.size() + own.size()), shared, own};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace tarot::rules_service
