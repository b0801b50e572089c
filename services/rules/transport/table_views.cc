#include "services/rules/transport/table_views.h"

#include <google/protobuf/io/coded_stream.h>

#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "libs/rpc/block_arena.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/values.h"
#include "services/rules/transport/convert.h"

namespace tarot::rules_service {
namespace {

// The message of a table in play is smaller than 16 KiB.
using StackArena = rpc::BlockArena<16 << 10>;

void EncodePhase(TablePhase phase, v1::Table* out) {
  out->set_state(phase == TablePhase::kPlaying   ? v1::Table::PLAYING
                 : phase == TablePhase::kDealing ? v1::Table::DEALING
                                                 : v1::Table::FINISHED);
}

// Encodes the settings of a table, and its seats without their totals.
void EncodeConfig(const TableConfig& config, v1::Table* out) {
  out->set_name(TableName(config.id));
  for (const SeatConfig& seat : config.seats) {
    v1::Seat* const to = out->add_seats();
    to->set_player(PlayerName(seat.player));
    to->set_display_name(seat.display_name);
    to->set_bot_level(seat.bot_level);
  }
  out->set_deal_count(static_cast<std::uint32_t>(config.deal_count));
  wire::EncodeDuration(config.move_limit, out->mutable_clocks()->mutable_move_limit());
  wire::EncodeDuration(config.time_bank, out->mutable_clocks()->mutable_time_bank());
  out->set_ranked(config.ranked);
  if (config.take_back) out->mutable_options()->set_take_back(true);
  if (config.breaks) out->mutable_options()->set_breaks(true);
  wire::EncodeTime(config.create_time, out->mutable_create_time());
  wire::EncodeRuleSetOf(config.rule_set, config.rules, out);
}

void EncodeProposal(const OpenProposal& proposal, const std::vector<rules::Seat>& pending,
                    v1::Proposal* out) {
  out->set_kind(static_cast<v1::Proposal::Kind>(proposal.kind));
  out->set_seat(static_cast<std::uint32_t>(proposal.seat));
  for (const rules::Seat seat : pending) {
    out->add_pending_seats(static_cast<std::uint32_t>(seat));
  }
  wire::EncodeTime(proposal.expire_time, out->mutable_expire_time());
  out->set_revision(proposal.revision);
}

void EncodeClosedProposal(const ClosedProposal& proposal, v1::ClosedProposal* out) {
  out->set_kind(static_cast<v1::Proposal::Kind>(proposal.kind));
  out->set_seat(static_cast<std::uint32_t>(proposal.seat));
  out->set_revision(proposal.revision);
  out->set_outcome(static_cast<v1::ClosedProposal::Outcome>(proposal.outcome));
  for (const rules::Seat seat : proposal.seats) out->add_seats(static_cast<std::uint32_t>(seat));
  if (proposal.ended_by != rules::kNoSeat) {
    out->set_break_ended_by(static_cast<std::uint32_t>(proposal.ended_by));
  }
}

grpc::Slice Serialize(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.ByteSizeLong());
  // No other owner of the slice exists yet, so writing into it is safe.
  message.SerializeWithCachedSizesToArray(const_cast<std::uint8_t*>(slice.begin()));
  return slice;
}

// Encodes the seats that a viewer has muted. A client merges this message with the part that all
// viewers get. In the merged table, an empty phrase replaces the phrase of each muted seat.
void EncodeMuted(const std::array<bool, rules::kPlayersMax>& muted, v1::Table* out) {
  for (std::uint32_t seat = 0; seat < muted.size(); ++seat) {
    if (!muted[seat]) continue;
    out->add_muted_seats(seat);
    (*out->mutable_phrases())[seat].Clear();
  }
}

// Returns the part that only `seat` may see.
grpc::Slice EncodeOwn(const TableState& state, rules::Seat seat, bool has_deal,
                      bool shows_discard) {
  StackArena arena;
  auto* const table = arena.Make<v1::Table>();
  table->set_viewer(static_cast<std::uint32_t>(seat));
  if (state.talk != nullptr) {
    EncodeMuted((*state.talk)[static_cast<std::size_t>(seat)].muted, table);
  }
  if (!has_deal) return Serialize(*table);
  wire::EncodeOwnView(rules::MakeView(state.match.deal, seat), !shows_discard,
                      table->mutable_deal());
  return Serialize(*table);
}

// Returns the tag and the length of field 1.
grpc::Slice Header(std::size_t size) {
  using google::protobuf::io::CodedOutputStream;
  std::array<std::uint8_t, 6> bytes;
  bytes[0] = 1 << 3 | 2;
  const std::uint8_t* const end =
      CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(size), bytes.data() + 1);
  return grpc::Slice(bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

}  // namespace

void EncodeTableSummary(const TableSummary& summary, PlayerId player, v1::Table* out) {
  const TableConfig& config = summary.config;
  const MatchProgress& progress = summary.progress;
  EncodeConfig(config, out);
  // `summary` does not say whether the next deal has begun: the store updates the summary only when
  // a deal ends. So a match that is not over counts as kPlaying.
  EncodePhase(progress.match_over ? TablePhase::kFinished : TablePhase::kPlaying, out);
  out->set_deals_scored(static_cast<std::uint32_t>(progress.deals_scored));
  const int number = progress.deals_dealt + (progress.match_over ? 0 : 1);
  out->set_deal_number(static_cast<std::uint32_t>(number));
  for (std::size_t seat = 0; seat < config.seats.size(); ++seat) {
    if (seat < progress.totals.size()) {
      out->mutable_seats(static_cast<int>(seat))->set_total(progress.totals[seat]);
    }
    if (config.seats[seat].player == player) out->set_viewer(static_cast<std::uint32_t>(seat));
  }
}

void EncodeClaim(const DealClaim& claim, v1::DealResult* out) {
  if (claim.seat == rules::kNoSeat) return;
  out->set_claim_seat(static_cast<std::uint32_t>(claim.seat));
  out->set_claim_trick(static_cast<std::uint32_t>(claim.trick));
}

void EncodeTable(const TableView& view, v1::Table* out) {
  EncodeConfig(*view.config, out);
  EncodePhase(view.phase, out);
  out->set_revision(view.revision);
  out->set_deals_scored(static_cast<std::uint32_t>(view.deals_scored));
  out->set_deal_number(static_cast<std::uint32_t>(view.deal_number));
  if (view.viewer != rules::kNoSeat) out->set_viewer(static_cast<std::uint32_t>(view.viewer));
  for (std::size_t seat = 0; seat < view.config->seats.size(); ++seat) {
    v1::Seat* const to = out->mutable_seats(static_cast<int>(seat));
    to->set_total(view.totals[seat]);
    to->set_held_by_bot(view.seats[seat].held());
    wire::EncodeDuration(view.seats[seat].time_bank, to->mutable_time_bank());
  }
  if (view.phase != TablePhase::kFinished) {
    v1::NextDeal* const next = out->mutable_next_deal();
    next->set_deal_number(static_cast<std::uint32_t>(view.deal_number + 1));
    if (view.next_commitment) {
      next->set_seed_commitment(AsString(*view.next_commitment));
      for (std::size_t seat = 0; seat < view.config->seats.size(); ++seat) {
        next->add_nonces(view.next_nonces[seat]);
      }
    }
  }
  if (view.turn_expire_time != absl::InfiniteFuture()) {
    wire::EncodeTime(view.turn_expire_time, out->mutable_turn_expire_time());
  }
  if (view.proposal) EncodeProposal(*view.proposal, view.pending, out->mutable_proposal());
  if (view.break_expire_time) {
    wire::EncodeTime(*view.break_expire_time, out->mutable_break_expire_time());
  }
  if (view.last_proposal) {
    EncodeClosedProposal(*view.last_proposal, out->mutable_last_proposal());
  }
  if (view.take_back != rules::kNoSeat) {
    out->set_take_back_seat(static_cast<std::uint32_t>(view.take_back));
  }
  for (std::uint32_t seat = 0; seat < view.phrases.size(); ++seat) {
    if (!view.phrases[seat]) continue;
    v1::SaidPhrase& said = (*out->mutable_phrases())[seat];
    said.set_phrase(static_cast<v1::SaidPhrase::Phrase>(view.phrases[seat]->phrase));
    wire::EncodeTime(view.phrases[seat]->time, said.mutable_say_time());
  }
  EncodeMuted(view.muted, out);
  if (!view.deal) return;
  wire::EncodeView(*view.deal, view.config->rule_set, out->mutable_deal());
  if (!view.void_reason.empty()) {
    out->mutable_deal()->mutable_result()->set_void_reason(view.void_reason);
  }
  if (view.claim.seat != rules::kNoSeat) {
    EncodeClaim(view.claim, out->mutable_deal()->mutable_result());
  }
  out->set_seed_commitment(AsString(view.commitment));
}

const grpc::Slice& EncodedTable::SharedLocked() const {
  if (shared_) return *shared_;
  StackArena arena;
  auto* const table = arena.Make<v1::Table>();
  EncodeTable(MakeTableView(*state_, rules::kNoSeat), table);
  has_deal_ = table->has_deal();
  shows_discard_ = !table->deal().discard().empty();
  return shared_.emplace(Serialize(*table));
}

const grpc::Slice& EncodedTable::Shared() const {
  const std::lock_guard lock(mutex_);
  return SharedLocked();
}

const grpc::Slice& EncodedTable::Own(rules::Seat seat) const {
  const std::lock_guard lock(mutex_);
  std::optional<grpc::Slice>& own = own_[static_cast<std::size_t>(seat)];
  if (own) return *own;
  SharedLocked();
  return own.emplace(EncodeOwn(*state_, seat, has_deal_, shows_discard_));
}

grpc::ByteBuffer EncodedTable::Response(rules::Seat viewer) const {
  const grpc::Slice& shared = Shared();
  if (viewer == rules::kNoSeat) {
    const std::array<grpc::Slice, 2> slices = {Header(shared.size()), shared};
    return grpc::ByteBuffer(slices.data(), slices.size());
  }
  const grpc::Slice& own = Own(viewer);
  const std::array<grpc::Slice, 3> slices = {Header(shared.size() + own.size()), shared, own};
  return grpc::ByteBuffer(slices.data(), slices.size());
}

TableViews::TableViews(std::size_t tables_max) : per_shard_((tables_max + kShards - 1) / kShards) {}

std::shared_ptr<const EncodedTable> TableViews::Of(const std::shared_ptr<const TableState>& state) {
  const TableId table = state->config->id;
  Shard& shard = shards_[absl::HashOf(table) % kShards];
  // `dropped` is destroyed after the lock is released.
  std::shared_ptr<const EncodedTable> dropped;
  const std::lock_guard lock(shard.mutex);
  const auto [found, fresh] = shard.tables.try_emplace(table);
  if (!fresh) {
    // Two states with the same revision may differ in their clocks, so compare the pointers.
    if (found->second->state() == state) return found->second;
    // A caller with an older state must not replace the newest state in the cache.
    auto encoded = std::make_shared<const EncodedTable>(state);
    if (state->revision >= found->second->state()->revision) {
      dropped = std::exchange(found->second, encoded);
    }
    return encoded;
  }
  found->second = std::make_shared<const EncodedTable>(state);
  const std::shared_ptr<const EncodedTable> encoded = found->second;
  if (shard.ring.size() < per_shard_) {
    shard.ring.push_back(table);
    return encoded;
  }
  TableId& oldest = shard.ring[shard.next];
  shard.next = (shard.next + 1) % per_shard_;
  const auto old = shard.tables.find(oldest);
  dropped = std::move(old->second);
  shard.tables.erase(old);
  oldest = table;
  return encoded;
}

}  // namespace tarot::rules_service
