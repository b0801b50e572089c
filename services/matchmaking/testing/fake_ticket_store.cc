#include "services/matchmaking/testing/fake_ticket_store.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::matchmaking_service {
namespace {

template <typename T>
void SortByAge(std::vector<T>& items) {
  std::sort(items.begin(), items.end(), [](const T& a, const T& b) {
    return std::tie(a.create_time, a.id) < std::tie(b.create_time, b.id);
  });
}

}  // namespace

Catalog TestCatalog() {
  Catalog catalog;
  catalog.queues = {{.id = "ranked4",
                     .display_name = "Ranked, four players, 4 deals",
                     .player_count = 4,
                     .terms = {.rule_set = "fft",
                               .deal_count = 4,
                               .move_limit = absl::Seconds(30),
                               .time_bank = absl::Seconds(120),
                               .ranked = true}},
                    {.id = "casual4",
                     .display_name = "Casual, four players, 2 deals",
                     .player_count = 4,
                     .terms = {.rule_set = "fft",
                               .deal_count = 2,
                               .move_limit = absl::Seconds(30),
                               .time_bank = absl::Seconds(60)},
                     .bot_fill_delay = absl::Seconds(8)}};
  for (int place = 1; place <= 32; ++place) {
    const std::string id = absl::StrFormat("b0700000-0000-4000-8000-%012d", place);
    catalog.bots.push_back({.player = *PlayerId::Parse(id),
                            .display_name = absl::StrCat("Bot ", place),
                            .level = place == 1                     ? "strong"
                                     : place == 6                   ? "novice"
                                     : place > 24 || place % 2 == 0 ? "strong"
                                     : place % 4 == 1               ? "novice"
                                                                    : "club"});
  }
  return catalog;
}

void FakeTicketStore::set_failure(absl::Status failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

absl::StatusOr<Catalog> FakeTicketStore::ReadCatalog() {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  return catalog_;
}

absl::Status FakeTicketStore::WriteCatalog(const Catalog& catalog) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  catalog_ = catalog;
  std::stable_sort(catalog_.queues.begin(), catalog_.queues.end(),
                   [](const Queue& a, const Queue& b) {
                     return std::tuple(!a.terms.ranked, a.id) < std::tuple(!b.terms.ranked, b.id);
                   });
  for (auto& [id, ticket] : tickets_) {
    const bool waits = ticket.state == TicketState::kWaiting;
    if (waits && !IsOpen(ticket.queue)) ticket.state = TicketState::kCancelled;
  }
  return absl::OkStatus();
}

bool FakeTicketStore::IsOpen(const std::string& queue) const {
  return std::any_of(catalog_.queues.begin(), catalog_.queues.end(),
                     [&](const Queue& open) { return open.id == queue; });
}

TableId FakeTicketStore::LastTable(PlayerId player) const {
  const Ticket* last = nullptr;
  for (const auto& [id, ticket] : tickets_) {
    if (ticket.player != player || ticket.state != TicketState::kClosed) continue;
    if (last == nullptr || ticket.create_time > last->create_time) last = &ticket;
  }
  return last == nullptr ? TableId() : last->table;
}

absl::StatusOr<CreatedTicket> FakeTicketStore::Create(const NewTicket& ticket) {
  using Outcome = CreatedTicket::Outcome;
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  const auto request = requests_.find({ticket.player, ticket.request_id});
  if (request != requests_.end()) {
    return CreatedTicket{Outcome::kReplayed, tickets_.at(request->second)};
  }
  for (const auto& [id, other] : tickets_) {
    if (other.player == ticket.player && other.queue == ticket.queue && IsLive(other.state)) {
      return CreatedTicket{Outcome::kHasAnother, other};
    }
  }
  if (!IsOpen(ticket.queue)) {
    return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Please try again.");
  }
  requests_[{ticket.player, ticket.request_id}] = ticket.id;
  const Ticket& made = tickets_[ticket.id] = {.id = ticket.id,
                                              .queue = ticket.queue,
                                              .player = ticket.player,
                                              .display_name = ticket.display_name,
                                              .bot_level = ticket.bot_level,
                                              .create_time = ticket.create_time,
                                              .last_table = LastTable(ticket.player)};
  return CreatedTicket{Outcome::kCreated, made};
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::Get(absl::Span<const TicketId> ids) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  std::vector<Ticket> found;
  for (const TicketId& id : ids) {
    const auto ticket = tickets_.find(id);
    if (ticket != tickets_.end()) found.push_back(ticket->second);
  }
  return found;
}

absl::StatusOr<Ticket> FakeTicketStore::Cancel(TicketId id, PlayerId player) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  const auto ticket = tickets_.find(id);
  if (ticket == tickets_.end() || ticket->second.player != player) {
    return absl::NotFoundError("No such ticket.");
  }
  TicketState& state = ticket->second.state;
  if (state == TicketState::kWaiting) state = TicketState::kCancelled;
  return ticket->second;
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::ListWaiting() {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  std::vector<Ticket> waiting;
  for (const auto& [id, ticket] : tickets_) {
    if (ticket.state == TicketState::kWaiting) waiting.push_back(ticket);
  }
  SortByAge(waiting);
  return waiting;
}

absl::StatusOr<std::map<std::string, int>> FakeTicketStore::CountWaiting() {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  std::map<std::string, int> counts;
  for (const auto& [id, ticket] : tickets_) {
    if (ticket.state == TicketState::kWaiting) ++counts[ticket.queue];
  }
  return counts;
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::ListLiveBots() {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  std::vector<Ticket> bots;
  for (const auto& [id, ticket] : tickets_) {
    if (!ticket.bot_level.empty() && IsLive(ticket.state)) bots.push_back(ticket);
  }
  return bots;
}

bool FakeTicketStore::HasLiveTicket(PlayerId player) const {
  return std::any_of(tickets_.begin(), tickets_.end(), [&](const auto& entry) {
    return entry.second.player == player && IsLive(entry.second.state);
  });
}

absl::StatusOr<bool> FakeTicketStore::Place(const PlannedTable& table) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  for (const PlannedSeat& seat : table.seats) {
    if (seat.ticket.empty() && HasLiveTicket(seat.player)) return false;
    if (seat.ticket.empty()) continue;
    const auto ticket = tickets_.find(seat.ticket);
    if (ticket == tickets_.end() || ticket->second.state != TicketState::kWaiting) return false;
  }
  for (const PlannedSeat& seat : table.seats) {
    if (seat.ticket.empty()) continue;
    tickets_[seat.ticket].state = TicketState::kPlacing;
    tickets_[seat.ticket].table = table.id;
  }
  tables_[table.id] = {table, TableState::kPlaced};
  return true;
}

absl::StatusOr<std::vector<PlannedTable>> FakeTicketStore::ListPlaced() {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  std::vector<PlannedTable> placed;
  for (const auto& [id, table] : tables_) {
    if (table.second == TableState::kPlaced) placed.push_back(table.first);
  }
  SortByAge(placed);
  return placed;
}

std::vector<Ticket> FakeTicketStore::Turn(TableId table, TicketState to, bool also_matched) {
  std::vector<Ticket> turned;
  for (auto& [id, ticket] : tickets_) {
    if (ticket.table != table) continue;
    const bool fits = ticket.state == TicketState::kPlacing ||
                      (also_matched && ticket.state == TicketState::kMatched);
    if (!fits) continue;
    ticket.state = to;
    if (to == TicketState::kWaiting) ticket.table = TableId();
    turned.push_back(ticket);
  }
  return turned;
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::Confirm(TableId table) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  const auto found = tables_.find(table);
  if (found == tables_.end() || found->second.second != TableState::kPlaced) {
    return std::vector<Ticket>();
  }
  found->second.second = TableState::kMade;
  return Turn(table, TicketState::kMatched, /*also_matched=*/false);
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::Refuse(TableId table) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  const auto found = tables_.find(table);
  if (found == tables_.end() || found->second.second != TableState::kPlaced) {
    return std::vector<Ticket>();
  }
  found->second.second = TableState::kRefused;
  return Turn(table, TicketState::kWaiting, /*also_matched=*/false);
}

absl::StatusOr<std::vector<Ticket>> FakeTicketStore::Release(TableId table) {
  const std::lock_guard lock(mutex_);
  TAROT_RETURN_IF_ERROR(failure_);
  const auto found = tables_.find(table);
  if (found == tables_.end() || found->second.second == TableState::kRefused) {
    return std::vector<Ticket>();
  }
  found->second.second = TableState::kOver;
  return Turn(table, TicketState::kClosed, /*also_matched=*/true);
}

}  // namespace tarot::matchmaking_service
