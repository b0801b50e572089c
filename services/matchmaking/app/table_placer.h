// Requests stored tables from the rules service, repeats each request until the answer is certain,
// and stores the answer.
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

// A function that gets the failures of background tasks. It runs on any thread.
using Report = std::function<void(absl::string_view what, const absl::Status&)>;

// A function that returns true if this replica hosts `key`, which is a queue's id, the id of a
// room's table, kPopulation or kRooms.
// One replica hosts a key. For some seconds after a change of the host, two replicas may host it,
// and the store decides which of them succeeds. Any thread may call this function.
using Hosts = std::function<bool(const std::string& key)>;
inline constexpr char kPopulation[] = "/population";
inline constexpr char kRooms[] = "/rooms";

// Use it on the background thread only.
class TablePlacer {
 public:
  TablePlacer(Clock& clock, Executor& executor, TicketStore& store, TableClient& tables,
              Lobby& lobby, Metrics& metrics, Report report, Hosts hosts);

  // Requests a stored table from the rules service. Does nothing if a request for this table is
  // running, or if kTablesAskedMax requests are running. In the second case, RetryStored requests
  // the table later.
  void Ask(const PlannedTable& table);

  // Requests every stored table that has no answer and no running request, if the table is older
  // than kRetryAge and this replica hosts its queue or, for a room, its id. Such tables exist if a
  // host dies or restarts, if an answer is lost, or if an answer could not be stored.
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
  // The time of each request that has no answer yet.
  absl::flat_hash_map<TableId, absl::Time> asked_;
};

}  // namespace tarot::matchmaking_service
