#include "tests/sim/auditor.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/sim/view_bytes.h"

namespace tarot::sim {
namespace {

using rules_service::Actor;
using rules_service::LogEntry;
using rules_service::MakeTableView;
using rules_service::NewEntry;
using rules_service::TableState;
using rules_service::TableView;

bool IsAction(const rules_service::EntryBody& body) {
  return std::holds_alternative<rules::Action>(body);
}

int SumOfTotals(const rules::Match& match) {
  return std::accumulate(match.totals.begin(), match.totals.end(), 0);
}

// Changes only what is hidden from `viewer`: two hidden hands exchange a card, and the seeds
// change. Returns false if there are no two such hands.
bool ChangeHidden(TableState& state, rules::Seat viewer, Rng& rng) {
  rules::Deal& deal = state.match.deal;
  std::vector<std::size_t> hidden;
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    const bool own = static_cast<rules::Seat>(seat) == viewer;
    if (!own && deal.hands[seat].Size() > 0) hidden.push_back(seat);
  }
  if (hidden.size() < 2) return false;
  rng.Shuffle(hidden);
  const auto take = [&](std::size_t seat) {
    int skip = rng.Below(deal.hands[seat].Size());
    for (const rules::Card card : deal.hands[seat]) {
      if (skip-- == 0) return card;
    }
    std::abort();
  };
  const rules::Card one = take(hidden[0]);
  const rules::Card other = take(hidden[1]);
  for (auto* hands : {&deal.hands, &deal.dealt}) {
    (*hands)[hidden[0]].Erase(one);
    (*hands)[hidden[0]].Insert(other);
    (*hands)[hidden[1]].Erase(other);
    (*hands)[hidden[1]].Insert(one);
  }
  dealing::DealStart start = *state.start;
  start.provenance.seed[0] ^= 1;
  state.start = std::make_shared<const dealing::DealStart>(std::move(start));
  if (state.next != nullptr) {
    rules_service::NextDeal next = *state.next;
    next.seed[0] ^= 1;
    state.next = std::make_shared<const rules_service::NextDeal>(std::move(next));
  }
  return true;
}

}  // namespace

void Auditor::Created(const rules_service::TableConfig& config) {
  world_.Note("table ", config.id.ToString(), " made");
  Table& table = tables_[config.id];
  table.states.push_back(std::make_shared<const State>(
      NewTable(std::make_shared<const rules_service::TableConfig>(config))));
  table.stored.push_back(world_.now());
  if (!config.ranked) return;
  for (const rules_service::SeatConfig& seat : config.seats) {
    const auto before = ranked_.find(seat.player);
    if (before != ranked_.end() && !tables_.at(before->second).over()) {
      world_.Fail("a player sits at two ranked tables");
    }
    ranked_[seat.player] = config.id;
  }
}

void Auditor::Stored(const Writer& writer, const NewEntry& stored) {
  ++entries_;
  Table& table = tables_.at(stored.table);
  const LogEntry& entry = stored.entry;
  const State& before = *table.states.back();
  world_.Note(stored.table.ToString().substr(0, 8), " ", entry.revision, " stored by ", writer.name,
              ", kind ", entry.body.index(), ", actor ", static_cast<int>(entry.actor), ", seat ",
              entry.seat);
  if (!table.requests.insert(entry.request).second) world_.Fail("a request is stored twice");
  if (entry.actor == Actor::kPlayer) CheckPlayersEntry(stored, before);
  const bool by_bot = entry.actor == Actor::kBot;
  const bool by_clock = entry.actor == Actor::kClock;
  if ((by_bot || by_clock) && before.BotInTurn() != by_bot) {
    world_.Fail("a bot played for a person, or the clock for a bot");
  }
  if (entry.actor == Actor::kServer && IsAction(entry.body) && !before.InLastTrick()) {
    world_.Fail("the server played a card that is not of the last trick");
  }
  CheckClock(writer, entry, table);
  auto after = std::make_shared<State>(before);
  if (const absl::Status status = Advance(*after, entry); !status.ok()) {
    return world_.Fail("the log is not legal: ", status.ToString());
  }
  if (SumOfTotals(after->match) != 0) world_.Fail("scores do not sum to zero");
  if (after->match.Finished() != stored.EndsMatch()) {
    world_.Fail("the end of the match is not stored with its last entry");
  }
  if (stored.progress &&
      (stored.progress->deals_dealt != after->match.deals_dealt ||
       stored.progress->deals_scored != after->match.deals_scored || after->match.DealRunning())) {
    world_.Fail("the stored progress differs from the log");
  }
  table.states.push_back(std::move(after));
  table.writer = writer;
  table.stored.push_back(world_.now());
}

void Auditor::Unanswered(const Writer& writer, const std::vector<NewEntry>& entries) {
  for (const NewEntry& entry : entries) {
    if (!IsAction(entry.entry.body)) continue;
    Table& table = tables_.at(entry.table);
    table.outage_writer = writer;
    table.outage = world_.now();
    table.outage_revision = entry.entry.revision;
  }
}

void Auditor::CheckPlayersEntry(const NewEntry& stored, const State& before) {
  const LogEntry& entry = stored.entry;
  const auto found = requests_.find(entry.request);
  if (found == requests_.end()) return world_.Fail("stored for a player without a request");
  Request& request = found->second;
  const Intent& intent = request.intent;
  const bool same = intent.table == stored.table && intent.body == entry.body &&
                    before.SeatOf(intent.player) == entry.seat;
  if (!same) world_.Fail("the stored entry differs from the request");
  if (request.revision != 0) world_.Fail("a request of a player is stored twice");
  if (request.refused) world_.Fail("stored although it was refused");
  if (IsAction(entry.body) && !before.IsNewest(intent.expected_revision)) {
    world_.Fail("stored after a change that the player had not seen");
  }
  request.revision = entry.revision;
}

void Auditor::CheckClock(const Writer& writer, const LogEntry& entry, const Table& table) {
  const State& before = *table.states.back();
  const bool timed =
      IsAction(entry.body) && (entry.actor == Actor::kPlayer || entry.actor == Actor::kClock);
  if (!timed) return;
  // No player could move before the writer started, or while the database stored no move for the
  // writer. That time must not be charged to the player.
  absl::Time begin = std::max(before.turn_start, writer.start);
  const bool outage = table.outage_revision == entry.revision &&
                      table.outage_writer.name == writer.name &&
                      table.outage_writer.start == writer.start &&
                      // An entry that is older than the outage is the one whose answer was lost.
                      table.outage < entry.create_time;
  if (outage) begin = std::max(begin, table.outage);
  // Players are also not charged for the time that it took to store the entry that began the turn.
  const std::size_t count = table.states.size();
  const bool began = count > 1 && table.states[count - 2]->turn_start != before.turn_start;
  const bool same = table.writer.name == writer.name && table.writer.start == writer.start;
  if (began && same) begin = std::max(begin, table.stored.back());
  const absl::Duration had = entry.create_time - begin;
  if (entry.elapsed > had) world_.Fail("a clock ran without a server");
  if (entry.actor != Actor::kClock) return;
  ++clock_moves_;
  const absl::Duration bank = before.seats[static_cast<std::size_t>(entry.seat)].time_bank;
  if (had < before.config->move_limit + bank) world_.Fail("the clock played too early");
}

void Auditor::Sent(const Intent& intent) { requests_[intent.request].intent = intent; }

void Auditor::Acknowledged(RequestId id, int answered_revision) {
  ++acknowledged_;
  const Request& request = requests_.at(id);
  // A SeatResumed is not stored if no bot held the seat.
  const bool needless = std::holds_alternative<rules_service::SeatResumed>(request.intent.body);
  if (request.revision == 0 && !needless) world_.Fail("acknowledged, but not stored");
  if (answered_revision < request.revision) world_.Fail("answered with an older table");
}

void Auditor::Refused(RequestId id, const absl::Status& status) {
  Request& request = requests_.at(id);
  // A nonce or a return to the seat may have been sent twice, and the other copy may still be
  // stored.
  if (absl::IsAborted(status) && !IsAction(request.intent.body)) return;
  request.refused = true;
  if (request.revision != 0) world_.Fail("refused, but stored: ", status.ToString());
}

void Auditor::Seen(PlayerId player, const TableView& view) {
  ++views_;
  const Table& table = tables_.at(view.config->id);
  if (view.revision >= static_cast<int>(table.states.size())) {
    return world_.Fail("shown before it was stored");
  }
  const State& state = *table.states[static_cast<std::size_t>(view.revision)];
  const std::string shown = ViewBytes(view);
  if (shown != ViewBytes(MakeTableView(state, state.SeatOf(player)))) {
    world_.Fail("a view differs from the log at revision ", view.revision);
  }
  if (view.turn_expire_time < state.TurnExpireTime()) world_.Fail("a clock runs out too early");
  CheckNothingHidden(state, state.SeatOf(player), shown);
  const auto watching = watching_.find(player);
  if (watching == watching_.end() || watching->second.table != view.config->id) return;
  watching->second.revision = std::max(watching->second.revision, view.revision);
  if (state.match.Finished()) watching_.erase(watching);
}

void Auditor::CheckNothingHidden(const State& state, rules::Seat viewer, const std::string& shown) {
  if (!state.match.DealRunning() || views_ % 4 != 0) return;
  State changed = state;
  Rng rng(static_cast<std::uint64_t>(views_));
  if (!ChangeHidden(changed, viewer, rng)) return;
  if (ViewBytes(MakeTableView(changed, viewer)) != shown)
    world_.Fail("a view depends on hidden cards");
}

std::vector<TableId> Auditor::StandingStill(absl::Duration span) const {
  std::vector<TableId> still;
  for (const auto& [id, table] : tables_) {
    if (!table.over() && table.stored.back() + span < world_.now()) still.push_back(id);
  }
  return still;
}

std::vector<PlayerId> Auditor::LeftBehind(absl::Duration span) const {
  std::vector<PlayerId> behind;
  for (const auto& [player, watching] : watching_) {
    const Table& table = tables_.at(watching.table);
    const auto next = static_cast<std::size_t>(watching.revision + 1);
    if (next == table.stored.size()) continue;
    if (std::max(table.stored[next], watching.begin) + span < world_.now())
      behind.push_back(player);
  }
  return behind;
}

bool Auditor::EveryEndIsKnown(rules_service::TableStore& tables) const {
  return tables.ListOutbox(1, 0)->empty();
}

void Auditor::CheckStores(rules_service::TableStore& tables,
                          ratings_service::RatingStore& ratings) {
  std::map<TableId, std::vector<int>> rated;  // The totals, sorted.
  for (const auto& [id, table] : tables_) {
    const absl::StatusOr<rules_service::StoredTable> stored = tables.Load(id);
    if (!stored.ok() || stored->log.size() + 1 != table.states.size()) {
      world_.Fail("a log has another length than its entries");
    }
    const State& last = *table.states.back();
    if (!last.config->ranked || !table.over() || last.match.deals_scored == 0) continue;
    std::vector<int>& totals = rated[id];
    totals.assign(last.match.totals.begin(), last.match.totals.begin() + last.match.players);
    std::sort(totals.begin(), totals.end());
  }
  const absl::StatusOr<std::vector<ratings_service::LedgerMatch>> ledger =
      ratings.ReadLedger(0, 1'000'000);
  if (!ledger.ok()) return world_.Fail("the ledger cannot be read");
  for (const ratings_service::LedgerMatch& match : *ledger) {
    std::vector<int> totals;
    for (const ratings_service::LedgerEntry& entry : match.entries) totals.push_back(entry.total);
    std::sort(totals.begin(), totals.end());
    const auto found = rated.find(match.table);
    if (found == rated.end()) return world_.Fail("rated twice, or without being over");
    if (found->second != totals) world_.Fail("rated with other totals");
    rated.erase(found);
  }
  if (!rated.empty()) world_.Fail(rated.size(), " matches were never rated");
}

}  // namespace tarot::sim
