// Asks the cells (libs/base/cell.h) for their parts of a list, and merges the parts.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/pending_calls.h"

namespace tarot::rules_service {

// A replica asks all cells in the same way, also its own cell. So its threads for lists wait only
// for the database of this cell, and a list with the rows of the other cells does not need these
// threads. Thread-safe.
class ListGatherer {
 public:
  // `cells` are all cells, also the cell of this replica. `dispatcher` runs the calls that gather.
  // They never wait, so it needs no threads.
  ListGatherer(const rpc::Cells& cells, rpc::Dispatcher& dispatcher,
               const rpc::Authenticator& identity, Clock& clock, rpc::CallMetrics& calls);
  ~ListGatherer() { Stop(); }

  // A call for a list.
  struct Call {
    Caller caller;
    absl::Time deadline = absl::InfiniteFuture();
    std::string trace;             // The `traceparent` of the call, or empty.
    const char* method;            // For example "tarot.rules.v1.TableService/ListTables".
    std::optional<TableId> table;  // The table that all rows belong to, if there is one.
  };

  // Returns false if the call asks only for the part of this cell: a gatherer has sent it, or there
  // is only one cell. Such a call reads the database.
  bool Gathers(const grpc::CallbackServerContext& context) const;
  rpc::Dispatcher& dispatcher() { return dispatcher_; }

  // The answer of each cell: the bytes of a response, or an error.
  using Answers = std::map<int, absl::StatusOr<grpc::ByteBuffer>>;
  // Sends `request` to one replica of each cell that has rows of the list, and marks it as
  // forwarded. Calls `done` once, on any thread, perhaps before it returns. A cell has kCellTimeout
  // for its answer. A cell that did not answer then gets one call in each kSilentCellPause until it
  // answers. For all other calls it counts as unavailable at once.
  void Ask(const Call& call, const grpc::ByteBuffer& request,
           absl::AnyInvocable<void(Answers)> done);

  // Cancels the calls and waits for their callbacks. Idempotent.
  void Stop();

 private:
  struct Cell {
    explicit Cell(const std::string& addresses);
    grpc::GenericStub stub;
  };
  struct Gathering;
  struct Flight;

  std::vector<int> CellsWithRows(const Call& call) const;
  // `had_whole_time` is false if the caller's own deadline came before kCellTimeout. Then no answer
  // in time does not mean that the cell is silent.
  void NoteEnd(int cell, bool had_whole_time, const grpc::Status& status);

  rpc::Dispatcher& dispatcher_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  rpc::CallMetrics& calls_;
  std::map<int, Cell> cells_;
  rpc::SilentCells silent_;
  rpc::PendingCalls pending_;
};

// The part of a list that comes from one cell. The rows are sorted by key, the highest key first.
template <typename Key, typename Row>
struct ListPart {
  std::vector<std::pair<Key, Row>> rows;
  // If the cell may have rows after this part, the key after which they begin.
  std::optional<Key> last;
};

// Merges the parts to a page of at most `limit` rows. The result has `last` if there may be more
// rows. A part with `last` may be incomplete below this key, so the page ends there.
template <typename Key, typename Row>
ListPart<Key, Row> MergeParts(std::vector<ListPart<Key, Row>> parts, std::size_t limit) {
  ListPart<Key, Row> page;
  for (ListPart<Key, Row>& part : parts) {
    if (part.last && (!page.last || *part.last > *page.last)) page.last = part.last;
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(page.rows));
  }
  std::sort(page.rows.begin(), page.rows.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::erase_if(page.rows, [&](const auto& row) { return page.last && row.first < *page.last; });
  if (page.rows.size() > limit) {
    page.rows.resize(limit);
    page.last = page.rows.back().first;
  }
  return page;
}

}  // namespace tarot::rules_service
