#include "services/matchmaking/app/ticket_service.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "services/matchmaking/app/errors.h"

namespace tarot::matchmaking_service {
namespace {

std::optional<Queue> FindQueue(const Catalog& catalog, const std::string& id) {
  for (const Queue& queue : catalog.queues) {
    if (queue.id == id) return queue;
  }
  return std::nullopt;
}

}  // namespace

EndOfMatch EndFor(PlayerId player, absl::Span<const PlayerId> persons, const FinishedMatch& match,
                  bool ranked) {
  const auto has_left = [&](PlayerId person) {
    return std::find(match.left.begin(), match.left.end(), person) != match.left.end();
  };
  if (!has_left(player)) return EndOfMatch::kFinished;
  if (!ranked) return EndOfMatch::kLeftCasual;
  return std::all_of(persons.begin(), persons.end(), has_left) ? EndOfMatch::kLeftWithAll
                                                               : EndOfMatch::kLeftOthers;
}

TicketService::TicketService(Clock& clock, Entropy& entropy, TicketStore& store, Lobby& lobby,
                             QueueCatalog& catalog, MatchEnds& match_ends)
    : clock_(clock),
      entropy_(entropy),
      store_(store),
      lobby_(lobby),
      catalog_(catalog),
      match_ends_(match_ends) {}

absl::StatusOr<TicketView> TicketService::Create(const Joining& joining) {
  absl::StatusOr<TicketView> created = CreateNow(joining);
  const std::string reason = GetErrorDetails(created.status()).reason;
  if (reason != "TICKET_EXISTS" && reason != "MATCHES_MISSING") return created;
  // A client may have seen the last card of a match before the rules service could report its end.
  TAROT_ASSIGN_OR_RETURN(const bool released, ReleaseFinished(joining.player, joining.queue));
  return released ? CreateNow(joining) : created;
}

absl::StatusOr<bool> TicketService::ReleaseFinished(PlayerId player, const std::string& queue) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> live, store_.ListLive(player));
  // If the player has no ticket in the queue, another call has released the table a moment ago, for
  // example the call of another player of this table.
  bool released = std::none_of(live.begin(), live.end(),
                               [&](const Ticket& ticket) { return ticket.queue == queue; });
  for (const Ticket& ticket : live) {
    if (ticket.state != TicketState::kMatched) continue;
    TAROT_ASSIGN_OR_RETURN(const bool over, ReleaseIfOver(ticket.table));
    released = released || over;
  }
  return released;
}

absl::StatusOr<bool> TicketService::ReleaseIfOver(TableId table) {
  absl::StatusOr<std::optional<std::vector<PlayerId>>> left = match_ends_.FindLeftPlayers(table);
  if (!left.ok() || !*left) return false;
  TAROT_RETURN_IF_ERROR(Release(table, **std::move(left)));
  return true;
}

absl::StatusOr<TicketView> TicketService::CreateNow(const Joining& joining) {
  std::optional<Queue> queue = FindQueue(*catalog_.Get(), joining.queue);
  if (!queue) {
    // Perhaps an operator has opened the queue since this replica read the catalog, so read the
    // catalog again. But clients can name queues that do not exist, so read at most once per
    // second.
    const absl::Status read = catalog_.RefreshAtMostOncePerSecond(clock_.Now());
    if (absl::IsUnavailable(read)) return read;
    queue = FindQueue(*catalog_.Get(), joining.queue);
    if (!queue) return error::QueueNotFound();
  }
  if (!joining.party.empty() && queue->terms.ranked) {
    return error::FieldInvalid("party", "must be empty in a ranked queue");
  }
  if (joining.party_size > queue->player_count) return error::PartyTooLarge(queue->player_count);
  if (queue->terms.ranked) {
    const absl::Status allowed = CheckStanding(joining.player, *queue);
    if (!allowed.ok()) {
      // A repeated request gets its ticket, even if the service would refuse a new request.
      TAROT_ASSIGN_OR_RETURN(const std::optional<TicketView> first,
                             FindRequest(joining.player, joining.request_id));
      return first ? absl::StatusOr<TicketView>(*first) : allowed;
    }
  }
  TAROT_ASSIGN_OR_RETURN(const CreatedTicket created,
                         store_.Create({.id = TicketId{entropy_.NewUuid()},
                                        .queue = joining.queue,
                                        .player = joining.player,
                                        .display_name = joining.display_name,
                                        .request_id = joining.request_id,
                                        .create_time = clock_.Now(),
                                        .party = joining.party,
                                        .party_size = joining.party_size,
                                        .network = joining.network,
                                        .region = joining.region}));
  if (created.outcome == CreatedTicket::Outcome::kHasAnother)
    return error::TicketExists(created.ticket);
  return lobby_.View(created.ticket);
}

absl::Status TicketService::CheckStanding(PlayerId player, const Queue& queue) {
  TAROT_ASSIGN_OR_RETURN(const Standing standing, store_.GetStanding(player));
  const absl::Duration left = standing.penalty_end - clock_.Now();
  if (left > absl::ZeroDuration()) return error::LeaverPenalty(standing.penalty_end, left);
  const int missing = queue.required_matches - standing.finished_count;
  if (missing > 0) return error::MatchesMissing(missing);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<TicketView>> TicketService::FindRequest(PlayerId player,
                                                                     RequestId request) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> found, store_.FindRequest(player, request));
  if (found.empty()) return std::nullopt;
  return lobby_.View(found[0]);
}

absl::StatusOr<TicketView> TicketService::Get(PlayerId player, TicketId id) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Get({id}));
  if (tickets.empty() || tickets[0].player != player) return error::TicketNotFound();
  return lobby_.View(tickets[0]);
}

absl::StatusOr<TicketView> TicketService::Cancel(PlayerId player, TicketId id) {
  const absl::StatusOr<Ticket> ticket = store_.Cancel(id, player);
  if (absl::IsNotFound(ticket.status())) return error::TicketNotFound();
  TAROT_RETURN_IF_ERROR(ticket.status());
  if (ticket->state != TicketState::kCancelled) return error::TicketMatched(*ticket);
  lobby_.Show({*ticket});
  return lobby_.View(*ticket);
}

absl::StatusOr<int> TicketService::Withdraw(PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> live, store_.ListLive(player));
  int withdrawn = 0;
  for (const Ticket& ticket : live) {
    if (ticket.state != TicketState::kWaiting) continue;
    const absl::StatusOr<TicketView> cancelled = Cancel(player, ticket.id);
    if (cancelled.ok()) ++withdrawn;
    // Ignores the other errors of Cancel: the ticket has a table now, or is deleted.
    if (absl::IsUnavailable(cancelled.status())) return cancelled.status();
  }
  return withdrawn;
}

absl::StatusOr<int> TicketService::SetQueueOpen(const std::string& queue, bool open) {
  const absl::StatusOr<std::vector<Ticket>> cancelled = store_.SetQueueOpen(queue, open);
  if (absl::IsNotFound(cancelled.status())) return error::QueueNotFound();
  TAROT_RETURN_IF_ERROR(cancelled.status());
  TAROT_RETURN_IF_ERROR(catalog_.Refresh());
  lobby_.Show(*cancelled);
  return static_cast<int>(cancelled->size());
}

absl::Status TicketService::Watch(PlayerId player, TicketId id,
                                  const std::shared_ptr<const Lobby::Watcher>& watcher) {
  TAROT_ASSIGN_OR_RETURN(const TicketView view, Get(player, id));
  (*watcher)(view);
  // A change may come after the call of Get. The watcher gets this change too, because WaveJob
  // reads every watched ticket every 200 ms.
  lobby_.Watch(view, watcher);
  return absl::OkStatus();
}

absl::StatusOr<TicketExplanation> TicketService::Explain(TicketId id) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, store_.Get({id}));
  if (tickets.empty()) return error::TicketNotFound();
  return lobby_.Explain(tickets[0]);
}

absl::Status TicketService::Release(TableId table, std::vector<PlayerId> left) {
  TAROT_ASSIGN_OR_RETURN(
      const std::vector<Ticket> tickets,
      store_.Release({.table = table, .left = std::move(left), .time = clock_.Now()}));
  lobby_.Show(tickets);
  return absl::OkStatus();
}

}  // namespace tarot::matchmaking_service
