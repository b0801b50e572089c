// Defines a player's connection to the gateways. The client signs in and adds the token to every
// call. It repeats calls that were lost or got no answer in time, and opens lost watches again. If
// there are several gateways, the client uses one of them until it loses a call or a watch of this
// gateway. Then the client uses the next gateway.
//
//   client::Client client(rpc::MakeChannel("127.0.0.1:7100"), {}, scheduler, entropy);
//   TAROT_RETURN_IF_ERROR(client.SignInAsGuest("Ada"));
//   auto page = client.Call(&client::Tables::ListTables, request);  // StatusOr<ListTablesResponse>
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "libs/rpc/block_arena.h"
#include "libs/rpc/call.h"
#include "libs/rpc/client_stream.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/matchmaking/v1/friend_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"
#include "tarot/matchmaking/v1/room_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/rule_set_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::client {

// Short names for the services that players may call. Call() and Start() take a method by such a
// name, for example &Tables::GetTable.
using Sessions = gateway::v1::SessionService::StubInterface::async_interface;
using Tables = rules::v1::TableService::StubInterface::async_interface;
using Records = rules::v1::RecordService::StubInterface::async_interface;
using RuleSets = rules::v1::RuleSetService::StubInterface::async_interface;
using Matchmaking = matchmaking::v1::MatchmakingService::StubInterface::async_interface;
using Friends = matchmaking::v1::FriendService::StubInterface::async_interface;
using Rooms = matchmaking::v1::RoomService::StubInterface::async_interface;
using Ratings = ratings::v1::RatingService::StubInterface::async_interface;

// A unary method of a service that players may call.
template <typename Service, typename Request, typename Response>
using Method = void (Service::*)(grpc::ClientContext*, const Request*, Response*,
                                 std::function<void(grpc::Status)>);

// The callback of a call. It gets the answer, or the error of the last attempt.
template <typename Response>
using Done = absl::AnyInvocable<void(const absl::StatusOr<const Response*>&)>;

struct Retry {
  // The number of failed attempts in a row after which the client gives up. For a watch, each
  // message sets this count to zero. Sometimes a table has no host for ten seconds. With 16
  // attempts, the client tries for about 12 seconds on average.
  int attempts_max = 16;
  rpc::Backoff backoff;
};

struct Options {
  // The time limit of one attempt. It must be much shorter than a turn, so that the client can
  // repeat a call in time if a server hangs.
  absl::Duration call_timeout = absl::Seconds(3);
  Retry retry;
};

// Returns true if `status` means that a process or a connection was lost during a call or a stream.
// Such a status is UNAVAILABLE, CANCELLED, or one of two errors without a reason:
// - UNKNOWN: the gateway behind HAProxy died, and HAProxy ended the stream without a status.
// - "Received RST_STREAM ...": HAProxy closed the connection. The code is INTERNAL, or
//   RESOURCE_EXHAUSTED if HAProxy reset the stream with ENHANCE_YOUR_CALM.
bool IsLost(const absl::Status& status);

// Returns the id of the failed call's trace, 32 hexadecimal digits. The logs of the platform have
// lines with this id. Returns "" if `status` does not come from Call() or Start().
std::string TraceOf(const absl::Status& status);

// A server stream that opens again after a loss, until the server ends it or too many attempts in a
// row have failed. The destructor cancels the stream and waits for the end of its callbacks.
class Watch {
 public:
  virtual ~Watch() = default;
};

// The client of one player. Many clients may share one channel. Destroy all watches before the
// client. `scheduler` and `entropy` must outlive the client. Thread-safe.
class Client {
 public:
  // `gateways` has one channel for each gateway, and at least one channel. The client begins with
  // the first channel of the list.
  Client(const std::vector<std::shared_ptr<grpc::Channel>>& gateways, const Options& options,
         Scheduler& scheduler, Entropy& entropy);
  Client(std::shared_ptr<grpc::Channel> gateway, const Options& options, Scheduler& scheduler,
         Entropy& entropy)
      : Client(std::vector{std::move(gateway)}, options, scheduler, entropy) {}
  ~Client();  // Stops retries, and waits until no call runs.

  // Creates a guest account and keeps its session in this client. If the name is taken and the
  // server suggests another name, the client uses the suggestion; session() then has the new name.
  absl::Status SignInAsGuest(const std::string& display_name);
  // Uses an earlier session. Only its `token` must be set.
  void set_session(const gateway::v1::Session& session);
  // Gets a new token for the player of the session.
  absl::Status RefreshSession();
  gateway::v1::Session session() const;

  // Sends a call and waits for the answer. Do not use this function in a callback of this class.
  // Returns the answer or the server's error; GetErrorDetails() reads the error's reason and
  // metadata. If every attempt was lost, returns the error of the last attempt: DEADLINE_EXCEEDED,
  // or an error for which IsLost() is true.
  template <typename Service, typename Request, typename Response>
  absl::StatusOr<Response> Call(Method<Service, Request, Response> method,
                                const std::type_identity_t<Request>& request);

  // Starts a call and returns at once. `done` runs once, on a thread of gRPC or of the scheduler.
  // The answer lives until `done` returns. The returned function cancels the call; the caller may
  // use this function at any time or ignore it. If the call is cancelled before its end, `done`
  // gets CANCELLED.
  template <typename Service, typename Request, typename Response>
  std::function<void()> Start(Method<Service, Request, Response> method,
                              const std::type_identity_t<Request>& request,
                              std::type_identity_t<Done<Response>> done);

  // Calls `on_table` with the newest view of a table after each change. If `after_revision` is set,
  // the first view is one with a higher revision. If `after_revision` is not set, the first view
  // comes at once. After a loss, the watch continues after the last revision that it has shown. If
  // the database has lost the table's last moves, an earlier revision may follow. When the watch
  // ends by itself, `on_end` runs once, with OK if the match is over. Callbacks run one at a time,
  // on threads of gRPC.
  std::unique_ptr<Watch> WatchTable(const std::string& name, std::optional<int> after_revision,
                                    absl::AnyInvocable<void(const rules::v1::Table&)> on_table,
                                    absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Does the same as WatchTable, but gives `on_message` the whole messages. The same revision comes
  // again if only `disconnected_seats` changes.
  std::unique_ptr<Watch> WatchTableMessages(
      const std::string& name, std::optional<int> after_revision,
      absl::AnyInvocable<void(const rules::v1::WatchTableResponse&)> on_message,
      absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Calls `on_ticket` after each change of a ticket. After the connection was lost, the first
  // call of `on_ticket` gets the newest state, even if `on_ticket` has seen it before. When the
  // watch ends by itself, `on_end` runs once, with OK if the ticket is matched or cancelled.
  std::unique_ptr<Watch> WatchTicket(
      const std::string& name, absl::AnyInvocable<void(const matchmaking::v1::Ticket&)> on_ticket,
      absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Calls `on_room` after each change of a room. After the connection was lost, the first call of
  // `on_room` gets the newest state, even if `on_room` has seen it before. When the watch ends by
  // itself, `on_end` runs once, with OK if the room has ended.
  std::unique_ptr<Watch> WatchRoom(const std::string& name,
                                   absl::AnyInvocable<void(const matchmaking::v1::Room&)> on_room,
                                   absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Calls `on_part` with each part of the analysis of a deal. After a loss, the analysis starts
  // again with the first decision. When the watch ends by itself, `on_end` runs once, with OK after
  // the summary.
  std::unique_ptr<Watch> AnalyzeDeal(
      const bot::v1::AnalyzeDealRequest& request,
      absl::AnyInvocable<void(const bot::v1::AnalyzeDealResponse&)> on_part,
      absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Returns a new request id. A caller that repeats a request must use the same id again.
  std::string NewRequestId() { return entropy_.NewUuid().ToString(); }

 private:
  template <typename Service, typename Request, typename Response>
  struct CallState;

  template <typename Service, typename Request, typename Response>
  void Attempt(std::shared_ptr<CallState<Service, Request, Response>> state);

  struct Gateway {
    explicit Gateway(const std::shared_ptr<grpc::Channel>& channel)
        : sessions(channel),
          tables(channel),
          records(channel),
          rule_sets(channel),
          matchmaking(channel),
          rooms(channel),
          friends(channel),
          ratings(channel),
          analyses(channel) {}

    gateway::v1::SessionService::Stub sessions;
    rules::v1::TableService::Stub tables;
    rules::v1::RecordService::Stub records;
    rules::v1::RuleSetService::Stub rule_sets;
    matchmaking::v1::MatchmakingService::Stub matchmaking;
    matchmaking::v1::RoomService::Stub rooms;
    matchmaking::v1::FriendService::Stub friends;
    ratings::v1::RatingService::Stub ratings;
    bot::v1::AnalysisService::Stub analyses;
  };
  template <typename Service>
  static Service& Get(Gateway& gateway);

  // InUse() returns the number of the gateway in use. Failed(n) switches to the next gateway if
  // gateway n is in use.
  std::size_t InUse() const { return in_use_; }
  void Failed(std::size_t gateway);

  void Prepare(grpc::ClientContext& context) const;  // Adds the token to `context`.
  // Returns `status` with the trace for TraceOf().
  static absl::Status WithTrace(absl::Status status, absl::string_view traceparent);
  bool stopping() const;
  void CallStarted();
  void CallEnded();

  const Options options_;
  Scheduler& scheduler_;
  Entropy& entropy_;
  std::vector<std::unique_ptr<Gateway>> gateways_;
  std::atomic<std::size_t> in_use_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  gateway::v1::Session session_;
  int calls_running_ = 0;
  bool stopping_ = false;
};

// One call with all its attempts. Every attempt sends the same request with the same request_id.
template <typename Service, typename Request, typename Response>
struct Client::CallState {
  CallState(Method<Service, Request, Response> its_method, const Request& its_request,
            std::string its_traceparent, Done<Response> its_done)
      : method(its_method),
        request(its_request),
        traceparent(std::move(its_traceparent)),
        done(std::move(its_done)) {}

  // Cancels the call. Thread-safe. Does nothing if the call is over.
  void Cancel() {
    const std::lock_guard lock(mutex);
    cancelled = true;
    if (context) context->TryCancel();
  }

  const Method<Service, Request, Response> method;
  const Request request;
  const std::string traceparent;  // All attempts have the same trace.
  Done<Response> done;
  rpc::BlockMessage<Response> response;
  std::optional<grpc::ClientContext> context;  // Made anew for every attempt.
  int failures = 0;
  std::mutex mutex;  // Guards `cancelled`, and the creation and destruction of `context`.
  bool cancelled = false;
};

template <typename Service>
Service& Client::Get(Gateway& gateway) {
  if constexpr (std::is_same_v<Service, Sessions>) return *gateway.sessions.async();
  if constexpr (std::is_same_v<Service, Tables>) return *gateway.tables.async();
  if constexpr (std::is_same_v<Service, Records>) return *gateway.records.async();
  if constexpr (std::is_same_v<Service, RuleSets>) return *gateway.rule_sets.async();
  if constexpr (std::is_same_v<Service, Matchmaking>) return *gateway.matchmaking.async();
  if constexpr (std::is_same_v<Service, Rooms>) return *gateway.rooms.async();
  if constexpr (std::is_same_v<Service, Friends>) return *gateway.friends.async();
  if constexpr (std::is_same_v<Service, Ratings>) return *gateway.ratings.async();
}

template <typename Service, typename Request, typename Response>
std::function<void()> Client::Start(Method<Service, Request, Response> method,
                                    const std::type_identity_t<Request>& request,
                                    std::type_identity_t<Done<Response>> done) {
  CallStarted();
  const auto state = std::make_shared<CallState<Service, Request, Response>>(
      method, request, rpc::NewTraceParent("", false, entropy_), std::move(done));
  Attempt(state);
  return [weak = std::weak_ptr(state)] {
    if (const auto call = weak.lock()) call->Cancel();
  };
}

template <typename Service, typename Request, typename Response>
void Client::Attempt(std::shared_ptr<CallState<Service, Request, Response>> state) {
  {
    const std::lock_guard lock(state->mutex);
    state->context.emplace();
    if (state->cancelled) state->context->TryCancel();
  }
  Prepare(*state->context);
  rpc::PassTraceOn(state->traceparent, *state->context);
  rpc::SetTimeout(*state->context, options_.call_timeout);
  auto* const call = state.get();
  const std::size_t gateway = InUse();
  (Get<Service>(*gateways_[gateway]).*call->method)(
      &*call->context, &call->request, &*call->response,
      [this, gateway, state = std::move(state)](const grpc::Status& status) mutable {
        // Release the context now, because it owns the channel too. If this thread of gRPC were the
        // last owner of the channel, it would destroy the channel and join itself.
        bool cancelled;
        {
          const std::lock_guard lock(state->mutex);
          state->context.reset();
          cancelled = state->cancelled;
        }
        if (status.ok()) {
          state->done(&*state->response);
          return CallEnded();
        }
        // A timeout counts as a loss. CANCELLED also counts as a loss if this client has not
        // cancelled the call, because a server cancels its calls when it stops. A repeat is
        // harmless, because it has the same request_id.
        const absl::Status end = WithTrace(status::FromGrpc(status), state->traceparent);
        const bool lost = absl::IsDeadlineExceeded(end) ||
                          (IsLost(end) && !(absl::IsCancelled(end) && cancelled));
        if (lost) Failed(gateway);
        const bool again = lost && ++state->failures < options_.retry.attempts_max && !stopping();
        if (!again) {
          state->done(end);
          return CallEnded();
        }
        const absl::Duration wait = options_.retry.backoff.After(state->failures, entropy_);
        scheduler_.After(wait,
                         [this, state = std::move(state)]() mutable { Attempt(std::move(state)); });
      });
}

template <typename Service, typename Request, typename Response>
absl::StatusOr<Response> Client::Call(Method<Service, Request, Response> method,
                                      const std::type_identity_t<Request>& request) {
  std::promise<absl::StatusOr<Response>> answer;
  Start(method, request, [&answer](const absl::StatusOr<const Response*>& result) {
    if (!result.ok()) return answer.set_value(result.status());
    answer.set_value(**result);
  });
  return answer.get_future().get();
}

}  // namespace tarot::client
