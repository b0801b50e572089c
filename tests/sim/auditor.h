// What must hold of the log, of every answer and of every view, checked as they come, and at the
// end. A broken invariant fails the world.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/ratings/app/rating_store.h"
#include "services/rules/app/table_view.h"
#include "tests/sim/log_reader.h"
#include "tests/sim/world.h"

namespace tarot::sim {

// What a player asks for, under one request id, until it is answered for certain.
struct Intent {
  TableId table;
  PlayerId player;
  RequestId request;
  rules_service::EventKind kind = rules_service::EventKind::kAction;
  std::string payload;
  int expected_revision = 0;  // Of an action.
};

class Auditor final : public LogReader {
 public:
  explicit Auditor(World& world) : world_(world) {}

  // From the store, in the order of the commits: every log is folded once more, beside the
  // services.
  void Created(const rules_service::TableConfig& config) override;
  void Stored(const Writer& writer, const rules_service::NewEntry& entry) override;
  void Unanswered(const Writer& writer,
                  const std::vector<rules_service::NewEntry>& entries) override;

  // From the players: before the request is sent first; when it is answered for certain.
  void Sent(const Intent& intent);
  void Acknowledged(RequestId request, int answered_revision);
  void Refused(RequestId request, const absl::Status& status);
  // What `player` is shown, by a stream or as an answer.
  void Seen(PlayerId player, const rules_service::TableView& view);
  // Who looks at a table from now on, until the end of the match is shown; or no longer, because
  // the player's program has begun anew.
  void Sat(PlayerId player, TableId table) {
    watching_[player] = {.table = table, .begin = world_.now()};
  }
  void Forgot(PlayerId player) { watching_.erase(player); }

  // Tables in play whose log has not grown for `span`.
  std::vector<TableId> StandingStill(absl::Duration span) const;
  // Players who have not been shown what was stored `span` ago at their table.
  std::vector<PlayerId> LeftBehind(absl::Duration span) const;
  // Whether all services have heard of the end of every match that is over.
  bool EveryEndIsKnown(rules_service::TableStore& tables) const;
  // At the end of a run, when all is quiet: the stores hold what we have seen, and no more.
  void CheckStores(rules_service::TableStore& tables, ratings::RatingStore& ratings);

  int entries() const { return entries_; }
  int views() const { return views_; }
  int acknowledged() const { return acknowledged_; }
  int matches() const { return static_cast<int>(tables_.size()); }
  int clock_moves() const { return clock_moves_; }

 private:
  using State = rules_service::TableState;
  struct Table {
    std::vector<std::shared_ptr<const State>> states;  // By revision.
    std::vector<absl::Time> stored;                    // When each was.
    std::set<RequestId> requests;
    Writer writer;  // Of the last entry.
    // Who could not store a move for the seat in turn, when last, and at which revision.
    Writer outage_writer;
    absl::Time outage;
    int outage_revision = 0;
    bool over() const { return states.back()->match.Finished(); }
  };
  struct Watching {
    TableId table;
    absl::Time begin;
    int revision = 0;  // The newest that was shown.
  };
  struct Request {
    Intent intent;
    int revision = 0;  // In the log; 0: not there.
    bool refused = false;
  };

  void CheckPlayersEntry(const rules_service::NewEntry& entry, const State& before);
  void CheckClock(const Writer& writer, const rules_service::LogEntry& entry, const Table& table);
  void CheckNothingHidden(const State& state, rules::Seat viewer, const std::string& shown);

  World& world_;
  std::map<TableId, Table> tables_;
  std::map<RequestId, Request> requests_;
  std::map<PlayerId, Watching> watching_;
  std::map<PlayerId, TableId> ranked_;  // The ranked table where each player sat last.
  int entries_ = 0;
  int views_ = 0;
  int acknowledged_ = 0;
  int clock_moves_ = 0;
};

}  // namespace tarot::sim
