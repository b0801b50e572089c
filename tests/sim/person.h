// A simulated player: queues, watches, thinks, acts by a rule of thumb, insists with the same
// request id, goes away for a while, and queues again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "services/matchmaking/app/ticket_service.h"
#include "tests/sim/cluster.h"
#include "tests/sim/table_stream.h"

namespace tarot::sim {

// The program on the player's machine; it may die too, and then knows nothing.
class Person {
 public:
  Person(Life& life, Cluster& cluster, int index);

  // Of the person, whatever process runs.
  static PlayerId IdOf(int index);

 private:
  using View = rules_service::TableView;
  using Sight = std::shared_ptr<const View>;

  // Finding a table.
  void Queue();
  void AskTicket(RequestId request);
  void Look(TicketId ticket);
  void OnTicket(const matchmaking::TicketView& view);

  // At the table.
  void Sit(TableId table);
  void Connect();
  void Watchdog(int sitting);
  void OnView(const View& view);
  void Leave();
  void MaybeAct();
  void Act(int revision);
  void MaybeResume();
  void MaybeAddNonce();
  // Sends until the answer is certain, then calls `then`.
  void Insist(const Intent& intent, bool honest, std::function<void()> then);
  void OnAnswer(const Intent& intent, bool honest, const std::function<void()>& then,
                const absl::StatusOr<Sight>& answer);

  absl::Duration Between(absl::Duration least, absl::Duration most) {
    return cluster_.world.Between(least, most);
  }
  RequestId NewRequest() { return RequestId{life_.NewUuid()}; }

  Life& life_;
  Cluster& cluster_;
  const int index_;
  const PlayerId id_;

  TableId table_;
  int sitting_ = 0;  // Grows with each table: what was planned at another one is void.
  std::shared_ptr<TableStream> stream_;
  int stream_revision_ = 0;
  std::optional<View> view_;  // The newest.
  int thinking_about_ = 0;    // A revision.
  bool acting_ = false;
  bool resuming_ = false;
  int nonce_for_ = 0;  // A deal.
};

}  // namespace tarot::sim
