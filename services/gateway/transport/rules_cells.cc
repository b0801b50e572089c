#include "services/gateway/transport/rules_cells.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_split.h"
#include "libs/base/cell.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

RulesCells::RulesCells(const rpc::Cells& cells, const rpc::Authenticator& identity, Clock& clock,
                       Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics)
    : scheduler_(scheduler) {
  for (const auto& [number, cell] : cells) {
    cells_.emplace(
        std::piecewise_construct, std::forward_as_tuple(number),
        std::forward_as_tuple(number, std::vector<std::string>(absl::StrSplit(cell.addresses, ',')),
                              identity, clock, scheduler, calls, metrics));
  }
}

void RulesCells::Start(TableHub& hub) {
  hub_ = &hub;
  for (auto& [number, cell] : cells_) cell.Start(hub);
  Tick();
}

void RulesCells::Stop() {
  for (auto& [number, cell] : cells_) cell.Stop();
}

bool RulesCells::listed() const {
  return std::any_of(cells_.begin(), cells_.end(),
                     [](const auto& cell) { return cell.second.listed(); });
}

std::optional<int> RulesCells::CellOfRequest(const grpc::ByteBuffer& request) const {
  if (cells_.size() == 1) return std::nullopt;
  const std::optional<TableId> table = PeekTableOfName(request);
  if (!table) return std::nullopt;
  const int cell = CellOf(table->uuid);
  return cells_.contains(cell) ? cell : cells_.begin()->first;
}

std::shared_ptr<UpstreamChannel> RulesCells::Choose(const grpc::ByteBuffer& request) {
  if (const std::optional<int> cell = CellOfRequest(request)) {
    return cells_.at(*cell).Choose(request);
  }
  for (std::size_t tried = 0; cells_.size() > 1 && tried < cells_.size(); ++tried) {
    RulesUpstream& cell =
        std::next(cells_.begin(), static_cast<std::ptrdiff_t>(turn_++ % cells_.size()))->second;
    if (cell.listed() && !cell.silent()) return cell.Choose(request);
  }
  return cells_.begin()->second.Choose(request);
}

void RulesCells::Add(const std::string& host, TableId table, int after_revision) {
  if (const auto feed = FeedOf(host)) feed->Add(table, after_revision);
}

void RulesCells::Remove(const std::string& host, TableId table) {
  if (const auto feed = FeedOf(host)) feed->Remove(table);
}

void RulesCells::ReportPresent(const std::string& host, TableId table,
                               const std::vector<PlayerId>& players) {
  if (const auto feed = FeedOf(host)) feed->ReportPresent(table, players);
}

std::shared_ptr<FeedClient> RulesCells::FeedOf(const std::string& host) {
  for (auto& [number, cell] : cells_) {
    if (auto feed = cell.FeedOf(host)) return feed;
  }
  return nullptr;
}

void RulesCells::Tick() {
  for (auto& [number, cell] : cells_) cell.Tick();
  hub_->Tick();
  scheduler_.After(kTableTick, [this] { Tick(); });
}

}  // namespace tarot::gateway_service
