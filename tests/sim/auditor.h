// Checks invariants. Each log entry, answer and view is checked when it arrives. The stores are
// checked at the end of a run. A broken invariant fails the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/ratings/app/rating_service.h"
#include "services/rules/app/table_state.h"
#include "tests/sim/log_reader.h"
#include "tests/sim/simulated_world.h"

namespace tarot::sim {

// One request of a player or of an operator, from its first attempt to its certain answer. All
// attempts have the same request id.
struct Intent {
  TableId table;
  PlayerId player;  // Empty if an operator made the request.
  RequestId request;
  rules_service::EntryBody body = rules::Action();  // The body of a claim has no cards.
  // The meaning depends on the kind of request:
  // - action, claim: the revision that the player has seen;
  // - answer: the revision of the proposal;
  // - nonce, cancelled deal: the number of the deal.
  int expected_revision = 0;
};

// A deal that is played now.
struct RunningDeal {
  TableId table;
  int number = 0;
};

class Auditor final : public LogReader {
 public:
  explicit Auditor(SimulatedWorld& world) : world_(world) {}

  // The store calls these functions in the order of the commits. The auditor folds every log
  // itself.
  void Created(const rules_service::TableConfig& config) override;
  void Stored(const Writer& writer, const rules_service::NewEntry& entry) override;
  void Unanswered(const Writer& writer,
                  const std::vector<rules_service::NewEntry>& entries) override;

  // A player or an operator calls Sent before the first attempt of a request, and Acknowledged or
  // Refused when the answer is certain.
  void Sent(const Intent& intent);
  void Acknowledged(RequestId request, int answered_revision);
  void Refused(RequestId request, const absl::Status& status);
  // Call this function when `player` has got this view, from a stream or as an answer.
  void Seen(PlayerId player, const rules_service::TableView& view);
  // Call Sat when `player` begins to watch `table`; the player watches it until a view shows the
  // end of the match. Call Forgot when the player's program has started again and watches no table.
  void Sat(PlayerId player, TableId table) {
    watching_[player] = {.table = table, .begin = world_.now()};
  }
  void Forgot(PlayerId player) { watching_.erase(player); }

  // Returns all deals in play, for an operator.
  std::vector<RunningDeal> RunningDeals() const;
  // Returns the tables in play whose log has not grown for `span`.
  std::vector<TableId> StandingStill(absl::Duration span) const;
  // Returns the players who miss an entry of their table, `span` or more after it was stored.
  std::vector<PlayerId> LeftBehind(absl::Duration span) const;
  // Returns whether ratings and matchmaking have confirmed every finished match.
  bool EveryEndIsKnown(rules_service::TableStore& tables) const;
  // Checks, at the end of a run, that the stores contain exactly the entries and matches that the
  // auditor has seen.
  void CheckStores(rules_service::TableStore& tables, ratings_service::RatingStore& ratings);

  int entries() const { return entries_; }
  int views() const { return views_; }
  int acknowledged() const { return acknowledged_; }
  int matches() const { return static_cast<int>(tables_.size()); }
  int clock_moves() const { return clock_moves_; }
  int claims() const { return claims_; }
  int talks() const { return talks_; }
  int voids() const { return voids_; }
  int cards_back() const { return cards_back_; }
  int breaks() const { return breaks_; }

 private:
  using State = rules_service::TableState;
  struct TableHistory {
    std::vector<std::shared_ptr<const State>> states;  // Indexed by revision.
    std::vector<absl::Time> stored;                    // The commit time of each revision.
    std::set<RequestId> requests;
    Writer writer;  // The process that stored the last entry.
    // The last process that could not store a move for the seat whose turn it is. The next two
    // members are the time of that failure and the revision of that move.
    Writer outage_writer;
    absl::Time outage;
    int outage_revision = 0;
    // The revision before the last card, if that card can be taken back.
    std::optional<int> before_card;
    bool over() const { return states.back()->match.Finished(); }
  };
  struct Watching {
    TableId table;
    absl::Time begin;
    int revision = 0;  // The newest revision that this player has seen.
  };
  struct Request {
    Intent intent;
    int revision = 0;  // The request's revision in the log; 0 before it is stored.
    bool refused = false;
  };

  void CheckPlayersEntry(const rules_service::NewEntry& entry, const State& before);
  void CheckOperatorsEntry(const rules_service::NewEntry& entry, const State& before);
  // `entry` must be the first entry of a request that was sent and not refused. If it is not, fails
  // the run. Returns the intent of the request, or nullptr if there is no such request.
  const Intent* TakeRequest(const rules_service::NewEntry& entry);
  // These functions check what one kind of entry did to the table.
  void CheckClaim(const rules_service::LogEntry& entry, const State& before, const State& after);
  void CheckVoid(const rules_service::LogEntry& entry, const State& before, const State& after);
  void CheckTalk(const rules_service::LogEntry& entry, const State& before);
  void CheckProposal(const rules_service::LogEntry& entry, TableHistory& table, const State& after);
  void CheckTakenBack(TableHistory& table, const State& after);
  void CheckGameIsTheSame(const State& before, const State& after);
  void CheckClock(const Writer& writer, const rules_service::LogEntry& entry,
                  const TableHistory& table);
  void CheckNothingHidden(const State& state, rules::Seat viewer, const std::string& shown);

  SimulatedWorld& world_;
  std::map<TableId, TableHistory> tables_;
  std::map<RequestId, Request> requests_;
  std::map<PlayerId, Watching> watching_;
  std::map<PlayerId, TableId> ranked_;  // The last ranked table of each player.
  int entries_ = 0;
  int views_ = 0;
  int acknowledged_ = 0;
  int clock_moves_ = 0;
  int claims_ = 0;      // Number of stored claims.
  int talks_ = 0;       // Number of stored phrases and mutes.
  int voids_ = 0;       // Number of deals that an operator cancelled.
  int cards_back_ = 0;  // Number of cards that were taken back.
  int breaks_ = 0;
};

}  // namespace tarot::sim
