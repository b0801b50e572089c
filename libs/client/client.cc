#include "libs/client/client.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"

namespace tarot::client {
namespace {

template <typename Request, typename Response>
class StreamWatch final : public Watch {
 public:
  // The settings and functions that are different for each kind of watch. The four kinds are the
  // watches of a table, of a ticket, of a room and of an analysis.
  struct Setup {
    Request request;
    Retry retry;
    // Binds the stream to a new call. Returns the number of the gateway that gets the call.
    absl::AnyInvocable<std::size_t(grpc::ClientContext&, const Request&, rpc::ReadCall<Response>*)>
        open;
    // Tells the client that the gateway with this number has failed.
    absl::AnyInvocable<void(std::size_t)> on_lost;
    // Handles a message. May change `next`, the request with which the watch opens the stream again
    // after a loss.
    absl::AnyInvocable<void(const Response&, Request& next)> on_message;
    // Optional. The watch calls this function if the server has lost data that it had already sent.
    // The function must change `next` so that the watch starts from the beginning.
    absl::AnyInvocable<void(Request& next)> on_set_back;
    absl::AnyInvocable<void(const absl::Status&)> on_end;
  };

  StreamWatch(Setup setup, Scheduler& scheduler, Entropy& entropy)
      : stream_(std::make_shared<Stream>(std::move(setup), scheduler, entropy)) {
    stream_->Open();
  }
  ~StreamWatch() override {
    stream_->Close();
    stream_->Wait();
  }

 private:
  class Stream final : public rpc::ClientStream<Response> {
   public:
    Stream(Setup setup, Scheduler& scheduler, Entropy& entropy)
        : rpc::ClientStream<Response>(scheduler, std::nullopt),
          setup_(std::move(setup)),
          entropy_(entropy) {}

   private:
    void BindLocked(grpc::ClientContext& context) override {
      // gRPC reads this copy, because on_message may change setup_.request during the call.
      request_ = setup_.request;
      gateway_ = setup_.open(context, request_, this);
    }
    Response* NextMessage() override { return response_.Renew(); }
    void OnMessage(Response& response) override { setup_.on_message(response, setup_.request); }

    std::optional<absl::Duration> OnLost(const grpc::Status& status, int failures) override {
      if (this->closed()) return std::nullopt;
      const absl::Status end = status::FromGrpc(status);
      // When a server stops, it cancels its calls. So CANCELLED also counts as a loss.
      if (IsLost(end)) {
        setup_.on_lost(gateway_);
        if (failures < setup_.retry.attempts_max) {
          return setup_.retry.backoff.After(failures, entropy_);
        }
      }
      const bool set_back = GetErrorDetails(end).reason == "TABLE_SET_BACK";
      if (set_back && setup_.on_set_back && failures < setup_.retry.attempts_max) {
        setup_.on_set_back(setup_.request);
        return setup_.retry.backoff.After(failures, entropy_);
      }
      setup_.on_end(end);
      return std::nullopt;
    }

    Setup setup_;
    Entropy& entropy_;
    std::size_t gateway_ = 0;
    Request request_;
    rpc::BlockMessage<Response> response_;
  };

  const std::shared_ptr<Stream> stream_;
};

}  // namespace

bool IsLost(const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsCancelled(status)) return true;
  if (!GetErrorDetails(status).reason.empty()) return false;
  return absl::IsUnknown(status) || absl::StartsWith(status.message(), "Received RST_STREAM");
}

namespace {
// The type of the payload in which a status carries the trace's id.
constexpr char kTracePayload[] = "tarot.trace";
}  // namespace

std::string TraceOf(const absl::Status& status) {
  const auto trace = status.GetPayload(kTracePayload);
  return trace ? std::string(*trace) : "";
}

absl::Status Client::WithTrace(absl::Status status, absl::string_view traceparent) {
  status.SetPayload(kTracePayload, absl::Cord(rpc::TraceIdOf(traceparent)));
  return status;
}

Client::Client(const std::vector<std::shared_ptr<grpc::Channel>>& gateways, const Options& options,
               Scheduler& scheduler, Entropy& entropy)
    : options_(options), scheduler_(scheduler), entropy_(entropy) {
  TAROT_CHECK(!gateways.empty());
  for (const auto& channel : gateways) gateways_.push_back(std::make_unique<Gateway>(channel));
}

Client::~Client() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  idle_.wait(lock, [this] { return calls_running_ == 0; });
}

absl::Status Client::SignInAsGuest(const std::string& display_name) {
  gateway::v1::CreateGuestSessionRequest request;
  request.set_display_name(display_name);
  auto response = Call(&Sessions::CreateGuestSession, request);
  const ErrorDetails details = GetErrorDetails(response.status());
  if (const auto free = details.metadata.find("suggestion");
      details.reason == "NAME_TAKEN" && free != details.metadata.end()) {
    request.set_display_name(free->second);
    response = Call(&Sessions::CreateGuestSession, request);
  }
  TAROT_RETURN_IF_ERROR(response.status());
  set_session(response->session());
  return absl::OkStatus();
}

void Client::set_session(const gateway::v1::Session& session) {
  const std::lock_guard lock(mutex_);
  session_ = session;
}

absl::Status Client::RefreshSession() {
  TAROT_ASSIGN_OR_RETURN(const gateway::v1::RefreshSessionResponse response,
                         Call(&Sessions::RefreshSession, {}));
  set_session(response.session());
  return absl::OkStatus();
}

gateway::v1::Session Client::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

void Client::Prepare(grpc::ClientContext& context) const {
  const std::lock_guard lock(mutex_);
  if (session_.token().empty()) return;
  context.AddMetadata("authorization", absl::StrCat("Bearer ", session_.token()));
}

void Client::Failed(std::size_t gateway) {
  in_use_.compare_exchange_strong(gateway, (gateway + 1) % gateways_.size());
}

bool Client::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Client::CallStarted() {
  const std::lock_guard lock(mutex_);
  ++calls_running_;
}

void Client::CallEnded() {
  const std::lock_guard lock(mutex_);
  if (--calls_running_ == 0) idle_.notify_all();
}

std::unique_ptr<Watch> Client::WatchTable(
    const std::string& name, std::optional<int> after_revision,
    absl::AnyInvocable<void(const rules::v1::Table&)> on_table,
    absl::AnyInvocable<void(const absl::Status&)> on_end) {
  auto on_message =
      [on_table = std::move(on_table)](const rules::v1::WatchTableResponse& response) mutable {
        on_table(response.table());
      };
  return WatchTableMessages(name, after_revision, std::move(on_message), std::move(on_end));
}

std::unique_ptr<Watch> Client::WatchTableMessages(
    const std::string& name, std::optional<int> after_revision,
    absl::AnyInvocable<void(const rules::v1::WatchTableResponse&)> on_message,
    absl::AnyInvocable<void(const absl::Status&)> on_end) {
  using Stream = StreamWatch<rules::v1::WatchTableRequest, rules::v1::WatchTableResponse>;
  rules::v1::WatchTableRequest request;
  request.set_name(name);
  if (after_revision) request.set_after_revision(*after_revision);
  Stream::Setup setup = {.request = request, .retry = options_.retry};
  setup.open = [this](grpc::ClientContext& context, const rules::v1::WatchTableRequest& wanted,
                      rpc::ReadCall<rules::v1::WatchTableResponse>* stream) {
    Prepare(context);
    const std::size_t gateway = InUse();
    gateways_[gateway]->tables.async()->WatchTable(&context, &wanted, stream);
    return gateway;
  };
  setup.on_lost = [this](std::size_t gateway) { Failed(gateway); };
  setup.on_message = [on_message = std::move(on_message)](
                         const rules::v1::WatchTableResponse& response,
                         rules::v1::WatchTableRequest& next) mutable {
    next.set_after_revision(response.table().revision());
    on_message(response);
  };
  setup.on_set_back = [](rules::v1::WatchTableRequest& next) { next.clear_after_revision(); };
  setup.on_end = std::move(on_end);
  return std::make_unique<Stream>(std::move(setup), scheduler_, entropy_);
}

std::unique_ptr<Watch> Client::WatchTicket(
    const std::string& name, absl::AnyInvocable<void(const matchmaking::v1::Ticket&)> on_ticket,
    absl::AnyInvocable<void(const absl::Status&)> on_end) {
  using Stream =
      StreamWatch<matchmaking::v1::WatchTicketRequest, matchmaking::v1::WatchTicketResponse>;
  matchmaking::v1::WatchTicketRequest request;
  request.set_name(name);
  Stream::Setup setup = {.request = request, .retry = options_.retry};
  setup.open = [this](grpc::ClientContext& context,
                      const matchmaking::v1::WatchTicketRequest& wanted,
                      rpc::ReadCall<matchmaking::v1::WatchTicketResponse>* stream) {
    Prepare(context);
    const std::size_t gateway = InUse();
    gateways_[gateway]->matchmaking.async()->WatchTicket(&context, &wanted, stream);
    return gateway;
  };
  setup.on_lost = [this](std::size_t gateway) { Failed(gateway); };
  setup.on_message = [on_ticket = std::move(on_ticket)](
                         const matchmaking::v1::WatchTicketResponse& response,
                         matchmaking::v1::WatchTicketRequest&) mutable {
    on_ticket(response.ticket());
  };
  setup.on_end = std::move(on_end);
  return std::make_unique<Stream>(std::move(setup), scheduler_, entropy_);
}

std::unique_ptr<Watch> Client::WatchRoom(
    const std::string& name, absl::AnyInvocable<void(const matchmaking::v1::Room&)> on_room,
    absl::AnyInvocable<void(const absl::Status&)> on_end) {
  using Stream = StreamWatch<matchmaking::v1::WatchRoomRequest, matchmaking::v1::WatchRoomResponse>;
  matchmaking::v1::WatchRoomRequest request;
  request.set_name(name);
  Stream::Setup setup = {.request = request, .retry = options_.retry};
  setup.open = [this](grpc::ClientContext& context, const matchmaking::v1::WatchRoomRequest& wanted,
                      rpc::ReadCall<matchmaking::v1::WatchRoomResponse>* stream) {
    Prepare(context);
    const std::size_t gateway = InUse();
    gateways_[gateway]->rooms.async()->WatchRoom(&context, &wanted, stream);
    return gateway;
  };
  setup.on_lost = [this](std::size_t gateway) { Failed(gateway); };
  setup.on_message = [on_room = std::move(on_room)](
                         const matchmaking::v1::WatchRoomResponse& response,
                         matchmaking::v1::WatchRoomRequest&) mutable { on_room(response.room()); };
  setup.on_end = std::move(on_end);
  return std::make_unique<Stream>(std::move(setup), scheduler_, entropy_);
}

std::unique_ptr<Watch> Client::AnalyzeDeal(
    const bot::v1::AnalyzeDealRequest& request,
    absl::AnyInvocable<void(const bot::v1::AnalyzeDealResponse&)> on_part,
    absl::AnyInvocable<void(const absl::Status&)> on_end) {
  using Stream = StreamWatch<bot::v1::AnalyzeDealRequest, bot::v1::AnalyzeDealResponse>;
  Stream::Setup setup = {.request = request, .retry = options_.retry};
  setup.open = [this](grpc::ClientContext& context, const bot::v1::AnalyzeDealRequest& wanted,
                      rpc::ReadCall<bot::v1::AnalyzeDealResponse>* stream) {
    Prepare(context);
    const std::size_t gateway = InUse();
    gateways_[gateway]->analyses.async()->AnalyzeDeal(&context, &wanted, stream);
    return gateway;
  };
  setup.on_lost = [this](std::size_t gateway) { Failed(gateway); };
  setup.on_message = [on_part = std::move(on_part)](const bot::v1::AnalyzeDealResponse& response,
                                                    bot::v1::AnalyzeDealRequest&) mutable {
    on_part(response);
  };
  setup.on_end = std::move(on_end);
  return std::make_unique<Stream>(std::move(setup), scheduler_, entropy_);
}

}  // namespace tarot::client
