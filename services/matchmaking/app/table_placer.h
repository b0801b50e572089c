// Declares the placer of tables. It requests stored tables from the rules service, repeats each
// request until the answer is certain, and stores the answer.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "services/matchmaking/app/cell_chooser.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Reports a failure of a background task. Runs on any thread.
using Report = std::function<void(absl::string_view what, const absl::Status&)>;

// Returns true if this replica hosts `key`. A key is a queue's id, the id of a room's table,
// kPopulation or kRooms. Normally one replica hosts a key. For some seconds after a change of the
// host, two replicas may host it, and the store accepts the table of only one of them. Any thread
// may call this function.
using Hosts = std::function<bool(const std::string& key)>;
inline constexpr char kPopulation[] = "/population";
inline constexpr char kRooms[] = "/rooms";

// Call all functions on the background thread only.
class TablePlacer {
 public:
  TablePlacer(Clock& clock, Executor& executor, TicketStore& store, TableClient& tables,
              CellChooser& cells, Lobby& lobby, Metrics& metrics, Report report, Hosts hosts);

  // Requests stored tables from the rules service, in batches. Leaves out each table that is
  // already requested or already waits for its request. While kTablesAskedMax tables of a cell are
  // requested, the other tables of this cell wait.
  void Ask(absl::Span<const PlannedTable> tables);

  // Returns how many more tables of `cell` a wave may store: kTablesPlacedMax minus the number of
  // tables of this cell without an answer. Ask does not check this limit, because every stored
  // table must be requested.
  std::size_t Room(int cell) const;

  // Requests every stored table that is older than kRetryAge and has no answer and no running
  // request. If another replica hosts the key of a table, leaves out the table. The key is the
  // queue's id or, for the table of a room, the table's id. A table remains without an answer if a
  // host dies or restarts, if the answer is lost, or if the answer cannot be stored.
  void RetryStored();

 private:
  using Tables = absl::flat_hash_map<TableId, PlannedTable>;

  // The tables of a cell.
  struct OfCell {
    // The tables that are not requested yet, because too many requests run.
    std::deque<PlannedTable> waiting;
    // If a request for a table has no answer yet, asked[table] is the time of the request. While
    // the table is in `waiting`, asked[table] is InfiniteFuture.
    absl::flat_hash_map<TableId, absl::Time> asked;
  };

  void SendWaiting(OfCell& cell);
  void Answer(const Tables& tables, const TableClient::Answers& answers);
  void Store(const Tables& tables, const std::vector<TableId>& ids, bool made);
  // If a person's wait became long after the table was stored and before the rules service
  // answered, counts this person.
  void CountLongWaits(const PlannedTable& table, const std::vector<Ticket>& tickets);
  void CountMade(const PlannedTable& table, const std::vector<Ticket>& tickets);

  Clock& clock_;
  Executor& executor_;
  TicketStore& store_;
  TableClient& tables_;
  CellChooser& cells_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  std::map<int, OfCell> of_cells_;  // By the cell that the ids of the tables name.
};

}  // namespace tarot::matchmaking_service
