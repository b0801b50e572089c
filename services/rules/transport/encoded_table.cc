#include "services/rules/transport/encoded_table.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>

#include <array>

#include "libs/wire/convert.h"
#include "services/rules/transport/convert.h"

namespace tarot::rules_service {
namespace {

struct EncodedTable {
  grpc::Slice shared;
  std::array<grpc::Slice, rules::kPlayersMax> own;
};

grpc::Slice Serialize(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.ByteSizeLong());
  // Ours alone until it is returned.
  message.SerializeWithCachedSizesToArray(const_cast<std::uint8_t*>(slice.begin()));
  return slice;
}

// What `seat` sees beyond what `shared` shows to all. Only fields that are named here travel.
void EncodeOwn(const TableState& state, rules::Seat seat, const v1::Table& shared, v1::Table* out,
               v1::DealView* scratch) {
  out->set_viewer(static_cast<std::uint32_t>(seat));
  if (!shared.has_deal()) return;
  rules::View view = rules::MakeView(state.match.deal, seat);
  view.bid_count = view.handful_count = view.trick_count = 0;  // Long, and all see them.
  wire::EncodeView(view, "", scratch);
  v1::DealView* own = out->mutable_deal();
  own->set_viewer(scratch->viewer());
  own->mutable_hand()->Swap(scratch->mutable_hand());
  if (scratch->has_partner()) own->set_partner(scratch->partner());
  if (shared.deal().discard().empty()) own->mutable_discard()->Swap(scratch->mutable_discard());
  if (scratch->has_legal()) own->mutable_legal()->Swap(scratch->mutable_legal());
}

EncodedTable Encode(const TableState& state) {
  std::array<char, 16 << 10> block;  // Enough for a table in play: no memory is asked for.
  google::protobuf::ArenaOptions options;
  options.initial_block = block.data();
  options.initial_block_size = block.size();
  google::protobuf::Arena arena(options);
  const auto make = [&]<typename Message>(Message*) {
    return google::protobuf::Arena::CreateMessage<Message>(&arena);
  };
  v1::Table* const shared = make(static_cast<v1::Table*>(nullptr));
  EncodeTable(MakeTableView(state, rules::kNoSeat), shared);
  EncodedTable encoded{.shared = Serialize(*shared)};
  for (std::size_t seat = 0; seat < state.config->seats.size(); ++seat) {
    v1::Table* const own = make(static_cast<v1::Table*>(nullptr));
    EncodeOwn(state, static_cast<rules::Seat>(seat), *shared, own,
              make(static_cast<v1::DealView*>(nullptr)));
    encoded.own[seat] = Serialize(*own);
  }
  return encoded;
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

grpc::ByteBuffer TableResponse(const TableState& state, rules::Seat viewer) {
  const EncodedTable& encoded = state.encoded.Get<EncodedTable>([&] { return Encode(state); });
  if (viewer == rules::kNoSeat) {
    const std::array<grpc::Slice, 2> slices = {Header(encoded.shared.size()), encoded.shared};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }
  const grpc::Slice& own = encoded.own[static_cast<std::size_t>(viewer)];
  const std::array<grpc::Slice, 3> slices = {Header(encoded.shared.size() + own.size()),
                                             encoded.shared, own};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace tarot::rules_service
