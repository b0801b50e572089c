// Declares functions that encode a table for the wire. A state of a table is encoded only once,
// even if many players see it. It has one part that every viewer may see, and one part for each
// seat. If the bytes of two parts of a message follow each other, Protobuf merges the parts. So a
// seat's view is the bytes of the common part, followed by the bytes of the seat's part.
#pragma once

#include <grpcpp/grpcpp.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "services/rules/app/table_state.h"
#include "services/rules/app/table_store.h"
#include "services/rules/limits.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::rules_service {

// This namespace has the proto messages. The domain types are in ::tarot::rules.
namespace v1 = ::tarot::rules::v1;

// Encodes the whole view as one message.
void EncodeTable(const TableView& view, v1::Table* out);

// Encodes the claim that ended a deal, if there was one.
void EncodeClaim(const DealClaim& claim, v1::DealResult* out);
// Encodes a table as `player` sees it in a list.
void EncodeTableSummary(const TableSummary& summary, PlayerId player, v1::Table* out);

// The bytes of one state of a table. Each part is encoded when a caller first needs it. All copies
// of a returned slice share its memory. Thread-safe.
class EncodedTable {
 public:
  explicit EncodedTable(std::shared_ptr<const TableState> state) : state_(std::move(state)) {}

  const std::shared_ptr<const TableState>& state() const { return state_; }

  // Returns the part that every viewer may see.
  const grpc::Slice& Shared() const;
  // Returns the part that only `seat` may see.
  const grpc::Slice& Own(rules::Seat seat) const;
  // Returns a response whose field 1 is the table as `viewer` may see it. kNoSeat means a watcher.
  // If field 1 is parsed, the result is the message that EncodeTable makes.
  grpc::ByteBuffer Response(rules::Seat viewer) const;

 private:
  const grpc::Slice& SharedLocked() const;  // Needs mutex_.

  const std::shared_ptr<const TableState> state_;
  // Guards all members below. A thread holds this mutex while it encodes a part.
  mutable std::mutex mutex_;
  mutable std::optional<grpc::Slice> shared_;
  mutable bool has_deal_ = false;
  mutable bool shows_discard_ = false;
  mutable std::array<std::optional<grpc::Slice>, rules::kPlayersMax> own_;
};

// A cache of encoded tables, with one state for each table. Its memory is bounded: when the cache
// is full, it drops the table that was added first. Thread-safe.
class TableViews {
 public:
  // `tables_max` is the number of tables in the cache. The cache has equal shards, so its size is
  // rounded up.
  explicit TableViews(std::size_t tables_max = kEncodedTablesMax);

  // Returns the bytes of `state`. While the cache keeps this state, all callers get the same
  // object.
  std::shared_ptr<const EncodedTable> Of(const std::shared_ptr<const TableState>& state);

 private:
  // With several shards, threads seldom wait for each other.
  static constexpr std::size_t kShards = 16;

  struct Shard {
    std::mutex mutex;
    absl::flat_hash_map<TableId, std::shared_ptr<const EncodedTable>> tables;
    std::vector<TableId> ring;  // The keys of `tables`. The oldest key has the index `next`.
    std::size_t next = 0;
  };

  const std::size_t per_shard_;
  std::array<Shard, kShards> shards_;
};

}  // namespace tarot::rules_service
