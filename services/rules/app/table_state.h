// Defines the state of a table, which follows from its log: the match, the clocks, the seats that
// bots hold, and the next deal. A state contains every card, so a state never leaves the service. A
// TableView shows what one seat may see of the state.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/dealing/deal_start.h"
#include "libs/rules/match.h"
#include "libs/rules/view.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {

struct SeatState {
  absl::Duration time_bank;  // The time that is left in the seat's time bank.
  // Number of moves in a row that were made because the seat's clock had run out.
  int strikes = 0;

  bool held() const { return strikes >= kStrikesToHold; }
};

// The last phrase of a seat.
struct LastPhrase {
  Phrase phrase = Phrase::kHello;
  absl::Time time;
  friend bool operator==(const LastPhrase&, const LastPhrase&) = default;
};

// The phrases and the mutes of one seat.
struct SeatTalk {
  std::optional<LastPhrase> last;
  // The numbers of phrases and of changed mutes since the start of the deal. Both numbers have a
  // limit.
  int phrases = 0;
  int mutes = 0;
  std::array<bool, rules::kPlayersMax> muted{};  // The muted seats, indexed by seat.
};
using TableTalk = std::array<SeatTalk, rules::kPlayersMax>;

// A proposal that waits for answers.
struct OpenProposal {
  ProposalKind kind = ProposalKind::kTakeBack;
  rules::Seat seat = rules::kNoSeat;             // The seat that proposes.
  int revision = 0;                              // The revision of its entry.
  std::array<bool, rules::kPlayersMax> asked{};  // The seats that must agree.
  std::array<bool, rules::kPlayersMax> agreed{};
  absl::Time expire_time;
};

// A proposal that is over.
struct ClosedProposal {
  enum class Outcome : std::uint8_t { kGranted = 1, kRefused = 2, kLapsed = 3 };

  ProposalKind kind = ProposalKind::kTakeBack;
  rules::Seat seat = rules::kNoSeat;  // The seat that proposed.
  int revision = 0;                   // The revision of the proposal's entry.
  Outcome outcome = Outcome::kGranted;
  // The meaning depends on the outcome. After a refusal, this is the seat that refused. The seat
  // that made the proposal may refuse it too. If the proposal lapsed, these are the seats whose
  // answers were missing.
  std::vector<rules::Seat> seats;
  // The seat that ended the break. It is kNoSeat while the break runs, and if the break ended when
  // its time was over.
  rules::Seat ended_by = rules::kNoSeat;
};

// The state of the game before a person played a card. The person may still take this card back.
struct BeforeCard {
  rules::Match match;
  rules::Seat seat = rules::kNoSeat;
  absl::Duration time_bank;  // The time bank of the seat.
  absl::Duration thought;    // The time that the seat had used in this turn before the card.
};

// The next deal: its seed and its nonces. The seed is fixed before any player can add a nonce.
struct NextDeal {
  dealing::DealSeed seed{};          // Secret at least until the next deal is over.
  dealing::Commitment commitment{};  // Players see the commitment before they add nonces.
  // Indexed by seat. Players may see the nonces before the deal, because the seed is secret.
  dealing::Nonces nonces;
};

// The secrets of a deal that is over.
struct RevealedDeal {
  int number = 0;
  dealing::DealSeed seed{};
  std::optional<rules::Action> discard;  // Unset if the taker laid no écart aside.
  friend bool operator==(const RevealedDeal&, const RevealedDeal&) = default;
};

// The state of a table. After a state is published, it does not change. Every change makes a copy,
// which shares the large parts that seldom change. Two states with the same revision may differ in
// `turn_start`, because clocks start anew after an outage.
struct TableState {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  int decided_revision = 0;  // The revision of the newest entry that changed the game.
  rules::Match match;
  int deal_revision = 0;  // The revision of the entry that dealt the current deal.
  // The start of the current deal; null before the first deal. It has secret seeds.
  std::shared_ptr<const dealing::DealStart> start;
  // The commitment of the current deal; players see it from the start.
  dealing::Commitment commitment{};
  // The operator's reason, if an operator has cancelled the current deal. Normally empty.
  std::string void_reason;
  DealClaim claim;  // The claim that ended the current deal, if any.
  // The next deal. It is null only at a table of an old version that fixed no seeds in advance. At
  // such a table it stays null until a deal fixes the seed of the next deal.
  std::shared_ptr<const NextDeal> next;
  // The deals of this match that ended without a score. Their cards stay secret until the match is
  // over. Null if there are none.
  std::shared_ptr<const std::vector<RevealedDeal>> unscored;
  std::array<SeatState, rules::kPlayersMax> seats;
  std::shared_ptr<const TableTalk> talk;  // Null until a seat says a phrase or mutes another seat.
  // The game before the last card; null if no card can be taken back now.
  std::shared_ptr<const BeforeCard> before_card;
  std::optional<OpenProposal> proposal;
  std::optional<absl::Time> break_expire_time;  // Set during a break.
  // The last proposal of the current deal that was closed.
  std::optional<ClosedProposal> last_proposal;
  // The number of proposals that each seat has made since the start of the deal. This number has a
  // limit.
  std::array<int, rules::kPlayersMax> proposals{};
  // While the game is paused: the part of the present turn's time that was used before the pause.
  absl::Duration thought;
  // The time when the present turn began, or when the last deal ended. Replay() sets it to the time
  // of the entry that began the turn. In the memory of a replica, it is the time when this entry
  // was shown, or when the table was loaded. After a pause, it is moved later by the length of the
  // pause.
  absl::Time turn_start;

  rules::Seat SeatOf(PlayerId player) const;  // Returns kNoSeat for a watcher.
  // Returns true if `seen_revision` exists in the log and no later entry has changed the game.
  bool IsNewest(int seen_revision) const {
    return decided_revision <= seen_revision && seen_revision <= revision;
  }
  // Returns true while the last trick of a deal must be played. No seat has a choice then. So the
  // server plays the cards at once, for every seat, and no clock runs.
  bool InLastTrick() const;
  // Returns true while a proposal is open or a break runs. No seat plays then, and no clock runs.
  bool Paused() const { return proposal.has_value() || break_expire_time.has_value(); }
  // Returns the time at which the pause ends by itself. Call this function only in a pause.
  absl::Time PauseExpireTime() const {
    return proposal ? proposal->expire_time : *break_expire_time;
  }
  // Returns the seat that may propose to take back its last card now, or kNoSeat.
  rules::Seat TakeBackSeat() const;
  // Returns the seats of persons, without the seats that bots hold for them.
  std::vector<rules::Seat> Present() const;
  // Returns the seats of Present() that a proposal of this kind asks. A seat without cards in this
  // deal is not asked whether another seat may take back a card.
  std::vector<rules::Seat> AskedFor(ProposalKind kind) const;
  // Returns the seats of Present() that the open proposal asks and that have not agreed to it.
  std::vector<rules::Seat> PendingSeats() const;
  // Returns true if a bot must act: a bot sits in the seat whose turn it is, or holds this seat for
  // a person.
  bool BotInTurn() const;
  // Returns the time at which the move limit and the time bank of the present turn will be used up.
  // Returns InfiniteFuture when no clock runs.
  absl::Time TurnExpireTime() const;
};

TableState NewTable(std::shared_ptr<const TableConfig> config);

// Applies `entry` to `state`. This function is the fold. If the rules refuse the entry, returns the
// error of the rules. If the state of the table does not allow the entry, returns NONCE_REFUSED,
// PROPOSAL_REFUSED, NO_PROPOSAL, GAME_PAUSED or DEAL_NOT_RUNNING. For every other fault, returns
// INTERNAL BUG. After an error, do not use `state` any more.
absl::Status Advance(TableState& state, const LogEntry& entry);

// Returns the state after all entries of `log`. `log` must begin with the first entry of the table.
absl::StatusOr<TableState> Replay(std::shared_ptr<const TableConfig> config,
                                  const std::vector<LogEntry>& log);

// If the last entry of `state` ended a scored deal, returns the secrets of this deal, which are now
// public. If the entry ended the match, also returns the secrets of all deals without a score.
std::vector<RevealedDeal> RevealedBy(const TableState& state);

NextDeal NextDealOf(const dealing::DealSeed& seed);

// Returns the start of the next deal of `match`. `next` has the seed and the nonces of this next
// deal. `seed` is the seed of the deal that follows the next deal. `procedure` is normally the
// result of dealing::ProcedureOf(). For a deal of an old log it may be another procedure, but never
// kSeedAlone.
dealing::DealStart StartOf(const rules::Match& match, const NextDeal& next,
                           const dealing::DealSeed& seed,
                           std::optional<dealing::Procedure> procedure = std::nullopt);

// A table as one viewer may see it. The viewer is a seat or a watcher.
struct TableView {
  std::shared_ptr<const TableConfig> config;
  int revision = 0;
  TablePhase phase = TablePhase::kDealing;
  rules::Seat viewer = rules::kNoSeat;
  int deals_scored = 0;
  int deal_number = 0;
  std::array<int, rules::kPlayersMax> totals{};
  std::array<SeatState, rules::kPlayersMax> seats;
  std::optional<rules::View> deal;  // Unset before the first deal.
  // The operator's reason, if an operator has cancelled this deal. Normally empty.
  std::string void_reason;
  DealClaim claim;  // The claim that ended this deal, if any.
  dealing::Commitment commitment{};
  absl::Time turn_expire_time;
  std::optional<OpenProposal> proposal;
  std::vector<rules::Seat> pending;  // The seats whose answers to the proposal are missing.
  std::optional<absl::Time> break_expire_time;
  std::optional<ClosedProposal> last_proposal;
  rules::Seat take_back = rules::kNoSeat;  // The seat that may propose to take back its last card.
  // The last phrase of each seat, without the phrases of seats that the viewer has muted.
  std::array<std::optional<LastPhrase>, rules::kPlayersMax> phrases;
  std::array<bool, rules::kPlayersMax> muted{};  // The seats that the viewer has muted.
  // The commitment and the nonces of the next deal. Both are empty when the match is over, and when
  // the next deal has no seed yet.
  std::optional<dealing::Commitment> next_commitment;
  dealing::Nonces next_nonces;
};

TableView MakeTableView(const TableState& state, rules::Seat viewer);

}  // namespace tarot::rules_service
