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
    : players_(rv::PlayerAdminService::NewStub(ratings)),
      accounts_(rv::AccountAdminService::NewStub(ratings)),
      identity_(identity),
      names_(names),
      scheduler_(scheduler),
      ranked_metrics_(calls.Method("tarot.ratings.v1.PlayerAdminService/ListRankedNames")),
      account_metrics_(calls.Method("tarot.ratings.v1.AccountAdminService/ListAccountNames")),
      report_cut_(std::move(report_cut)) {}

void RankedNames::AskRanked(const std::string& page_token) {
  if (page_token.empty()) read_.clear();
  Ask<rv::ListRankedNamesRequest, rv::ListRankedNamesResponse>(
      *players_->async(), &rv::PlayerAdminService::StubInterface::async_interface::ListRankedNames,
      page_token, ranked_metrics_, [this](const std::string& token) { AskRanked(token); },
      [this] { AskAccounts(""); });
}

void RankedNames::AskAccounts(const std::string& page_token) {
  Ask<rv::ListAccountNamesRequest, rv::ListAccountNamesResponse>(
      *accounts_->async(),
      &rv::AccountAdminService::StubInterface::async_interface::ListAccountNames, page_token,
      account_metrics_, [this](const std::string& token) { AskAccounts(token); },
      [this] {
        if (read_.size() >= kRankedNamesMax) report_cut_(read_.size());
        names_.Set(read_);
        scheduler_.After(kRankedNamesInterval, [this] { AskRanked(""); });
      });
}

template <typename Request, typename Response, typename Stub>
void RankedNames::Ask(Stub& stub,
                      void (Stub::*method)(grpc::ClientContext*, const Request*, Response*,
                                           std::function<void(grpc::Status)>),
                      const std::string& page_token, const rpc::MethodMetrics& metrics,
                      std::function<void(const std::string&)> again, std::function<void()> next) {
  struct Call {
    std::optional<grpc::ClientContext> context{std::in_place};
    Request request;
    Response response;
    Stopwatch watch;
  };
  const auto call = std::make_shared<Call>();
  call->request.set_page_token(page_token);
  identity_.Sign(*call->context, rpc::Caller{.service = "gateway"});
  rpc::SetTimeout(*call->context, kBotNamesTimeout);
  if (!pending_.Add(call->context)) return;
  metrics.Started();
  metrics.MessageSent();
  (stub.*method)(&*call->context, &call->request, &call->response,
                 [this, call, &metrics, again = std::move(again),
                  next = std::move(next)](const grpc::Status& status) {
                   metrics.Handled(static_cast<absl::StatusCode>(status.error_code()),
                                   call->watch.Elapsed());
                   const Response& page = call->response;
                   if (status.ok()) {
                     metrics.MessageReceived();
                     read_.insert(read_.end(), page.names().begin(), page.names().end());
                   }
                   // A ratings service of an older release does not have the method for accounts.
                   const bool unknown = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
                   if (!status.ok() && !unknown) {
                     // If the ratings service refused the page token, asks for the first page
                     // again.
                     const bool refused = status.error_code() == grpc::StatusCode::INVALID_ARGUMENT;
                     const std::string token = refused ? "" : call->request.page_token();
                     scheduler_.After(kBotNamesRetry, [again, token] { again(token); });
                   } else if (!page.next_page_token().empty() && read_.size() < kRankedNamesMax) {
                     again(page.next_page_token());
                   } else {
                     next();
                   }
                   pending_.Remove(call->context);
                 });
}

}  // namespace tarot::gateway_service
