// Defines one entry of a table's log. The state of a table follows from its settings and its log
// alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/dealing/deal_start.h"
#include "libs/rules/action.h"

namespace tarot::rules_service {

// The start of a deal, made by the server.
struct DealStarted {
  // The pointer is never null. The states of the deal share the start, because the start is large.
  std::shared_ptr<const dealing::DealStart> start;
  friend bool operator==(const DealStarted& a, const DealStarted& b) {
    return *a.start == *b.start;
  }
};

// A nonce that a seat adds to the seed of the next deal.
struct NonceAdded {
  std::string nonce;
  friend bool operator==(const NonceAdded&, const NonceAdded&) = default;
};

// The return of a player, who takes the seat back from the bot that holds it.
struct SeatResumed {
  friend bool operator==(const SeatResumed&, const SeatResumed&) = default;
};

// An operator cancels the running deal.
struct DealVoided {
  std::string reason;  // A text for the players.
  // True if the operator also ends the match. Only the deals that are scored so far count.
  bool ends_match = false;
  friend bool operator==(const DealVoided&, const DealVoided&) = default;
};

// A claim of all tricks that are left, made by the seat whose turn it is (libs/rules/claim.h). The
// claim ends the deal.
struct TricksClaimed {
  std::vector<rules::Card> cards;  // The cards of all claimed tricks, in the order of play.
  friend bool operator==(const TricksClaimed&, const TricksClaimed&) = default;
};

// The set phrases that players can say. The numbers are stored, so they must not change.
enum class Phrase : std::uint8_t {
  kHello = 1,
  kWellPlayed = 2,
  kSorry = 3,
  kThanks = 4,
  kOneMoment = 5,
  kGoodGame = 6,
};
inline constexpr Phrase kLastPhrase = Phrase::kGoodGame;

// A phrase that a seat says to the table.
struct PhraseSaid {
  Phrase phrase = Phrase::kHello;
  friend bool operator==(const PhraseSaid&, const PhraseSaid&) = default;
};

// A seat hides the phrases of another seat from itself, or shows them again.
struct SeatMuted {
  rules::Seat seat = rules::kNoSeat;  // The seat whose phrases are hidden.
  bool muted = false;
  friend bool operator==(const SeatMuted&, const SeatMuted&) = default;
};

// The proposals that a seat may make. The numbers are stored, so they must not change.
enum class ProposalKind : std::uint8_t {
  kTakeBack = 1,  // The seat takes back its last card.
  kBreak = 2,
};

// A proposal by a seat. The game is paused until the proposal is granted, refused or lapsed.
struct Proposed {
  ProposalKind kind = ProposalKind::kTakeBack;
  // True if the proposal is granted at once, because no other person must agree.
  bool granted = false;
  // The seats that must agree, indexed by seat. Unset in entries of older versions: for such an
  // entry, every person whose seat no bot holds must agree.
  std::optional<std::array<bool, rules::kPlayersMax>> asked;
  friend bool operator==(const Proposed&, const Proposed&) = default;
};

// An answer to the open proposal. If answers are still missing when the time for answers is over,
// the server adds a refusal.
struct ProposalAnswered {
  ProposalKind kind = ProposalKind::kTakeBack;
  bool agrees = false;
  bool granted = false;  // True if all asked seats have agreed after this answer.
  friend bool operator==(const ProposalAnswered&, const ProposalAnswered&) = default;
};

// The end of a break, by a seat or by the server.
struct BreakEnded {
  friend bool operator==(const BreakEnded&, const BreakEnded&) = default;
};

// Only storage/ knows the bytes of an entry (storage/sql_values.h).
using EntryBody =
    std::variant<DealStarted, rules::Action, NonceAdded, SeatResumed, DealVoided, TricksClaimed,
                 PhraseSaid, SeatMuted, Proposed, ProposalAnswered, BreakEnded>;

// Returns true if `body` is a nonce, a phrase or a mute. Such an entry changes neither the running
// deal nor its clocks. If a player decided on a move before this entry came, the move is still
// valid.
inline bool DecidesNothing(const EntryBody& body) {
  return std::holds_alternative<NonceAdded>(body) || std::holds_alternative<PhraseSaid>(body) ||
         std::holds_alternative<SeatMuted>(body);
}

// Returns true if `body` is a step of the game: a deal, an action or a claim. While a proposal is
// open and during a break, such an entry is refused.
inline bool GoesOn(const EntryBody& body) {
  return std::holds_alternative<DealStarted>(body) || std::holds_alternative<rules::Action>(body) ||
         std::holds_alternative<TricksClaimed>(body);
}

// Returns true if `body` is a proposal, an answer or the end of a break.
inline bool AboutProposal(const EntryBody& body) {
  return std::holds_alternative<Proposed>(body) || std::holds_alternative<ProposalAnswered>(body) ||
         std::holds_alternative<BreakEnded>(body);
}

// Returns true if `body` grants a proposal to take back the last card.
inline bool TakesBack(const EntryBody& body) {
  const auto* const proposed = std::get_if<Proposed>(&body);
  if (proposed != nullptr) return proposed->granted && proposed->kind == ProposalKind::kTakeBack;
  const auto* const answered = std::get_if<ProposalAnswered>(&body);
  return answered != nullptr && answered->granted && answered->kind == ProposalKind::kTakeBack;
}

// The claim that ended a deal: the seat, and the number of the first trick that the seat claimed.
struct DealClaim {
  rules::Seat seat = rules::kNoSeat;  // kNoSeat if the deal had no claim.
  int trick = 0;
  friend bool operator==(const DealClaim&, const DealClaim&) = default;
};

// The author of an entry. The numbers are stored, so they must not change.
enum class Actor : std::uint8_t {
  kPlayer = 0,
  kBot = 1,    // A bot, in its own seat or in a seat that it holds for a player.
  kClock = 2,  // A bot that plays because the player has used the move limit and the time bank.
  // The server: it deals, plays the last trick of a deal, cancels deals for operators, and ends a
  // proposal or a break when its time is over.
  kServer = 3,
};

struct LogEntry {
  int revision = 0;  // Revisions begin at 1 and have no gaps.
  RequestId request;
  Actor actor = Actor::kPlayer;
  // The seat that acts. It is kNoSeat for DealStarted and DealVoided, and also if the server ends a
  // proposal or a break.
  rules::Seat seat = rules::kNoSeat;
  EntryBody body = rules::Action();
  // The time from the start of the turn to this entry. The time banks are computed from these
  // times.
  absl::Duration elapsed;
  absl::Time create_time;
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

}  // namespace tarot::rules_service
