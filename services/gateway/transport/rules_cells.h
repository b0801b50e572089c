// Chooses the cell of rules for a call or for the subscription to a table.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/rules_upstream.h"
#include "services/gateway/transport/upstream.h"

namespace tarot::gateway_service {

// Thread-safe. The cells share nothing but the hub, so a cell that does not answer does not delay
// the calls to other cells.
class RulesCells final : public Upstream, public TableFeeds {
 public:
  RulesCells(const rpc::Cells& cells, const rpc::Authenticator& identity, Clock& clock,
             Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics);

  // Starts all cells (see RulesUpstream::Start), and gives the hub its ticks.
  void Start(TableHub& hub);
  // Stops all cells (see RulesUpstream::Stop). Stop the scheduler first. Idempotent.
  void Stop();

  // Returns whether a replica of any cell has sent a list. The other cells may be away, because the
  // gateway must still serve the tables of this cell.
  bool listed() const;

  const std::string& name() const override { return name_; }
  // If the request names a table or a deal, returns the cell that its id names. Returns nullopt for
  // any other request, and if there is only one cell.
  std::optional<int> CellOfRequest(const grpc::ByteBuffer& request) const override;
  // Returns a channel to a replica of the request's cell. If the request names no table, each call
  // goes to the next cell that has sent a list and is not silent.
  std::shared_ptr<UpstreamChannel> Choose(const grpc::ByteBuffer& request) override;

  void Add(const std::string& host, TableId table, int after_revision) override;
  void Remove(const std::string& host, TableId table) override;
  void ReportPresent(const std::string& host, TableId table,
                     const std::vector<PlayerId>& players) override;

 private:
  // Returns the feed of the replica at this address, or null. No two cells share an address.
  std::shared_ptr<FeedClient> FeedOf(const std::string& host);
  void Tick();

  const std::string name_ = "rules";
  Scheduler& scheduler_;
  TableHub* hub_ = nullptr;
  std::map<int, RulesUpstream> cells_;
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace tarot::gateway_service
