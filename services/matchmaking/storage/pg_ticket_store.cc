#include "services/matchmaking/storage/pg_ticket_store.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "services/matchmaking/storage/ticket_statements.h"

namespace tarot::matchmaking_service {
namespace {

template <typename Id>
Id IdFrom(const pqxx::field& field) {
  if (field.is_null()) return Id();
  const std::optional<Id> id = Id::Parse(field.c_str());
  TAROT_CHECK(id.has_value());  // The column's type is uuid.
  return *id;
}

// Sessions run in UTC: "2026-11-21 01:02:03.456789+00".
absl::Time TimeFrom(const pqxx::field& field) {
  absl::Time time;
  TAROT_CHECK(absl::ParseTime("%Y-%m-%d %H:%M:%E*S%Ez", field.c_str(), &time, nullptr));
  return time;
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone());
}

TicketState StateFrom(const std::string& text) {
  static const auto& states = *new std::map<std::string, TicketState>{
      {"waiting", TicketState::kWaiting}, {"placing", TicketState::kPlacing},
      {"matched", TicketState::kMatched}, {"cancelled", TicketState::kCancelled},
      {"closed", TicketState::kClosed},
  };
  return states.at(text);
}

Queue QueueFrom(const pqxx::row& row) {
  const auto seconds = [&](const char* column) { return absl::Seconds(row[column].as<int>()); };
  return {.id = row["queue_id"].as<std::string>(),
          .display_name = row["display_name"].as<std::string>(),
          .player_count = row["player_count"].as<int>(),
          .rule_set = row["rule_set"].as<std::string>(),
          .deal_count = row["deal_count"].as<int>(),
          .move_limit = seconds("move_limit_seconds"),
          .time_bank = seconds("time_bank_seconds"),
          .ranked = row["ranked"].as<bool>(),
          .bot_fill_delay = seconds("bot_fill_delay_seconds")};
}

Ticket TicketFrom(const pqxx::row& row) {
  return {.id = IdFrom<TicketId>(row["ticket_id"]),
          .queue = row["queue_id"].as<std::string>(),
          .player = IdFrom<PlayerId>(row["player_id"]),
          .display_name = row["display_name"].as<std::string>(),
          .bot_level = row["bot_level"].as<std::string>(),
          .state = StateFrom(row["state"].as<std::string>()),
          .create_time = TimeFrom(row["create_time"]),
          .table = IdFrom<TableId>(row["table_id"]),
          .last_table = IdFrom<TableId>(row["last_table_id"])};
}

// One element of an array literal.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

template <typename Items, typename ToText>
std::string ArrayText(const Items& items, ToText to_text) {
  return absl::StrCat("{",
                      absl::StrJoin(items, ",",
                                    [&](std::string* out, const auto& item) {
                                      absl::StrAppend(out, to_text(item));
                                    }),
                      "}");
}

}  // namespace

PgTicketStore::PgTicketStore(pg::PoolOptions options, prometheus::Registry& registry)
    : pool_(std::move(options), TicketStatements(), registry) {}

template <typename... Args>
absl::StatusOr<std::vector<Ticket>> PgTicketStore::Tickets(const pg::Statement& statement,
                                                           const Args&... args) {
  return pool_.With(statement,
                    [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Ticket>> {
                      pqxx::nontransaction tx(connection);
                      std::vector<Ticket> tickets;
                      for (const pqxx::row& row : tx.exec_prepared(statement.name, args...)) {
                        tickets.push_back(TicketFrom(row));
                      }
                      return tickets;
                    });
}

absl::StatusOr<std::vector<Queue>> PgTicketStore::ListQueues() {
  return pool_.With(kListQueues,
                    [](pqxx::connection& connection) -> absl::StatusOr<std::vector<Queue>> {
                      pqxx::nontransaction tx(connection);
                      std::vector<Queue> queues;
                      for (const pqxx::row& row : tx.exec_prepared(kListQueues.name)) {
                        queues.push_back(QueueFrom(row));
                      }
                      return queues;
                    });
}

absl::StatusOr<std::vector<Bot>> PgTicketStore::ListBots() {
  return pool_.With(kListBots,
                    [](pqxx::connection& connection) -> absl::StatusOr<std::vector<Bot>> {
                      pqxx::nontransaction tx(connection);
                      std::vector<Bot> bots;
                      for (const pqxx::row& row : tx.exec_prepared(kListBots.name)) {
                        bots.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                                        .display_name = row["display_name"].as<std::string>(),
                                        .level = row["level"].as<std::string>()});
                      }
                      return bots;
                    });
}

absl::StatusOr<CreatedTicket> PgTicketStore::Create(const NewTicket& ticket) {
  using Outcome = CreatedTicket::Outcome;
  const std::string player = ticket.player.ToString();
  const std::string request = ticket.request_id.ToString();
  TAROT_ASSIGN_OR_RETURN(
      const std::vector<Ticket> created,
      Tickets(kCreateTicket, ticket.id.ToString(), ticket.queue, player, ticket.display_name,
              ticket.bot_level, request, TimeText(ticket.create_time)));
  if (!created.empty()) return CreatedTicket{Outcome::kCreated, created[0]};
  return pool_.With(
      kFindTicket, [&](pqxx::connection& connection) -> absl::StatusOr<CreatedTicket> {
        pqxx::nontransaction tx(connection);
        const pqxx::result rows = tx.exec_prepared(kFindTicket.name, player, ticket.queue, request);
        if (rows.empty()) {  // It ended between the two statements: the same call again succeeds.
          return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Please try again.");
        }
        const bool replayed = rows[0]["request_id"].as<std::string>() == request;
        return CreatedTicket{replayed ? Outcome::kReplayed : Outcome::kHasAnother,
                             TicketFrom(rows[0])};
      });
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::Get(absl::Span<const TicketId> ids) {
  return Tickets(kGetTickets, ArrayText(ids, [](TicketId id) { return id.ToString(); }));
}

absl::StatusOr<Ticket> PgTicketStore::Cancel(TicketId id, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> cancelled,
                         Tickets(kCancelTicket, id.ToString(), player.ToString()));
  if (!cancelled.empty()) return cancelled[0];
  // A statement of its own: the first one's snapshot may be older than what it lost the race to.
  TAROT_ASSIGN_OR_RETURN(const std::vector<Ticket> tickets, Get({id}));
  if (tickets.empty() || tickets[0].player != player) {
    return absl::NotFoundError("No such ticket.");
  }
  return tickets[0];
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::ListWaiting() { return Tickets(kListWaiting); }

absl::StatusOr<std::map<std::string, int>> PgTicketStore::CountWaiting() {
  return pool_.With(kCountWaiting,
                    [](pqxx::connection& connection) -> absl::StatusOr<std::map<std::string, int>> {
                      pqxx::nontransaction tx(connection);
                      std::map<std::string, int> counts;
                      for (const pqxx::row& row : tx.exec_prepared(kCountWaiting.name)) {
                        counts[row["queue_id"].as<std::string>()] = row["count"].as<int>();
                      }
                      return counts;
                    });
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::ListLiveBots() { return Tickets(kListLiveBots); }

absl::StatusOr<bool> PgTicketStore::Place(const PlannedTable& table) {
  const auto& seats = table.seats;
  const std::string players =
      ArrayText(seats, [](const Seat& seat) { return seat.player.ToString(); });
  const std::string names =
      ArrayText(seats, [](const Seat& seat) { return Quoted(seat.display_name); });
  const std::string levels =
      ArrayText(seats, [](const Seat& seat) { return Quoted(seat.bot_level); });
  const std::string tickets = ArrayText(seats, [](const Seat& seat) {
    return seat.ticket.empty() ? std::string("NULL") : seat.ticket.ToString();
  });
  return pool_.With(kPlaceTable, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
    pqxx::nontransaction tx(connection);
    return !tx.exec_prepared(kPlaceTable.name, table.id.ToString(), table.queue,
                             table.rating_spread, TimeText(table.create_time), players, names,
                             levels, tickets)
                .empty();
  });
}

absl::StatusOr<std::vector<PlannedTable>> PgTicketStore::ListPlaced() {
  return pool_.With(
      kListPlaced, [](pqxx::connection& connection) -> absl::StatusOr<std::vector<PlannedTable>> {
        pqxx::nontransaction tx(connection);
        std::vector<PlannedTable> tables;
        for (const pqxx::row& row : tx.exec_prepared(kListPlaced.name)) {
          const TableId id = IdFrom<TableId>(row["table_id"]);
          if (tables.empty() || tables.back().id != id) {
            tables.push_back({.id = id,
                              .queue = row["queue_id"].as<std::string>(),
                              .rating_spread = row["rating_spread"].as<int>(),
                              .create_time = TimeFrom(row["create_time"])});
          }
          tables.back().seats.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                                         .display_name = row["display_name"].as<std::string>(),
                                         .bot_level = row["bot_level"].as<std::string>(),
                                         .ticket = IdFrom<TicketId>(row["ticket_id"])});
        }
        return tables;
      });
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::Confirm(TableId table) {
  return Tickets(kConfirmTable, table.ToString());
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::Refuse(TableId table) {
  return Tickets(kRefuseTable, table.ToString());
}

absl::StatusOr<std::vector<Ticket>> PgTicketStore::Release(TableId table) {
  return Tickets(kReleaseTable, table.ToString());
}

}  // namespace tarot::matchmaking_service
