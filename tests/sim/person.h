// A simulated player. It queues, watches its table, thinks (sometimes for too long), acts by
// heuristic, claims tricks, talks, adds nonces, takes cards back, and makes breaks. It repeats a
// request with the same id until the answer is certain. It takes its seat back from a bot, and
// queues again after its match, sometimes at once.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "services/matchmaking/app/ticket_service.h"
#include "tests/sim/cluster.h"
#include "tests/sim/table_stream.h"

namespace tarot::sim {

// The program on the player's machine. When it dies and starts again, it remembers nothing.
class Person {
 public:
  Person(Life& life, Cluster& cluster, int index);

  // Returns the player's id. It does not change when the player's program starts again.
  static PlayerId IdOf(int index);

 private:
  using View = rules_service::TableView;
  using SharedView = std::shared_ptr<const View>;

  // These functions find a table.
  // The wait before the request is random, but at most `longest`.
  void Queue(absl::Duration longest = absl::Seconds(3));
  void AskTicket(RequestId request);
  // Without faults, a player who has seen the end of a match must get a new ticket.
  void CheckExistingTicket(absl::string_view table, absl::Time asked);
  void Look(TicketId ticket);
  void OnTicket(const matchmaking_service::TicketView& view);

  // These functions play at the table.
  void Sit(TableId table);
  void Connect();
  void Watchdog(int sitting);
  void OnView(const View& view);
  void Leave();
  void MaybeAct();
  void Act(int revision);
  void MaybeResume();
  void MaybeAddNonce();
  void MaybeTalk();
  void MaybePropose();
  void MaybeAnswer();
  void MaybeEndBreak();
  // Sends the request until its answer is certain, then calls `then`. If `honest`, the service must
  // not refuse the action as illegal.
  void Insist(const Intent& intent, bool honest, std::function<void()> then);
  void OnAnswer(const Intent& intent, bool honest, const std::function<void()>& then,
                const absl::StatusOr<SharedView>& answer);

  absl::Duration Between(absl::Duration least, absl::Duration most) {
    return cluster_.world.Between(least, most);
  }
  RequestId NewRequest() { return RequestId{life_.NewUuid()}; }

  Life& life_;
  Cluster& cluster_;
  const int index_;
  const PlayerId id_;

  TableId table_;
  TableId over_;     // The last table of which the player has seen the end of the match.
  int sitting_ = 0;  // Number of tables so far. A delayed task for an earlier table does nothing.
  std::shared_ptr<TableStream> stream_;
  int stream_revision_ = 0;
  std::optional<View> view_;  // The newest view.
  int thinking_about_ = 0;    // The revision that the player thinks about.
  bool acting_ = false;
  bool resuming_ = false;
  bool talking_ = false;
  bool proposing_ = false;
  bool ending_break_ = false;
  int answered_ = 0;   // The revision of the last proposal that the player answered.
  int nonce_for_ = 0;  // The last deal for which the player decided whether to send a nonce.
};

}  // namespace tarot::sim
