#include "services/matchmaking/app/friend_service.h"

#include <cstddef>

#include "absl/cleanup/cleanup.h"
#include "libs/base/error.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

absl::Status FriendService::CheckOther(const FriendCaller& caller, PlayerId player) const {
  if (player == caller.player) return error::FieldInvalid("player", "must be another player");
  if (catalog_.IsBot(player)) return error::PlayerIsBot();
  return absl::OkStatus();
}

absl::Status FriendService::CheckKnown(PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const bool seen, store_.HasSeen(player));
  return seen ? absl::OkStatus() : error::PlayerNotFound();
}

template <typename Change>
auto FriendService::ChangePair(PlayerId caller, PlayerId player, const Change& change)
    -> decltype(change()) {
  const SlotHolder holder = {.player = caller, .address = player.ToString()};
  if (pair_slots_.Acquire(holder) != SlotAnswer::kTaken) return error::Overloaded();
  const absl::Cleanup release = [&] { pair_slots_.Release(holder); };
  return change();
}

absl::StatusOr<FriendList> FriendService::List(const FriendCaller& caller, int size,
                                               const std::optional<FriendKey>& after) {
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  TAROT_ASSIGN_OR_RETURN(std::vector<KnownPlayer> friends,
                         store_.ListFriends({.player = caller.player,
                                             .size = size + 1,
                                             .after = after,
                                             .online_since = clock_.Now() - kOnlineFor}));
  FriendList list;
  if (friends.size() > static_cast<std::size_t>(size)) {
    friends.pop_back();
    list.next = FriendKey{.relation = friends.back().relation, .player = friends.back().player};
  }
  list.friends = std::move(friends);
  return list;
}

absl::StatusOr<FriendOutcome> FriendService::Ask(const FriendCaller& caller, PlayerId player,
                                                 bool accepts) {
  TAROT_RETURN_IF_ERROR(CheckOther(caller, player));
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  if (!accepts) TAROT_RETURN_IF_ERROR(CheckKnown(player));
  TAROT_ASSIGN_OR_RETURN(const FriendOutcome outcome, ChangePair(caller.player, player, [&] {
                           return store_.AskFriend(caller.player, player, accepts, clock_.Now());
                         }));
  switch (outcome) {
    case FriendOutcome::kFriends:
    case FriendOutcome::kRequested:
      break;
    case FriendOutcome::kNoRequest:
      return error::RequestNotFound();
    case FriendOutcome::kBlocked:
      return error::Blocked();
    case FriendOutcome::kFull:
      return error::FriendsFull();
  }
  return outcome;
}

absl::StatusOr<Relation> FriendService::Request(const FriendCaller& caller, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const FriendOutcome outcome, Ask(caller, player, /*accepts=*/false));
  return outcome == FriendOutcome::kFriends ? Relation::kFriend : Relation::kRequestSent;
}

absl::Status FriendService::Accept(const FriendCaller& caller, PlayerId player) {
  return Ask(caller, player, /*accepts=*/true).status();
}

absl::Status FriendService::Remove(const FriendCaller& caller, PlayerId player) {
  TAROT_RETURN_IF_ERROR(CheckOther(caller, player));
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  return ChangePair(caller.player, player,
                    [&] { return store_.RemoveFriend(caller.player, player); });
}

absl::Status FriendService::Block(const FriendCaller& caller, PlayerId player) {
  TAROT_RETURN_IF_ERROR(CheckOther(caller, player));
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  TAROT_RETURN_IF_ERROR(CheckKnown(player));
  TAROT_ASSIGN_OR_RETURN(const bool stored, ChangePair(caller.player, player, [&] {
                           return store_.Block(caller.player, player, clock_.Now());
                         }));
  return stored ? absl::OkStatus() : error::BlocksFull();
}

absl::Status FriendService::Unblock(const FriendCaller& caller, PlayerId player) {
  TAROT_RETURN_IF_ERROR(CheckOther(caller, player));
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  return ChangePair(caller.player, player, [&] { return store_.Unblock(caller.player, player); });
}

absl::Status FriendService::Report(const FriendCaller& caller, PlayerReport report) {
  TAROT_RETURN_IF_ERROR(CheckOther(caller, report.player));
  TAROT_RETURN_IF_ERROR(seen_.See(caller.player, caller.display_name));
  TAROT_ASSIGN_OR_RETURN(const int deals, deals_.CountDeals({.player = caller.player,
                                                             .display_name = caller.display_name},
                                                            report.table));
  if (report.deal_number > deals) return error::DealNotFound(deals);
  report.reporter = caller.player;
  report.report_time = clock_.Now();
  TAROT_ASSIGN_OR_RETURN(const ReportOutcome outcome, store_.Report(report));
  switch (outcome) {
    case ReportOutcome::kStored:
    case ReportOutcome::kRepeated:
      break;
    case ReportOutcome::kNoTable:
      return error::TableNotFound();
    case ReportOutcome::kNotAtTable:
      return error::NotAtTable();
    case ReportOutcome::kBot:
      return error::PlayerIsBot();
    case ReportOutcome::kFull:
      return error::ReportsFull();
  }
  return absl::OkStatus();
}

absl::StatusOr<ReportList> FriendService::ListReports(int size,
                                                      const std::optional<PlayerReport>& after) {
  TAROT_ASSIGN_OR_RETURN(std::vector<PlayerReport> reports,
                         store_.ListReports({.size = size + 1, .after = after}));
  ReportList list;
  if (reports.size() > static_cast<std::size_t>(size)) {
    reports.pop_back();
    list.next = reports.back();
  }
  list.reports = std::move(reports);
  return list;
}

absl::Status FriendService::Delete(PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const TableId table, store_.DeletePlayer(player));
  return table.empty() ? absl::OkStatus() : error::PlayerPlays(table);
}

}  // namespace tarot::matchmaking_service
