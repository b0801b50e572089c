#include "services/gateway/transport/ranked_names.h"

#include <optional>
#include <utility>

#include "libs/rpc/call.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

namespace rv = ::tarot::ratings::v1;

RankedNames::RankedNames(const std::shared_ptr<grpc::Channel>& ratings,
                         const rpc::Authenticator& identity, ReservedNames& names,
                         Scheduler& scheduler, rpc::CallMetrics& calls,
                         std::function<void(std::size_t)> report_cut)
    : stub_(rv::PlayerAdminService::NewStub(ratings)),
      identity_(identity),
      names_(names),
      scheduler_(scheduler),
      metrics_(calls.Method("tarot.ratings.v1.PlayerAdminService/ListRankedNames")),
      report_cut_(std::move(report_cut)) {}

void RankedNames::Ask(const std::string& page_token) {
  struct Call {
    std::optional<grpc::ClientContext> context{std::in_place};
    rv::ListRankedNamesRequest request;
    rv::ListRankedNamesResponse response;
    Stopwatch watch;
  };
  const auto call = std::make_shared<Call>();
  if (page_token.empty()) read_.clear();
  call->request.set_page_token(page_token);
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kBotNamesTimeout);
  if (!pending_.Add(call->context)) return;
  metrics_.Started();
  metrics_.MessageSent();
  stub_->async()->ListRankedNames(
      &*call->context, &call->request, &call->response, [this, call](const grpc::Status& status) {
        metrics_.Handled(static_cast<absl::StatusCode>(status.error_code()), call->watch.Elapsed());
        const rv::ListRankedNamesResponse& page = call->response;
        if (status.ok()) {
          metrics_.MessageReceived();
          read_.insert(read_.end(), page.names().begin(), page.names().end());
        }
        const bool cut = !page.next_page_token().empty() && read_.size() >= kRankedNamesMax;
        if (!status.ok()) {
          // After a refused token the list begins again.
          const bool again = status.error_code() != grpc::StatusCode::INVALID_ARGUMENT;
          const std::string token = again ? call->request.page_token() : "";
          scheduler_.After(kBotNamesRetry, [this, token] { Ask(token); });
        } else if (!page.next_page_token().empty() && !cut) {
          Ask(page.next_page_token());
        } else {
          if (cut) report_cut_(read_.size());
          names_.Set(read_);
          scheduler_.After(kRankedNamesInterval, [this] { Ask(""); });
        }
        pending_.Remove(call->context);
      });
}

}  // namespace tarot::gateway_service
