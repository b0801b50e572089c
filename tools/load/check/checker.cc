#include "tools/load/check/checker.h"

#include <algorithm>
#include <functional>
#include <pqxx/pqxx>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/dealing/secret_box.h"
#include "libs/rules/codec.h"
#include "services/rules/audit/audit_tables.h"

namespace tarot::check {
namespace {

using load::Event;
using rules_service::Actor;
using rules_service::LogEntry;

constexpr std::size_t kExamplesMax = 5;

// Returns the bytes that the history has for a call that made an entry with this body. For an
// action these are its encoded bytes. A claim has kClaimBytes, because the client sends no cards.
// Any other body gives an empty text.
std::string SentBytes(const rules_service::EntryBody& body) {
  if (std::holds_alternative<rules_service::TricksClaimed>(body)) {
    return std::string(load::kClaimBytes);
  }
  const auto* const action = std::get_if<rules::Action>(&body);
  return action != nullptr ? rules::EncodeAction(*action) : "";
}

using Snapshot = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

// Runs `read` in a transaction. Returns UNAVAILABLE if it throws.
absl::Status InSnapshot(const std::string& dsn,
                        const std::function<absl::Status(Snapshot& transaction)>& read) {
  try {
    pqxx::connection connection(dsn);
    Snapshot transaction(connection);
    return read(transaction);
  } catch (const std::exception& error) {
    return absl::UnavailableError(error.what());
  }
}

absl::Status AddMatches(Snapshot& transaction, const std::string& seed_key_file,
                        Database& database) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<SecretKey> keys, ReadKeyFile(seed_key_file));
  TAROT_ASSIGN_OR_RETURN(auto matches,
                         rules_service::ReadMatches(transaction, dealing::SecretBox(keys)));
  for (const auto& [table, stored] : matches) {
    if (stored.end) database.finished[table] = {stored.config.ranked, *stored.end};
  }
  database.tables.merge(matches);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Database> ReadDatabase(const std::string& dsn, const std::string& seed_key_file) {
  Database database;
  TAROT_RETURN_IF_ERROR(InSnapshot(dsn, [&](Snapshot& transaction) {
    database.ratings = ratings_service::ReadLedger(transaction);
    return AddMatches(transaction, seed_key_file, database);
  }));
  return database;
}

absl::Status AddCell(const std::string& dsn, const std::string& seed_key_file, Database& database) {
  return InSnapshot(
      dsn, [&](Snapshot& transaction) { return AddMatches(transaction, seed_key_file, database); });
}

Checker::Checker(const Database& database, const CheckerOptions& options)
    : database_(database), options_(options) {
  for (const auto& [table, stored] : database.tables) {
    Expected& expected = expected_[table] = Replay(stored);
    ++report_.tables;
    report_.entries += static_cast<long>(stored.log.size());
    for (const std::string& fault : expected.faults) Find("log", table, fault);
    if (expected.faults.empty() && expected.finished != database.finished.contains(table)) {
      Find("end", table, "the log and the row of the table disagree about the end of the match");
    }
  }
}

void Checker::Find(const std::string& kind, TableId table, const std::string& what) {
  Report::Kind& found = report_.findings[kind];
  ++found.count;
  if (found.examples.size() < kExamplesMax) {
    found.examples.push_back(absl::StrCat("table ", table.ToString(), ": ", what));
  }
}

void Checker::Find(const std::string& kind, const Event& where, const std::string& what) {
  Find(kind, where.table,
       absl::StrCat("client ", where.client, " at ", where.time_us, " us: ", what));
}

void Checker::See(const Event& event) {
  end_us_ = std::max(end_us_, event.time_us);
  switch (event.kind) {
    case Event::Kind::kSeat: {
      const auto stored = database_.tables.find(event.table);
      if (stored == database_.tables.end()) return Find("table", event, "not in the database");
      const auto& seats = stored->second.config.seats;
      for (std::size_t seat = 0; seat < seats.size(); ++seat) {
        if (seats[seat].player != event.player) continue;
        TableHistory& history = tables_[event.table];
        history.seats[event.client] = static_cast<rules::Seat>(seat);
        // The moment when a client sits down counts as the time of a move.
        history.moved_us = std::max(history.moved_us, event.time_us);
      }
      return;
    }
    case Event::Kind::kCall:
      return SeeCall(event);
    case Event::Kind::kOk:
    case Event::Kind::kRefused:
      return SeeAnswer(event);
    case Event::Kind::kView:
      return SeeView(event);
    case Event::Kind::kOdd:
      return Find("odd", event, event.text);
    case Event::Kind::kUnknown:
    case Event::Kind::kFault:
    case Event::Kind::kHealed:
    case Event::Kind::kEnd:
      return;
  }
}

void Checker::SeeCall(const Event& event) {
  ++report_.calls;
  Request& request = tables_[event.table].requests[event.request];
  request.client = event.client;
  request.expected_revision = event.revision;
  request.action = event.bytes;
  if (request.first_call_us == 0) request.first_call_us = event.time_us;
  request.last_call_us = std::max(request.last_call_us, event.time_us);
}

void Checker::SeeAnswer(const Event& event) {
  Request& request = tables_[event.table].requests[event.request];
  if (event.kind == Event::Kind::kRefused) {
    request.refusal = event.text;
    return;
  }
  if (!request.ok) {
    request.ok = true;
    request.first_ok_us = event.time_us;
    request.ok_revision = event.revision;
  }
}

void Checker::SeeView(const Event& event) {
  ++report_.views;
  TableHistory& history = tables_[event.table];
  if (event.stream > 0) {
    const auto [newest, first] =
        history.newest.try_emplace({event.client, event.stream}, event.revision);
    if (!first && event.revision < newest->second) {
      Find("stream", event, absl::StrCat("revision ", event.revision, " after ", newest->second));
    }
    newest->second = std::max(newest->second, event.revision);
  }
  if (event.revision > history.revision) {
    history.revision = event.revision;
    history.moved_us = event.time_us;
  }
  const auto found = expected_.find(event.table);
  // The database does not have this game table. The checker reported this when the player sat down.
  if (found == expected_.end()) return;
  const Expected& expected = found->second;
  rules::v1::Table view;
  if (!view.ParseFromString(event.bytes)) return Find("view", event, "no table");
  if (event.revision < 0 || view.revision() != event.revision ||
      event.revision >= static_cast<int>(expected.moments.size())) {
    return Find("view", event, absl::StrCat("revision ", event.revision, " is not in the log"));
  }
  const auto seat = history.seats.find(event.client);
  const std::size_t viewer =
      seat == history.seats.end() ? kViewers - 1 : static_cast<std::size_t>(seat->second);
  const Moment& moment = expected.moments[static_cast<std::size_t>(event.revision)];
  CheckSecrets(event, expected, moment, view, viewer);
  if (FingerprintOf(std::move(view)) != moment.prints[viewer]) {
    Find("view", event, absl::StrCat("revision ", event.revision, " differs from the log"));
  }
}

void Checker::CheckSecrets(const Event& event, const Expected& expected, const Moment& moment,
                           const rules::v1::Table& view, std::size_t viewer) {
  if (!moment.known[viewer].ContainsAll(CardsIn(view))) {
    Find("hidden card", event, absl::StrCat("revision ", event.revision));
  }
  for (std::size_t seed = 0; seed < expected.seeds.size(); ++seed) {
    if (seed < moment.seeds_public.size() && moment.seeds_public[seed]) continue;
    const auto& secret = expected.seeds[seed];
    const absl::string_view bytes(reinterpret_cast<const char*>(secret.data()), secret.size());
    if (absl::StrContains(event.bytes, bytes)) {
      Find("seed", event, absl::StrCat("revision ", event.revision));
    }
  }
}

void Checker::CheckRequest(TableId table, RequestId id, const Request& request) {
  const auto say = [&](const std::string& kind, const std::string& what) {
    Find(kind, table,
         absl::StrCat("request ", id.ToString(), " of client ", request.client, ": ", what));
  };
  const Expected& expected = expected_.at(table);
  const auto found = expected.requests.find(id);
  const LogEntry* const entry = found == expected.requests.end() ? nullptr : found->second;
  report_.acknowledged += request.ok;
  report_.refused += !request.ok && !request.refusal.empty();
  report_.unknown += !request.ok && request.refusal.empty();
  if (request.ok && entry == nullptr) return say("lost", "acknowledged, but not in the log");
  if (!request.refusal.empty() && entry != nullptr) {
    say("refused", absl::StrCat("refused with ", request.refusal, ", and in the log"));
  }
  if (entry == nullptr) return;
  if (request.ok && request.ok_revision < entry->revision) {
    say("answer", absl::StrCat("answered with revision ", request.ok_revision, ", stored as ",
                               entry->revision));
  }
  // Nonces, phrases and mutes may come between the revision that a request names and its entry.
  const auto place = static_cast<std::size_t>(entry->revision - 1);
  const bool stale = place >= expected.moments.size() ||
                     request.expected_revision < expected.moments[place].decided_revision;
  if (stale || request.expected_revision >= entry->revision) {
    say("place", absl::StrCat("decided on revision ", request.expected_revision, ", stored as ",
                              entry->revision));
  }
  const auto& seats = tables_.at(table).seats;
  const auto seat = seats.find(request.client);
  const std::string sent = SentBytes(entry->body);
  report_.claims += sent == load::kClaimBytes;
  if (sent.empty() || sent != request.action || entry->actor != Actor::kPlayer ||
      seat == seats.end() || seat->second != entry->seat) {
    say("changed", "stored with another action or seat than sent");
  }
}

// If request A was acknowledged before request B was sent, A must come before B in the log.
void Checker::CheckOrder(TableId table, const TableHistory& history) {
  const Expected& expected = expected_.at(table);
  std::vector<std::pair<int, const Request*>> stored;
  for (const auto& [id, request] : history.requests) {
    const auto entry = expected.requests.find(id);
    if (entry != expected.requests.end()) stored.emplace_back(entry->second->revision, &request);
  }
  std::sort(stored.begin(), stored.end());
  std::int64_t latest_call_us = 0;
  for (const auto& [revision, request] : stored) {
    if (request->ok && request->first_ok_us < latest_call_us) {
      Find("order", table,
           absl::StrCat("entry ", revision,
                        " was acknowledged before an earlier "
                        "one was sent"));
    }
    latest_call_us = std::max(latest_call_us, request->first_call_us);
  }
}

// Finds players' actions in the log that no client sent.
void Checker::CheckStrangers(TableId table, const TableHistory& history) {
  for (const auto& [id, entry] : expected_.at(table).requests) {
    if (entry->actor == Actor::kPlayer && !history.requests.contains(id)) {
      Find("stranger", table, absl::StrCat("entry ", entry->revision, " was sent by no client"));
    }
  }
}

void Checker::CheckStuck(TableId table, const TableHistory& history) {
  if (expected_.at(table).finished || end_us_ - history.moved_us <= options_.stuck_us) return;
  Find("stuck", table,
       absl::StrCat("at revision ", history.revision, " for the last ",
                    (end_us_ - history.moved_us) / 1'000'000, " s"));
}

// Each finished ranked match with a scored deal must be rated once, with its players and totals.
void Checker::CheckRatings() {
  std::map<TableId, int> rated;
  for (const TableId& table : database_.ratings.rated) ++rated[table];
  std::map<TableId, std::map<PlayerId, std::vector<int>>> totals;
  for (const auto& row : database_.ratings.ledger)
    totals[row.table][row.player].push_back(row.total);
  report_.matches_rated = static_cast<long>(rated.size());
  for (const auto& [table, match] : database_.finished) {
    ++report_.matches_finished;
    if (!match.ranked || match.end.deals_scored == 0) continue;
    if (!rated.contains(table)) Find("unrated", table, "finished and ranked, but not rated");
  }
  for (const auto& [table, times] : rated) {
    const auto match = database_.finished.find(table);
    const auto stored = database_.tables.find(table);
    if (match == database_.finished.end() || stored == database_.tables.end()) {
      Find("rated", table, "rated, but not finished");
      continue;
    }
    if (times > 1) Find("rated twice", table, absl::StrCat(times, " matches"));
    const auto& seats = stored->second.config.seats;
    for (std::size_t seat = 0; seat < seats.size(); ++seat) {
      const std::vector<int>& rows = totals[table][seats[seat].player];
      if (rows.size() > 1) Find("rated twice", table, absl::StrCat("seat ", seat));
      if (rows.empty() || rows[0] != match->second.end.totals[seat]) {
        Find("rated", table, absl::StrCat("seat ", seat, " with another total than in the match"));
      }
    }
    if (totals[table].size() != seats.size())
      Find("rated", table, "with other players than in the match");
  }
}

void Checker::CheckStandings() {
  for (const auto& problem : ratings_service::CheckLedger(database_.ratings)) {
    Find("ledger", problem.table, problem.text);
  }
}

Report Checker::Finish() {
  for (const auto& [table, history] : tables_) {
    if (!expected_.contains(table)) continue;
    for (const auto& [id, request] : history.requests) CheckRequest(table, id, request);
    CheckOrder(table, history);
    CheckStrangers(table, history);
    CheckStuck(table, history);
  }
  CheckRatings();
  CheckStandings();
  return std::move(report_);
}

std::string Text(const Report& report) {
  std::string text = absl::StrCat(
      report.tables, " tables, ", report.entries, " entries in their logs; ", report.calls,
      " calls: ", report.acknowledged, " requests acknowledged, ", report.claims,
      " claims accepted, ", report.refused, " refused, ", report.unknown, " with unknown outcome; ",
      report.views, " views; ", report.matches_finished, " matches finished, ",
      report.matches_rated, " rated\n");
  for (const auto& [kind, found] : report.findings) {
    absl::StrAppend(&text, "WRONG ", kind, ": ", found.count, "\n  ",
                    absl::StrJoin(found.examples, "\n  "), "\n");
  }
  if (report.ok()) text += "history and log agree\n";
  return text;
}

}  // namespace tarot::check
