// Asks the rules service to make the stored tables, repeats the request until the answer is
// certain, and stores the answer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Gets the failures of background tasks, on any thread.
using Report = std::function<void(absl::string_view what, const absl::Status&)>;

// A function that says whether this replica hosts `key`, a queue's id or kPopulation. One replica
// at a time hosts a key. When the host changes, two replicas may host the key for some seconds.
// Then the store decides which of them succeeds. Any thread may call it.
using Hosts = std::function<bool(const std::string& key)>;
inline constexpr char kPopulation[] = "/population";

// Use it on the background thread only.
class TablePlacer {
 public:
  TablePlacer(Clock& clock, Executor& executor, TicketStore& store, TableClient& tables,
              Lobby& lobby, Metrics& metrics, Report report, Hosts hosts);

  // Asks rules for a stored table. Does nothing if it has just asked for this table, or if too many
  // requests are running. RetryStored asks later.
  void Ask(const PlannedTable& table);

  // Asks again for every stored table without an answer, in the queues that this replica hosts.
  // Such tables exist after the death of their first host, a restart, a lost answer, or an answer
  // that could not be stored.
  void RetryStored();

 private:
  void Answer(const PlannedTable& table, const absl::Status& status);
  void Made(const PlannedTable& table, const std::vector<Ticket>& tickets);

  Clock& clock_;
  Executor& executor_;
  TicketStore& store_;
  TableClient& tables_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  absl::flat_hash_map<TableId, absl::Time> asked_;  // Tables without an answer yet.
};

}  // namespace tarot::matchmaking_service
