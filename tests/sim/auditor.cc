#include "tests/sim/auditor.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "libs/base/error.h"
#include "libs/rules/claim.h"
#include "services/ratings/testing/whole_ledger.h"
#include "tests/sim/view_bytes.h"

namespace tarot::sim {
namespace {

using rules_service::Actor;
using rules_service::LogEntry;
using rules_service::MakeTableView;
using rules_service::NewEntry;
using rules_service::TableState;
using rules_service::TableView;

using rules_service::BreakEnded;
using rules_service::DealVoided;
using rules_service::PhraseSaid;
using rules_service::ProposalAnswered;
using rules_service::ProposalKind;
using rules_service::Proposed;
using rules_service::SeatMuted;
using rules_service::TricksClaimed;

// Returns whether `body` is a move: an action, or a claim. A move names the revision that the
// player has seen. The time that the player needs for a move is charged to the clock of the seat.
bool IsMove(const rules_service::EntryBody& body) {
  return std::holds_alternative<rules::Action>(body) || std::holds_alternative<TricksClaimed>(body);
}

// Returns whether the entry `stored` does what the request `sent` asked for. Ignores what clients
// do not send: the cards of a claim, and whether a proposal is granted.
bool SameBody(const rules_service::EntryBody& sent, const rules_service::EntryBody& stored) {
  if (sent.index() != stored.index()) return false;
  if (const auto* const proposed = std::get_if<Proposed>(&sent)) {
    return proposed->kind == std::get<Proposed>(stored).kind;
  }
  if (const auto* const answered = std::get_if<ProposalAnswered>(&sent)) {
    const auto& answer = std::get<ProposalAnswered>(stored);
    return answered->kind == answer.kind && answered->agrees == answer.agrees;
  }
  return std::holds_alternative<TricksClaimed>(sent) || sent == stored;
}

// Returns whether `seat` may claim all tricks that are left, and can prove it.
bool MayClaim(const TableState& state, rules::Seat seat) {
  const rules::Deal& deal = state.match.deal;
  if (!state.match.DealRunning() || deal.phase != rules::Phase::kPlaying) return false;
  if (deal.turn != seat || deal.trick_count == 1) return false;
  if (state.seats[static_cast<std::size_t>(seat)].held()) return false;
  return rules::ProveClaim(rules::RememberedView(deal, seat)).proven();
}

rules_service::SeatTalk TalkOf(const TableState& state, rules::Seat seat) {
  return state.talk != nullptr ? (*state.talk)[static_cast<std::size_t>(seat)]
                               : rules_service::SeatTalk();
}

int SumOfTotals(const rules::Match& match) {
  return std::accumulate(match.totals.begin(), match.totals.end(), 0);
}

// Returns whether `seat` belongs to a person for whom no bot plays.
bool IsPresent(const TableState& state, rules::Seat seat) {
  const auto at = static_cast<std::size_t>(seat);
  return !state.config->seats[at].bot() && !state.seats[at].held();
}

// Changes only what is hidden from `viewer`: two hidden hands exchange a card, and the seeds
// change. Returns false if fewer than two hands are hidden.
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
  TableHistory& table = tables_[config.id];
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
  TableHistory& table = tables_.at(stored.table);
  const LogEntry& entry = stored.entry;
  const State& before = *table.states.back();
  world_.Note(stored.table.ToString().substr(0, 8), " ", entry.revision, " stored by ", writer.name,
              ", kind ", entry.body.index(), ", actor ", static_cast<int>(entry.actor), ", seat ",
              entry.seat);
  if (!table.requests.insert(entry.request).second) world_.Fail("a request is stored twice");
  if (entry.actor == Actor::kPlayer) CheckPlayersEntry(stored, before);
  if (std::holds_alternative<DealVoided>(entry.body)) CheckOperatorsEntry(stored, before);
  const bool by_bot = entry.actor == Actor::kBot;
  const bool by_clock = entry.actor == Actor::kClock;
  if ((by_bot || by_clock) && before.BotInTurn() != by_bot) {
    world_.Fail("a bot played for a person, or the clock for a bot");
  }
  if (entry.actor == Actor::kServer && IsMove(entry.body) && !before.InLastTrick()) {
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
  if (std::holds_alternative<TricksClaimed>(entry.body)) CheckClaim(entry, before, *after);
  if (std::holds_alternative<DealVoided>(entry.body)) CheckVoid(entry, before, *after);
  if (DecidesNothing(entry.body)) {
    CheckTalk(entry, before);
    CheckGameIsTheSame(before, *after);
  } else if (AboutProposal(entry.body)) {
    CheckProposal(entry, table, *after);
  } else {
    if (before.Paused() && GoesOn(entry.body)) world_.Fail("the game went on in a pause");
    if (!std::holds_alternative<rules_service::SeatResumed>(entry.body)) {
      const auto* const action = std::get_if<rules::Action>(&entry.body);
      const bool card = action != nullptr && action->kind == rules::Action::Kind::kPlay &&
                        entry.actor == Actor::kPlayer && after->match.DealRunning();
      table.before_card = card ? std::optional(before.revision) : std::nullopt;
    }
  }
  table.states.push_back(std::move(after));
  table.writer = writer;
  table.stored.push_back(world_.now());
}

void Auditor::Unanswered(const Writer& writer, const std::vector<NewEntry>& entries) {
  for (const NewEntry& entry : entries) {
    if (!IsMove(entry.entry.body)) continue;
    TableHistory& table = tables_.at(entry.table);
    table.outage_writer = writer;
    table.outage = world_.now();
    table.outage_revision = entry.entry.revision;
  }
}

const Intent* Auditor::TakeRequest(const NewEntry& stored) {
  const auto found = requests_.find(stored.entry.request);
  if (found == requests_.end()) {
    world_.Fail("stored for a player or an operator without a request");
    return nullptr;
  }
  Request& request = found->second;
  const Intent& intent = request.intent;
  if (intent.table != stored.table || !SameBody(intent.body, stored.entry.body)) {
    world_.Fail("the stored entry differs from the request");
  }
  if (request.revision != 0) world_.Fail("a request is stored for its author twice");
  if (request.refused) world_.Fail("stored although it was refused");
  request.revision = stored.entry.revision;
  return &intent;
}

void Auditor::CheckPlayersEntry(const NewEntry& stored, const State& before) {
  const LogEntry& entry = stored.entry;
  const Intent* const intent = TakeRequest(stored);
  if (intent == nullptr) return;
  if (before.SeatOf(intent->player) != entry.seat) world_.Fail("stored for another seat");
  if (IsMove(entry.body) && !before.IsNewest(intent->expected_revision)) {
    world_.Fail("stored after a change that the player had not seen");
  }
}

void Auditor::CheckOperatorsEntry(const NewEntry& stored, const State& before) {
  const LogEntry& entry = stored.entry;
  const Intent* const intent = TakeRequest(stored);
  if (intent == nullptr) return;
  if (entry.actor != Actor::kServer || entry.seat != rules::kNoSeat) {
    world_.Fail("a cancelled deal is stored for a seat");
  }
  if (intent->expected_revision != before.match.deals_dealt) {
    world_.Fail("another deal is cancelled than the operator named");
  }
}

void Auditor::CheckClaim(const LogEntry& entry, const State& before, const State& after) {
  ++claims_;
  if (entry.actor != Actor::kPlayer) world_.Fail("a claim that no player sent");
  if (!MayClaim(before, entry.seat)) world_.Fail("a claim without a proof is stored");
  State changed = before;
  Rng rng(static_cast<std::uint64_t>(claims_));
  if (ChangeHidden(changed, entry.seat, rng) && !MayClaim(changed, entry.seat)) {
    world_.Fail("the proof of a claim depends on hidden cards");
  }
  const rules_service::DealClaim claim{.seat = entry.seat, .trick = before.match.deal.trick_count};
  if (after.match.DealRunning() || after.claim != claim) world_.Fail("a claim does not end a deal");
  for (int trick = claim.trick; trick <= after.match.deal.trick_count; ++trick) {
    const auto at = static_cast<std::size_t>(trick - 1);
    if (after.match.deal.tricks[at].winner != entry.seat) world_.Fail("a claimed trick is lost");
  }
}

void Auditor::CheckVoid(const LogEntry& entry, const State& before, const State& after) {
  ++voids_;
  const rules::Match& match = after.match;
  if (match.DealRunning() || match.deal.result.outcome != rules::Outcome::kVoided) {
    world_.Fail("a cancelled deal goes on");
  }
  if (after.void_reason != std::get<DealVoided>(entry.body).reason) {
    world_.Fail("a deal is cancelled for another reason");
  }
  if (match.totals != before.match.totals || match.deals_scored != before.match.deals_scored) {
    world_.Fail("a cancelled deal has a score");
  }
  if (match.next_dealer != before.match.deal.dealer) world_.Fail("another player deals again");
  for (std::size_t seat = 0; seat < after.seats.size(); ++seat) {
    if (after.seats[seat].time_bank != before.seats[seat].time_bank) {
      world_.Fail("a player pays time for a cancelled deal");
    }
  }
}

void Auditor::CheckTalk(const LogEntry& entry, const State& before) {
  const rules_service::SeatTalk talk = TalkOf(before, entry.seat);
  if (std::holds_alternative<PhraseSaid>(entry.body)) {
    ++talks_;
    // The log has the time of a phrase in whole microseconds.
    const absl::Duration least = rules_service::kPhraseInterval - absl::Microseconds(1);
    if (talk.last && entry.create_time - talk.last->time < least) {
      world_.Fail("a seat spoke again too soon");
    }
    if (talk.phrases >= rules_service::kPhrasesPerDealMax) world_.Fail("a seat spoke too often");
  } else if (const auto* const change = std::get_if<SeatMuted>(&entry.body)) {
    ++talks_;
    if (change->seat == entry.seat) world_.Fail("a seat muted itself");
    if (talk.muted[static_cast<std::size_t>(change->seat)] == change->muted) {
      world_.Fail("a stored mute changes nothing");
    }
    if (talk.mutes >= rules_service::kMutesPerDealMax) world_.Fail("a seat muted too often");
  }
  if (before.match.Finished()) world_.Fail("an entry is stored after the end of the match");
}

void Auditor::CheckProposal(const LogEntry& entry, TableHistory& table, const State& after) {
  const State& before = *table.states.back();
  const rules_service::TableConfig& config = *before.config;
  bool ends = false;  // True if this entry ends the pause.
  bool granted = false;
  ProposalKind kind = ProposalKind::kBreak;
  const auto others_agree = [&](const std::array<bool, rules::kPlayersMax>& agreed) {
    for (rules::Seat seat = 0; seat < before.match.players; ++seat) {
      if (before.proposal && !before.proposal->asked[static_cast<std::size_t>(seat)]) continue;
      if (kind == ProposalKind::kTakeBack && seat == before.match.deal.sits_out) continue;
      const bool said = agreed[static_cast<std::size_t>(seat)] || seat == entry.seat;
      if (!said && IsPresent(before, seat)) return false;
    }
    return true;
  };
  const auto must_ask = [&](rules::Seat seat) {
    const bool has_say = kind == ProposalKind::kBreak || seat != before.match.deal.sits_out;
    return seat != entry.seat && has_say && IsPresent(before, seat);
  };
  if (const auto* const proposed = std::get_if<Proposed>(&entry.body)) {
    kind = proposed->kind;
    granted = proposed->granted;
    if (config.ranked) world_.Fail("a proposal at a ranked table");
    if (before.Paused() || before.match.Finished()) world_.Fail("a proposal in a pause");
    if (before.proposals[static_cast<std::size_t>(entry.seat)] >=
        rules_service::kProposalsPerDealMax) {
      world_.Fail("a seat made too many proposals");
    }
    if (granted != others_agree({})) world_.Fail("a proposal is granted to the wrong question");
    for (rules::Seat seat = 0; proposed->asked && seat < before.match.players; ++seat) {
      if ((*proposed->asked)[static_cast<std::size_t>(seat)] != must_ask(seat)) {
        world_.Fail("a proposal asks other seats than it must");
      }
    }
  } else if (const auto* const answered = std::get_if<ProposalAnswered>(&entry.body)) {
    kind = answered->kind;
    granted = answered->granted;
    if (!before.proposal || before.proposal->kind != kind) return world_.Fail("no open proposal");
    const bool by_server = entry.actor == Actor::kServer;
    if (by_server && (answered->agrees || entry.create_time < before.proposal->expire_time)) {
      world_.Fail("the server answered a proposal too early");
    }
    if (!by_server &&
        requests_.at(entry.request).intent.expected_revision != before.proposal->revision) {
      world_.Fail("an answer to another proposal");
    }
    if (granted != (answered->agrees && others_agree(before.proposal->agreed))) {
      world_.Fail("a proposal is granted against an answer");
    }
    ends = !answered->agrees;
  } else {
    if (!before.break_expire_time) return world_.Fail("no break runs");
    if (entry.actor == Actor::kServer && entry.create_time < *before.break_expire_time) {
      world_.Fail("the server ended a break too early");
    }
    ends = true;
  }
  const bool takes_back = granted && kind == ProposalKind::kTakeBack;
  if (after.break_expire_time.has_value() !=
      (granted ? kind == ProposalKind::kBreak : before.break_expire_time && !ends)) {
    world_.Fail("a break runs without a grant");
  }
  if (after.Paused() == (ends || takes_back)) world_.Fail("a pause has another end");
  if (granted && kind == ProposalKind::kBreak) ++breaks_;
  if (takes_back) return CheckTakenBack(table, after);
  if (SumOfTotals(after.match) != 0 || before.match.deal.hands != after.match.deal.hands ||
      before.match.deal.turn != after.match.deal.turn) {
    world_.Fail("a proposal changed the game");
  }
}

void Auditor::CheckTakenBack(TableHistory& table, const State& after) {
  ++cards_back_;
  if (!table.before_card) return world_.Fail("there is no card to take back");
  const State& then = *table.states[static_cast<std::size_t>(*table.before_card)];
  table.before_card.reset();
  const rules::Seat seat = then.match.deal.turn;
  const auto at = static_cast<std::size_t>(seat);
  const State& before = *table.states.back();
  const rules::Seat asks = before.proposal ? before.proposal->seat : seat;
  if (asks != seat) world_.Fail("a seat took the card of another seat back");
  const bool same = then.match.deal.hands == after.match.deal.hands &&
                    then.match.deal.trick_count == after.match.deal.trick_count &&
                    then.match.deal.turn == after.match.deal.turn &&
                    then.match.totals == after.match.totals &&
                    then.seats[at].time_bank == after.seats[at].time_bank;
  if (!same) world_.Fail("the table differs from the one before the card");
}

void Auditor::CheckGameIsTheSame(const State& before, const State& after) {
  const rules::Deal& then = before.match.deal;
  const rules::Deal& now = after.match.deal;
  bool same = before.match.totals == after.match.totals && then.phase == now.phase &&
              then.turn == now.turn && then.trick_count == now.trick_count &&
              then.hands == now.hands && before.turn_start == after.turn_start &&
              before.TurnExpireTime() == after.TurnExpireTime() && after.IsNewest(before.revision);
  for (std::size_t seat = 0; seat < after.seats.size(); ++seat) {
    same = same && before.seats[seat].time_bank == after.seats[seat].time_bank &&
           before.seats[seat].strikes == after.seats[seat].strikes;
  }
  if (!same) world_.Fail("an entry that decides nothing changed the game");
}

void Auditor::CheckClock(const Writer& writer, const LogEntry& entry, const TableHistory& table) {
  const State& before = *table.states.back();
  const bool timed =
      IsMove(entry.body) && (entry.actor == Actor::kPlayer || entry.actor == Actor::kClock);
  // The time that the seat thought in this turn before a pause. It is charged too.
  const absl::Duration thought = before.thought;
  if (!timed) return;
  // `writer` is the process that stored the entry. No player could move before this process
  // started, or while the database stored no move for this process. That time must not be charged
  // to the player.
  absl::Time begin = std::max(before.turn_start, writer.start - thought);
  const bool outage = table.outage_revision == entry.revision &&
                      table.outage_writer.name == writer.name &&
                      table.outage_writer.start == writer.start &&
                      // If the entry is older than the outage, only the answer to its statement
                      // was lost. So the outage did not delay this move.
                      table.outage < entry.create_time;
  if (outage) begin = std::max(begin, table.outage - thought);
  // Players are also not charged for the time that it took to store the entry that began the turn.
  const std::size_t count = table.states.size();
  const bool began = count > 1 && table.states[count - 2]->turn_start != before.turn_start;
  const bool same = table.writer.name == writer.name && table.writer.start == writer.start;
  if (began && same) begin = std::max(begin, table.stored.back() - thought);
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
  const Intent& intent = request.intent;
  const auto& states = tables_.at(intent.table).states;
  if (answered_revision >= static_cast<int>(states.size())) {
    return world_.Fail("answered with a table that is not stored");
  }
  // These requests store nothing: a SeatResumed if no bot held the seat, a BreakEnded if no break
  // ran, and a mute that changes nothing.
  bool needless = std::holds_alternative<rules_service::SeatResumed>(intent.body) ||
                  std::holds_alternative<BreakEnded>(intent.body);
  if (const auto* const change = std::get_if<SeatMuted>(&intent.body)) {
    const State& answered = *states[static_cast<std::size_t>(answered_revision)];
    const rules_service::SeatTalk talk = TalkOf(answered, answered.SeatOf(intent.player));
    needless = talk.muted[static_cast<std::size_t>(change->seat)] == change->muted;
  }
  if (const auto* const answer = std::get_if<ProposalAnswered>(&intent.body)) {
    // An answer that repeats an earlier consent stores nothing. Another program of the same player
    // may have given this consent.
    const State& answered = *states[static_cast<std::size_t>(answered_revision)];
    const auto seat = static_cast<std::size_t>(answered.SeatOf(intent.player));
    needless = answer->agrees && answered.proposal && answered.proposal->agreed[seat];
  }
  if (request.revision == 0 && !needless) world_.Fail("acknowledged, but not stored");
  if (answered_revision < request.revision) world_.Fail("answered with an older table");
}

void Auditor::Refused(RequestId id, const absl::Status& status) {
  Request& request = requests_.at(id);
  const Intent& intent = request.intent;
  const std::string reason = GetErrorDetails(status).reason;
  if (absl::IsAborted(status) && !IsMove(intent.body)) {
    world_.Fail("stale, although it names no revision: ", status.ToString());
  }
  // The player or the network may have sent the request twice. The second copy may come later, when
  // the service accepts it.
  if (reason == "TALK_LIMITED" || reason == "PROPOSAL_REFUSED") return;
  request.refused = true;
  if (request.revision != 0) world_.Fail("refused, but stored: ", status.ToString());
  if (reason != "CLAIM_REFUSED") return;
  const State& seen =
      *tables_.at(intent.table).states[static_cast<std::size_t>(intent.expected_revision)];
  if (MayClaim(seen, seen.SeatOf(intent.player))) world_.Fail("a proven claim was refused");
}

void Auditor::Seen(PlayerId player, const TableView& view) {
  ++views_;
  const TableHistory& table = tables_.at(view.config->id);
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

std::vector<RunningDeal> Auditor::RunningDeals() const {
  std::vector<RunningDeal> running;
  for (const auto& [id, table] : tables_) {
    const rules::Match& match = table.states.back()->match;
    if (match.DealRunning()) running.push_back({.table = id, .number = match.deals_dealt});
  }
  return running;
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
    const TableHistory& table = tables_.at(watching.table);
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
      world_.Fail("the stored log has a different length than the log that the auditor saw");
    }
    const State& last = *table.states.back();
    if (!last.config->ranked || !table.over() || last.match.deals_scored == 0) continue;
    std::vector<int>& totals = rated[id];
    totals.assign(last.match.totals.begin(), last.match.totals.begin() + last.match.players);
    std::sort(totals.begin(), totals.end());
  }
  const absl::StatusOr<std::vector<ratings_service::LedgerMatch>> ledger =
      ratings_service::ReadLedger(ratings);
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
