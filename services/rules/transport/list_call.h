// Defines a call for a list whose rows come from all cells.
#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/trace.h"
#include "services/rules/app/errors.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/list_gatherer.h"
#include "services/rules/transport/table_call.h"

namespace tarot::rules_service {

inline ListGatherer::Call ListCallOf(const grpc::CallbackServerContext& context,
                                     const HostRouter& router, const rpc::Caller& caller,
                                     const char* method, std::optional<TableId> table) {
  return {.caller = caller,
          .deadline = router.DeadlineOf(context),
          .trace = rpc::TraceParentOf(context),
          .method = method,
          .table = table};
}

// Asks the cells for their parts of a list, merges the parts to a page of at most `limit` rows, and
// calls `finish` once. Does not wait. `decode(response)` makes a ListPart of one cell's response,
// and `encode(page, response)` writes the page. If a cell does not send its part, `silent_cells` of
// the response has its number. If no cell sends its part, the call fails with the error of a cell,
// or with HOST_AWAY if no cell answers at all.
template <typename Request, typename Response, typename Decode, typename Encode>
void GatherList(ListGatherer& gatherer, const ListGatherer::Call& call, const Request& request,
                Response* response, int limit, Decode decode, Encode encode,
                rpc::Dispatcher::Finish finish) {
  gatherer.Ask(call, Bytes(request),
               [=, finish = std::move(finish)](const ListGatherer::Answers& answers) mutable {
                 std::vector<typename decltype(decode(Response()))::value_type> parts;
                 absl::Status failure = HostAway();
                 for (const auto& [cell, answer] : answers) {
                   auto message = answer.ok() ? Parse<Response>(*answer) : answer.status();
                   auto part = message.ok() ? decode(*std::move(message)) : message.status();
                   if (part.ok()) {
                     parts.push_back(*std::move(part));
                     continue;
                   }
                   response->add_silent_cells(static_cast<std::uint32_t>(cell));
                   // An error without a reason comes from gRPC, not from the cell.
                   if (!GetErrorDetails(part.status()).reason.empty()) failure = part.status();
                 }
                 if (parts.empty()) return finish(failure);
                 encode(MergeParts(std::move(parts), static_cast<std::size_t>(limit)), response);
                 finish(absl::OkStatus());
               });
}

}  // namespace tarot::rules_service
