#include "services/rules/app/table_state.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "libs/rules/deck.h"
#include "services/rules/app/errors.h"

namespace tarot::rules_service {
namespace {

absl::Status Corrupt(const LogEntry& entry, absl::string_view what) {
  return Error(absl::StatusCode::kInternal, "BUG",
               absl::StrCat("Log entry ", entry.revision, ": ", what));
}

// Returns the secrets of the last deal of `state`.
RevealedDeal SecretsOf(const TableState& state) {
  const rules::Match& match = state.match;
  RevealedDeal secrets{.number = match.deals_dealt, .seed = state.start->provenance.seed};
  if (!match.deal.discard.Empty()) {
    secrets.discard = rules::Action::Discard(match.deal.discard);
  }
  return secrets;
}

bool EndedWithoutScore(const rules::Match& match) {
  return !match.DealRunning() && match.deal.result.outcome != rules::Outcome::kScored;
}

// If the deal has ended without a score, keeps its secrets in `state`, because they stay secret
// until the match is over.
void KeepUnscored(TableState& state) {
  if (!EndedWithoutScore(state.match)) return;
  std::vector<RevealedDeal> unscored;
  if (state.unscored != nullptr) unscored = *state.unscored;
  unscored.push_back(SecretsOf(state));
  state.unscored = std::make_shared<const std::vector<RevealedDeal>>(std::move(unscored));
}

// Returns true if `start` agrees with the commitment that players saw before the deal. Also accepts
// three kinds of starts that older versions stored:
// - a start with an older procedure;
// - with kDrawnGathering, a start with smaller packets;
// - with kDrawnGathering, a start with a shuffled pack, although this version would use the
//   gathered pack.
bool CommittedTo(const TableState& state, const dealing::DealStart& start) {
  const dealing::Procedure procedure = start.provenance.procedure;
  const bool known = procedure == dealing::Procedure::kSeedAndNonces ||
                     procedure == dealing::ProcedureOf(state.match.rules);
  if (!known) return false;
  dealing::DealStart expected = StartOf(state.match, *state.next, start.next_seed, procedure);
  dealing::Provenance& from = expected.provenance;
  if (procedure == dealing::Procedure::kDrawnGathering && from.gathered) {
    if (!start.provenance.gathered) from.gathered.reset();
    if (!from.gathered || dealing::SamePiles(from.piles, start.provenance.piles)) {
      from.piles = start.provenance.piles;
    }
  }
  return start == expected;
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const DealStarted& dealt) {
  rules::Match& match = state.match;
  const dealing::DealStart& start = *dealt.start;
  if (match.DealRunning() || match.Finished()) return Corrupt(entry, "no deal is due");
  if (state.next != nullptr && !CommittedTo(state, start)) {
    return Corrupt(entry, "another deal than the one that was committed to");
  }
  state.void_reason.clear();
  state.claim = DealClaim();
  state.start = dealt.start;
  state.commitment = dealing::Commit(start.provenance.seed);
  state.deal_revision = entry.revision;
  state.next.reset();
  if (start.provenance.procedure != dealing::Procedure::kSeedAlone) {
    state.next = std::make_shared<const NextDeal>(NextDealOf(start.next_seed));
  }
  match.next_dealer = start.dealer;
  StartNextDeal(match, PackOf(match.rules, match.players, start.provenance));
  KeepUnscored(state);
  state.proposals = {};
  state.last_proposal.reset();
  if (state.talk != nullptr) {
    TableTalk talk = *state.talk;
    for (SeatTalk& seat : talk) seat.phrases = seat.mutes = 0;
    state.talk = std::make_shared<const TableTalk>(talk);
  }
  return absl::OkStatus();
}

// Counts the moves in a row that were made for the entry's seat because its clock had run out. A
// move by the player sets this number to zero. If `timed` is true, takes the time above the move
// limit from the seat's time bank.
void ChargeSeat(TableState& state, const LogEntry& entry, bool timed) {
  SeatState& seat = state.seats[static_cast<std::size_t>(entry.seat)];
  if (entry.actor == Actor::kClock) ++seat.strikes;
  if (entry.actor == Actor::kPlayer) seat.strikes = 0;
  if (!timed || (entry.actor != Actor::kPlayer && entry.actor != Actor::kClock)) return;
  const absl::Duration over = entry.elapsed - state.config->move_limit;
  seat.time_bank -= std::clamp(over, absl::ZeroDuration(), seat.time_bank);
}

// Returns the game before `action` if the acting seat may take back this card later. If not,
// returns null.
std::shared_ptr<const BeforeCard> BeforePlay(const TableState& state, const LogEntry& entry,
                                             const rules::Action& action) {
  const bool card = action.kind == rules::Action::Kind::kPlay && entry.actor == Actor::kPlayer;
  if (!state.config->take_back || !card || entry.seat != state.match.deal.turn) return nullptr;
  return std::make_shared<const BeforeCard>(
      BeforeCard{.match = state.match,
                 .seat = entry.seat,
                 .time_bank = state.seats[static_cast<std::size_t>(entry.seat)].time_bank,
                 .thought = entry.elapsed});
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const rules::Action& action) {
  // No clock runs in the last trick, even if the server plays it late.
  const bool timed = !state.InLastTrick();
  std::shared_ptr<const BeforeCard> before = BeforePlay(state, entry, action);
  const rules::Verdict verdict = Apply(state.match, entry.seat, action);
  if (!verdict.ok()) return rules::RefusalStatus(action, verdict);
  KeepUnscored(state);
  if (state.match.DealRunning()) state.before_card = std::move(before);

  ChargeSeat(state, entry, timed);
  return absl::OkStatus();
}

// Plays the cards of a claim. Returns an error if the claiming seat does not win each of these
// tricks, or if the deal does not end with them.
absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const TricksClaimed& claimed) {
  rules::Match& match = state.match;
  if (!match.DealRunning() || match.deal.turn != entry.seat) return Corrupt(entry, "no turn");
  const bool timed = !state.InLastTrick();
  const int first = match.deal.trick_count;
  for (const rules::Card card : claimed.cards) {
    const rules::Action action = rules::Action::Play(card);
    const rules::Verdict verdict = Apply(match, match.deal.turn, action);
    if (!verdict.ok()) return rules::RefusalStatus(action, verdict);
  }
  if (match.DealRunning()) return Corrupt(entry, "tricks are missing");
  for (int trick = first; trick <= match.deal.trick_count; ++trick) {
    const auto at = static_cast<std::size_t>(trick - 1);
    if (match.deal.tricks[at].winner != entry.seat) return Corrupt(entry, "a trick is lost");
  }
  state.claim = {.seat = entry.seat, .trick = first};
  ChargeSeat(state, entry, timed);
  return absl::OkStatus();
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const NonceAdded& added) {
  const std::string& nonce = added.nonce;
  if (entry.seat < 0 || entry.seat >= state.match.players) return Corrupt(entry, "no seat");
  if (state.match.Finished()) return NonceRefused("MATCH_OVER");
  if (state.next == nullptr) return NonceRefused("NO_SEED_YET");
  if (nonce.empty() || nonce.size() > dealing::kNonceBytesMax) return NonceRefused("NONCE_SIZE");
  NextDeal next = *state.next;
  std::string& slot = next.nonces[static_cast<std::size_t>(entry.seat)];
  if (!slot.empty()) return NonceRefused("NONCE_GIVEN");
  slot = nonce;
  state.next = std::make_shared<const NextDeal>(std::move(next));
  return absl::OkStatus();
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const SeatResumed&) {
  if (entry.seat < 0 || entry.seat >= state.match.players) return Corrupt(entry, "no seat");
  state.seats[static_cast<std::size_t>(entry.seat)].strikes = 0;
  return absl::OkStatus();
}

absl::Status AdvanceBody(TableState& state, const LogEntry&, const DealVoided& voided) {
  if (!VoidDeal(state.match)) return DealNotRunning();
  if (voided.ends_match) state.match.deal_count = state.match.deals_scored;
  KeepUnscored(state);
  state.void_reason = voided.reason;
  state.proposal.reset();
  state.break_expire_time.reset();
  return absl::OkStatus();
}

// Rounds a time to the precision of the store, so that memory and log agree.
absl::Time Rounded(absl::Time time) { return absl::FromUnixMicros(absl::ToUnixMicros(time)); }

bool IsSeat(const TableState& state, rules::Seat seat) {
  return seat >= 0 && seat < state.match.players;
}

// The service checks the limits of phrases and mutes before it stores an entry
// (app/table_service.cc). The fold does not check the limits, because old logs must stay valid if a
// limit changes.
absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const PhraseSaid& said) {
  if (!IsSeat(state, entry.seat)) return Corrupt(entry, "no seat");
  TableTalk talk = state.talk != nullptr ? *state.talk : TableTalk();
  SeatTalk& seat = talk[static_cast<std::size_t>(entry.seat)];
  seat.last = LastPhrase{.phrase = said.phrase, .time = Rounded(entry.create_time)};
  ++seat.phrases;
  state.talk = std::make_shared<const TableTalk>(talk);
  return absl::OkStatus();
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const SeatMuted& change) {
  if (!IsSeat(state, entry.seat) || !IsSeat(state, change.seat)) return Corrupt(entry, "no seat");
  TableTalk talk = state.talk != nullptr ? *state.talk : TableTalk();
  SeatTalk& seat = talk[static_cast<std::size_t>(entry.seat)];
  seat.muted[static_cast<std::size_t>(change.seat)] = change.muted;
  ++seat.mutes;
  state.talk = std::make_shared<const TableTalk>(talk);
  return absl::OkStatus();
}

// Keeps the open proposal as the last closed proposal. `seats` becomes ClosedProposal::seats.
void KeepClosed(TableState& state, ClosedProposal::Outcome outcome,
                std::vector<rules::Seat> seats = {}) {
  state.last_proposal = ClosedProposal{.kind = state.proposal->kind,
                                       .seat = state.proposal->seat,
                                       .revision = state.proposal->revision,
                                       .outcome = outcome,
                                       .seats = std::move(seats)};
}

// Ends a pause. The turn continues with the time that was left before the pause.
void EndPause(TableState& state, const LogEntry& entry) {
  state.proposal.reset();
  state.break_expire_time.reset();
  state.turn_start = entry.create_time - state.thought;
}

// If all asked seats have agreed to the open proposal, takes back the last card or begins a break.
// `granted` comes from the log entry and must agree with the answers. If it does not agree, returns
// an error.
absl::Status CloseProposal(TableState& state, const LogEntry& entry, bool granted) {
  if (state.PendingSeats().empty() != granted) return Corrupt(entry, "a wrong grant");
  if (!granted) return absl::OkStatus();
  KeepClosed(state, ClosedProposal::Outcome::kGranted);
  if (state.proposal->kind == ProposalKind::kBreak) {
    state.proposal.reset();
    state.break_expire_time = Rounded(entry.create_time + kBreakMax);
    return absl::OkStatus();
  }
  const std::shared_ptr<const BeforeCard> before = std::exchange(state.before_card, nullptr);
  state.match = before->match;
  // `strikes` is not restored, because the player who played the card is present.
  state.seats[static_cast<std::size_t>(before->seat)].time_bank = before->time_bank;
  state.thought = before->thought;
  EndPause(state, entry);
  return absl::OkStatus();
}

// The service checks the options and the limits of proposals before it stores an entry
// (app/table_service.cc). The fold does not check the options and the limits, because old logs must
// stay valid if a limit changes.
absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const Proposed& proposed) {
  if (!IsSeat(state, entry.seat)) return Corrupt(entry, "no seat");
  if (state.Paused()) return ProposalRefused(state.proposal ? "PROPOSAL_OPEN" : "BREAK_RUNS");
  const bool takes_back = proposed.kind == ProposalKind::kTakeBack;
  if (takes_back && (state.before_card == nullptr || state.before_card->seat != entry.seat)) {
    return ProposalRefused("NO_CARD");
  }
  const auto seat = static_cast<std::size_t>(entry.seat);
  ++state.proposals[seat];
  state.thought = entry.elapsed;
  state.proposal = OpenProposal{.kind = proposed.kind,
                                .seat = entry.seat,
                                .revision = entry.revision,
                                .expire_time = Rounded(entry.create_time + kProposalOpenFor)};
  state.proposal->asked.fill(true);
  if (proposed.asked) state.proposal->asked = *proposed.asked;
  state.proposal->agreed[seat] = true;
  return CloseProposal(state, entry, proposed.granted);
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry,
                         const ProposalAnswered& answered) {
  if (!state.proposal || state.proposal->kind != answered.kind) return NoProposal();
  if (!answered.agrees) {
    if (IsSeat(state, entry.seat)) {
      KeepClosed(state, ClosedProposal::Outcome::kRefused, {entry.seat});
    } else {
      KeepClosed(state, ClosedProposal::Outcome::kLapsed, state.PendingSeats());
    }
    EndPause(state, entry);
    return absl::OkStatus();
  }
  if (!IsSeat(state, entry.seat)) return Corrupt(entry, "no seat");
  state.proposal->agreed[static_cast<std::size_t>(entry.seat)] = true;
  return CloseProposal(state, entry, answered.granted);
}

absl::Status AdvanceBody(TableState& state, const LogEntry& entry, const BreakEnded&) {
  if (!state.break_expire_time) return Corrupt(entry, "no break");
  if (state.last_proposal) state.last_proposal->ended_by = entry.seat;
  EndPause(state, entry);
  return absl::OkStatus();
}

// Returns true if a turn begins with `entry`. These entries begin no turn:
// - a nonce, a phrase or a mute, because otherwise it would give a seat more time or delay the next
//   deal;
// - the return of a player while another seat thinks, because otherwise that other seat would get a
//   new move limit;
// - a proposal, an answer and the end of a break, because EndPause sets the clock.
bool BeginsTurn(const TableState& state, const LogEntry& entry) {
  if (DecidesNothing(entry.body) || AboutProposal(entry.body)) return false;
  const bool resumed = std::holds_alternative<SeatResumed>(entry.body);
  return !(resumed && state.match.DealRunning() && state.match.deal.turn != entry.seat);
}

}  // namespace

rules::Seat TableState::SeatOf(PlayerId player) const {
  for (std::size_t seat = 0; seat < config->seats.size(); ++seat) {
    if (config->seats[seat].player == player) return static_cast<rules::Seat>(seat);
  }
  return rules::kNoSeat;
}

bool TableState::InLastTrick() const {
  return match.DealRunning() && match.deal.phase == rules::Phase::kPlaying &&
         match.deal.trick_count == match.rules.HandSize(match.players);
}

rules::Seat TableState::TakeBackSeat() const {
  if (before_card == nullptr || Paused()) return rules::kNoSeat;
  const rules::Seat seat = before_card->seat;
  const bool spent = proposals[static_cast<std::size_t>(seat)] >= kProposalsPerDealMax;
  return spent ? rules::kNoSeat : seat;
}

std::vector<rules::Seat> TableState::Present() const {
  std::vector<rules::Seat> present;
  for (std::size_t seat = 0; seat < config->seats.size(); ++seat) {
    const bool bot = config->seats[seat].bot() || seats[seat].held();
    if (!bot) present.push_back(static_cast<rules::Seat>(seat));
  }
  return present;
}

std::vector<rules::Seat> TableState::AskedFor(ProposalKind kind) const {
  std::vector<rules::Seat> asked = Present();
  if (kind == ProposalKind::kTakeBack) std::erase(asked, match.deal.sits_out);
  return asked;
}

std::vector<rules::Seat> TableState::PendingSeats() const {
  if (!proposal) return {};
  std::vector<rules::Seat> pending = Present();
  std::erase_if(pending, [&](rules::Seat seat) {
    const auto i = static_cast<std::size_t>(seat);
    return !proposal->asked[i] || proposal->agreed[i];
  });
  return pending;
}

bool TableState::BotInTurn() const {
  if (!match.DealRunning()) return false;
  const auto seat = static_cast<std::size_t>(match.deal.turn);
  return config->seats[seat].bot() || seats[seat].held();
}

absl::Time TableState::TurnExpireTime() const {
  const bool still = Paused() || InLastTrick() || BotInTurn();
  if (!match.DealRunning() || still) return absl::InfiniteFuture();
  return turn_start + config->move_limit +
         seats[static_cast<std::size_t>(match.deal.turn)].time_bank;
}

TableState NewTable(std::shared_ptr<const TableConfig> config) {
  TableState state;
  state.match =
      rules::StartMatch(config->rules, static_cast<int>(config->seats.size()), config->deal_count);
  if (config->first_seed) {
    state.next = std::make_shared<const NextDeal>(NextDealOf(*config->first_seed));
  }
  for (SeatState& seat : state.seats) seat.time_bank = config->time_bank;
  state.turn_start = config->create_time;
  state.config = std::move(config);
  return state;
}

absl::Status Advance(TableState& state, const LogEntry& entry) {
  if (entry.revision != state.revision + 1) return Corrupt(entry, "a gap before it");
  if (state.Paused() && GoesOn(entry.body)) {
    return GamePaused(state.proposal ? "PROPOSAL_OPEN" : "BREAK_RUNS");
  }
  // After this entry, no seat can take the last card back.
  if (GoesOn(entry.body) || std::holds_alternative<DealVoided>(entry.body)) {
    state.before_card = nullptr;
  }
  TAROT_RETURN_IF_ERROR(
      std::visit([&](const auto& body) { return AdvanceBody(state, entry, body); }, entry.body));
  state.revision = entry.revision;
  if (!DecidesNothing(entry.body)) state.decided_revision = entry.revision;
  if (BeginsTurn(state, entry)) {
    state.turn_start = entry.create_time;
    state.thought = absl::ZeroDuration();
  }
  return absl::OkStatus();
}

absl::StatusOr<TableState> Replay(std::shared_ptr<const TableConfig> config,
                                  const std::vector<LogEntry>& log) {
  TableState state = NewTable(std::move(config));
  for (const LogEntry& entry : log) TAROT_RETURN_IF_ERROR(Advance(state, entry));
  return state;
}

std::vector<RevealedDeal> RevealedBy(const TableState& state) {
  std::vector<RevealedDeal> revealed;
  if (!EndedWithoutScore(state.match)) revealed.push_back(SecretsOf(state));
  if (state.match.Finished() && state.unscored != nullptr) {
    revealed.insert(revealed.end(), state.unscored->begin(), state.unscored->end());
  }
  return revealed;
}

NextDeal NextDealOf(const dealing::DealSeed& seed) {
  return {.seed = seed, .commitment = dealing::Commit(seed)};
}

dealing::DealStart StartOf(const rules::Match& match, const NextDeal& next,
                           const dealing::DealSeed& seed,
                           std::optional<dealing::Procedure> procedure) {
  dealing::DealStart start{.dealer = match.next_dealer, .next_seed = seed};
  start.provenance.procedure = procedure.value_or(dealing::ProcedureOf(match.rules));
  start.provenance.seed = next.seed;
  start.provenance.nonces = next.nonces;
  const bool first = match.deals_dealt == 0;
  if (first) start.dealer = FirstDealerOf(match.rules, match.players, start.provenance);
  const bool over = !first && match.deal.phase == rules::Phase::kDone;
  if (over && match.rules.shuffle == rules::Shuffle::kNoneBetweenDeals) {
    const bool scored = match.deal.result.outcome == rules::Outcome::kScored;
    if (start.provenance.procedure == dealing::Procedure::kSeedAndNonces) {
      start.provenance.gathered = GatheredPack(match.deal);
    } else if (scored && MayGather(match.rules, match.players)) {
      start.provenance.gathered = GatheredPack(match.deal);
      start.provenance.piles = GatheredPiles(match.deal);
    }
  }
  if (match.rules.taker_by == rules::TakerBy::kBoard) {
    start.taker = rules::BoardTaker(match.players, match.deals_scored + 1);
  }
  return start;
}

TableView MakeTableView(const TableState& state, rules::Seat viewer) {
  TableView view;
  view.config = state.config;
  view.revision = state.revision;
  view.phase = state.match.DealRunning() ? TablePhase::kPlaying
               : state.match.Finished()  ? TablePhase::kFinished
                                         : TablePhase::kDealing;
  view.viewer = viewer;
  view.deals_scored = state.match.deals_scored;
  view.deal_number = state.match.deals_dealt;
  view.totals = state.match.totals;
  view.seats = state.seats;
  if (view.deal_number > 0) {
    view.deal = rules::MakeView(state.match.deal, viewer);
    view.commitment = state.commitment;
    view.void_reason = state.void_reason;
    view.claim = state.claim;
  }
  view.turn_expire_time = state.TurnExpireTime();
  view.proposal = state.proposal;
  view.pending = state.PendingSeats();
  view.break_expire_time = state.break_expire_time;
  view.last_proposal = state.last_proposal;
  view.take_back = state.TakeBackSeat();
  if (state.talk != nullptr) {
    const TableTalk& talk = *state.talk;
    if (viewer != rules::kNoSeat) view.muted = talk[static_cast<std::size_t>(viewer)].muted;
    for (std::size_t seat = 0; seat < talk.size(); ++seat) {
      if (!view.muted[seat]) view.phrases[seat] = talk[seat].last;
    }
  }
  if (state.next != nullptr && view.phase != TablePhase::kFinished) {
    view.next_commitment = state.next->commitment;
    view.next_nonces = state.next->nonces;
  }
  return view;
}

}  // namespace tarot::rules_service
