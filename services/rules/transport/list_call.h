// Defines a call for a list whose rows come from all cells.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "libs/rpc/dispatcher.h"
#include "libs/rpc/trace.h"
#include "services/rules/app/errors.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/other_cells.h"
#include "services/rules/transport/table_call.h"

namespace tarot::rules_service {

inline OtherCells::Call ListCallOf(const grpc::CallbackServerContext& context,
                                   const HostRouter& router, const rpc::Caller& caller,
                                   const char* method, std::optional<TableId> table) {
  return {.caller = caller,
          .deadline = router.DeadlineOf(context),
          .trace = rpc::TraceParentOf(context),
          .method = method,
          .forwarded = HostRouter::Forwarded(context),
          .table = table};
}

// Answers a call for a list of at most `limit` rows, and calls `finish` once. `list_here()` writes
// the part of this cell into `response`; it may wait for the database. If no other cell has rows,
// this part is the answer. Otherwise the other cells are asked too, and the answer has a page of
// all parts: `decode(response)` makes a ListPart of one cell's response, and `encode(page,
// response)` writes the page. If a cell does not answer, `silent_cells` of the response has its
// number. If no cell answers, the call fails. If another cell asks for the part of this cell while
// the database of this cell is silent, the call fails at once.
template <typename Request, typename Response, typename ListHere, typename Decode, typename Encode>
void AnswerList(OtherCells& cells, const OtherCells::Call& call, const Request& request,
                Response* response, int limit, ListHere list_here, Decode decode, Encode encode,
                rpc::Dispatcher::Finish finish) {
  const std::vector<int> others = cells.OthersWithRows(call);
  if (others.empty()) {
    // The cell that asks shows its list without this part. If the read waited for a database that
    // does not answer, it would hold one of the few threads for lists.
    return finish(call.forwarded && !cells.OwnFresh() ? HostAway() : list_here());
  }
  std::optional<absl::Status> here;
  if (cells.OwnHasRows(call)) here = cells.OwnFresh() ? list_here() : HostAway();
  if (here && !here->ok() && !absl::IsUnavailable(*here)) return finish(*here);
  cells.Ask(
      others, call, Bytes(request),
      [=, own = cells.own(), finish = std::move(finish)](OtherCells::Answers answers) mutable {
        std::map<int, absl::StatusOr<Response>> responses;
        if (here && here->ok()) responses.emplace(own, std::move(*response));
        if (here && !here->ok()) responses.emplace(own, *here);
        for (const auto& [cell, answer] : answers) {
          responses.emplace(cell, answer.ok() ? Parse<Response>(*answer)
                                              : absl::StatusOr<Response>(answer.status()));
        }
        response->Clear();
        std::vector<typename decltype(decode(Response()))::value_type> parts;
        for (auto& [cell, part] : responses) {
          auto decoded = part.ok() ? decode(*std::move(part)) : part.status();
          if (decoded.ok()) {
            parts.push_back(*std::move(decoded));
          } else {
            response->add_silent_cells(static_cast<std::uint32_t>(cell));
          }
        }
        if (parts.empty()) return finish(HostAway());
        encode(MergeParts(std::move(parts), static_cast<std::size_t>(limit)), response);
        finish(absl::OkStatus());
      });
}

}  // namespace tarot::rules_service
