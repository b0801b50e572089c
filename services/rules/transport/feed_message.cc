#include "services/rules/transport/feed_message.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstring>
#include <string>

#include "libs/status/wire.h"

namespace tarot::rules_service {
namespace {

using google::protobuf::io::CodedOutputStream;

constexpr std::size_t kIdBytes = 16;

// Field numbers of table_feed_service.proto, each with its wire type: 2 for bytes, 0 for a varint.
constexpr std::uint8_t kFrames = 1 << 3 | 2;
constexpr std::uint8_t kTable = 1 << 3 | 2;
constexpr std::uint8_t kRevision = 2 << 3 | 0;
constexpr std::uint8_t kShared = 3 << 3 | 2;
constexpr std::uint8_t kSeats = 4 << 3 | 2;
constexpr std::uint8_t kEnd = 5 << 3 | 2;
constexpr std::uint8_t kPlayer = 1 << 3 | 2;
constexpr std::uint8_t kOwn = 2 << 3 | 2;

// Returns the size of a field whose content has `size` bytes, including tag and length.
std::size_t FieldBytes(std::size_t size) {
  return 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(size)) + size;
}

// Writes into memory that is large enough; the caller has checked this.
class Writer {
 public:
  explicit Writer(std::uint8_t* to) : to_(to) {}

  void Begin(std::uint8_t tag, std::size_t size) {
    *to_++ = tag;
    to_ = CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), to_);
  }
  void Field(std::uint8_t tag, const void* bytes, std::size_t size) {
    Begin(tag, size);
    if (size > 0) std::memcpy(to_, bytes, size);
    to_ += size;
  }

 private:
  std::uint8_t* to_;
};

// A frame with everything that determines its size.
struct Sized {
  const FeedFrame* frame;
  std::shared_ptr<const EncodedTable> table;  // Null if the frame shows no state.
  std::string end;                            // The bytes of a google.rpc.Status; empty for OK.
  std::vector<rules::Seat> people;
  std::size_t bytes = 0;
};

std::size_t SeatBytes(const EncodedTable& table, rules::Seat seat) {
  return FieldBytes(kIdBytes) + FieldBytes(table.Own(seat).size());
}

Sized Measure(TableViews& views, const FeedFrame& frame) {
  Sized out{.frame = &frame, .bytes = FieldBytes(kIdBytes)};
  if (frame.end) {
    out.end = status::ToGrpc(*frame.end).error_details();
    out.bytes += FieldBytes(out.end.size());
  }
  if (frame.state == nullptr) return out;
  const TableState& state = *frame.state;
  out.table = views.Of(frame.state);
  out.bytes += 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(state.revision));
  out.bytes += FieldBytes(out.table->Shared().size());
  for (std::size_t i = 0; i < state.config->seats.size(); ++i) {
    if (state.config->seats[i].bot()) continue;
    out.people.push_back(static_cast<rules::Seat>(i));
    out.bytes += FieldBytes(SeatBytes(*out.table, out.people.back()));
  }
  return out;
}

void Write(const Sized& sized, Writer& writer) {
  writer.Begin(kFrames, sized.bytes);
  writer.Field(kTable, sized.frame->table.uuid.bytes().data(), kIdBytes);
  if (sized.frame->state != nullptr) {
    const TableState& state = *sized.frame->state;
    // The revision is a varint, like a length.
    writer.Begin(kRevision, static_cast<std::size_t>(state.revision));
    const grpc::Slice& shared = sized.table->Shared();
    writer.Field(kShared, shared.begin(), shared.size());
    for (const rules::Seat seat : sized.people) {
      const PlayerId player = state.config->seats[static_cast<std::size_t>(seat)].player;
      const grpc::Slice& own = sized.table->Own(seat);
      writer.Begin(kSeats, SeatBytes(*sized.table, seat));
      writer.Field(kPlayer, player.uuid.bytes().data(), kIdBytes);
      writer.Field(kOwn, own.begin(), own.size());
    }
  }
  if (sized.frame->end) writer.Field(kEnd, sized.end.data(), sized.end.size());
}

}  // namespace

grpc::ByteBuffer FeedMessage(TableViews& views, const std::vector<FeedFrame>& frames) {
  std::vector<Sized> all;
  all.reserve(frames.size());
  std::size_t bytes = 0;
  for (const FeedFrame& frame : frames) {
    all.push_back(Measure(views, frame));
    bytes += FieldBytes(all.back().bytes);
  }
  const grpc::Slice slice(bytes);
  Writer writer(const_cast<std::uint8_t*>(slice.begin()));  // The slice has no other owner yet.
  for (const Sized& sized : all) Write(sized, writer);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace tarot::rules_service
