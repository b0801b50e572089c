#include "services/rules/app/table_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/action.h"
#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

absl::Status Corrupt(const LogEntry& entry, absl::string_view what) {
  return Error(absl::StatusCode::kInternal, "BUG",
               absl::StrCat("Log entry ", entry.revision, ": ", what));
}

absl::Status AdvanceDeal(TableState& state, const LogEntry& entry) {
  rules::Match& match = state.match;
  const std::optional<dealing::DealStart> start =
      dealing::DecodeDealStart(entry.payload, match.players, match.deals_dealt + 1);
  if (!start) return Corrupt(entry, "not the start of a deal");
  if (match.DealRunning() || match.Finished()) return Corrupt(entry, "no deal is due");
  const bool plain = start->provenance.procedure == dealing::Procedure::kSeedAlone;
  // What was promised, to the last bit.
  if (state.next && *start != StartOf(match, *state.next, start->next_seed)) {
    return Corrupt(entry, "another deal than the one that was committed to");
  }
  state.provenance = start->provenance;
  state.commitment = dealing::Commit(state.provenance.seed);
  state.deal_revision = entry.revision;
  state.next.reset();
  if (!plain) state.next = NextDealOf(start->next_seed);
  match.next_dealer = start->dealer;
  StartNextDeal(match, PackOf(match.rules, match.players, state.provenance));
  return absl::OkStatus();
}

absl::Status AdvanceAction(TableState& state, const LogEntry& entry) {
  const std::optional<rules::Action> action = rules::DecodeAction(entry.payload);
  if (!action) return Corrupt(entry, "not an action");
  const rules::Verdict verdict = Apply(state.match, entry.seat, *action);
  if (!verdict.ok()) return rules::RefusalStatus(*action, verdict);

  SeatState& seat = state.seats[static_cast<std::size_t>(entry.seat)];
  if (entry.actor == Actor::kClock) ++seat.strikes;
  if (entry.actor == Actor::kPlayer) seat.strikes = 0;
  if (entry.actor != Actor::kBot) {
    const absl::Duration over = entry.elapsed - state.config->move_limit;
    seat.time_bank -= std::clamp(over, absl::ZeroDuration(), seat.time_bank);
  }
  return absl::OkStatus();
}

}  // namespace

rules::Seat TableState::SeatOf(PlayerId player) const {
  for (std::size_t seat = 0; seat < config->seats.size(); ++seat) {
    if (config->seats[seat].player == player) return static_cast<rules::Seat>(seat);
  }
  return rules::kNoSeat;
}

bool TableState::BotInTurn() const {
  if (!match.DealRunning()) return false;
  const auto seat = static_cast<std::size_t>(match.deal.turn);
  return config->seats[seat].bot() || seats[seat].held();
}

absl::Time TableState::TurnExpireTime() const {
  if (!match.DealRunning() || BotInTurn()) return absl::InfiniteFuture();
  return turn_start + config->move_limit +
         seats[static_cast<std::size_t>(match.deal.turn)].time_bank;
}

TableState NewTable(std::shared_ptr<const TableConfig> config) {
  TableState state;
  state.match =
      rules::StartMatch(config->rules, static_cast<int>(config->seats.size()), config->deal_count);
  if (config->first_seed) state.next = NextDealOf(*config->first_seed);
  for (SeatState& seat : state.seats) seat.time_bank = config->time_bank;
  state.turn_start = config->create_time;
  state.config = std::move(config);
  return state;
}

absl::Status Advance(TableState& state, const LogEntry& entry) {
  if (entry.revision != state.revision + 1) return Corrupt(entry, "a gap before it");
  switch (entry.kind) {
    case EventKind::kDeal:
      TAROT_RETURN_IF_ERROR(AdvanceDeal(state, entry));
      break;
    case EventKind::kAction:
      TAROT_RETURN_IF_ERROR(AdvanceAction(state, entry));
      break;
    case EventKind::kNonce:
      if (entry.seat < 0 || entry.seat >= state.match.players) return Corrupt(entry, "no seat");
      TAROT_RETURN_IF_ERROR(AddNonce(state.match, entry.seat, entry.payload, state.next));
      break;
    case EventKind::kResume:
      if (entry.seat < 0 || entry.seat >= state.match.players) return Corrupt(entry, "no seat");
      state.seats[static_cast<std::size_t>(entry.seat)].strikes = 0;
      break;
  }
  state.revision = entry.revision;
  // Who comes back while another thinks does not give that one a new move limit; a nonce gives
  // nobody more time, nor does it put off the next deal.
  const bool same_turn = entry.kind == EventKind::kResume && state.match.DealRunning() &&
                         state.match.deal.turn != entry.seat;
  if (!same_turn && entry.kind != EventKind::kNonce) state.turn_start = entry.create_time;
  return absl::OkStatus();
}

absl::StatusOr<TableState> Replay(std::shared_ptr<const TableConfig> config,
                                  const std::vector<LogEntry>& log) {
  TableState state = NewTable(std::move(config));
  for (const LogEntry& entry : log) TAROT_RETURN_IF_ERROR(Advance(state, entry));
  return state;
}

}  // namespace tarot::rules_service
