// Gets stored tables made by the rules service: asks, asks again until an answer is certain, and
// stores what came of it.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "services/matchmaking/app/jobs.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/table_client.h"
#include "services/matchmaking/app/ticket_store.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Told of what went wrong in a background job. Any thread.
using Report = std::function<void(absl::string_view what, const absl::Status&)>;

// True while this replica hosts what `key` names, a queue's id or kPopulation: one replica at a
// time does, but for the seconds of a change, which the store referees. Any thread.
using Hosts = std::function<bool(const std::string& key)>;
inline constexpr char kPopulation[] = "/population";

// On the background thread only.
class TablePlacer {
 public:
  TablePlacer(Clock& clock, Jobs& jobs, TicketStore& store, TableClient& tables, Lobby& lobby,
              Metrics& metrics, Report report, Hosts hosts, const std::vector<Queue>& queues);

  // Asks for a table that is stored, unless it has just been asked for or too many are under way:
  // RetryStored will then.
  void Ask(const PlannedTable& table);

  // Asks again for every stored table of a queue that we host that nobody has confirmed or refused:
  // after the death of its first host, a restart, a lost answer, or one that could not be stored.
  void RetryStored();

 private:
  void Answer(const PlannedTable& table, const absl::Status& status);
  void Made(const PlannedTable& table, const std::vector<Ticket>& tickets);

  Clock& clock_;
  Jobs& jobs_;
  TicketStore& store_;
  TableClient& tables_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  std::map<std::string, Queue> queues_;
  absl::flat_hash_map<TableId, absl::Time> asked_;  // And not answered.
};

}  // namespace tarot::matchmaking_service
