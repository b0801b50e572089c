// A player's way through the gateway: signs in, adds the token to every call, repeats what failed
// with UNAVAILABLE or got no answer in time (the one place of the platform that retries), and
// re-opens watches. With several gateways it stays with one until that fails.
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
#include "libs/client/retry.h"
#include "libs/client/watch.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::client {

// The services of a player, to name methods by.
using Sessions = gateway::v1::SessionService::StubInterface::async_interface;
using Tables = rules::v1::TableService::StubInterface::async_interface;
using Records = rules::v1::RecordService::StubInterface::async_interface;
using Matchmaking = matchmaking::v1::MatchmakingService::StubInterface::async_interface;
using Ratings = ratings::v1::RatingService::StubInterface::async_interface;

// A unary method of one of them.
template <typename Service, typename Request, typename Response>
using Method = void (Service::*)(grpc::ClientContext*, const Request*, Response*,
                                 std::function<void(grpc::Status)>);

// Gets the answer of a call, or why there is none.
template <typename Response>
using Done = absl::AnyInvocable<void(const absl::StatusOr<const Response*>&)>;

struct Options {
  // Of one attempt: less than a seat's patience, for a process that hangs answers nothing.
  absl::Duration call_timeout = absl::Seconds(3);
  Retry retry;
};

// Thread-safe. Many clients (players) may share one channel. Must outlive its calls and watches;
// `scheduler` and `entropy` outlive it.
class Client {
 public:
  // One channel a gateway, at least one; the first is tried first.
  Client(const std::vector<std::shared_ptr<grpc::Channel>>& gateways, const Options& options,
         Scheduler& scheduler, Entropy& entropy);
  Client(std::shared_ptr<grpc::Channel> gateway, const Options& options, Scheduler& scheduler,
         Entropy& entropy)
      : Client(std::vector{std::move(gateway)}, options, scheduler, entropy) {}
  ~Client();  // Gives up retries, and waits for calls that run.

  // A new guest account; keeps its session.
  absl::Status SignInAsGuest(const std::string& display_name);
  // Signs in with a token from before. Only `token` is needed.
  void set_session(const gateway::v1::Session& session);
  // A new token for the same player.
  absl::Status RefreshSession();
  gateway::v1::Session session() const;

  // Waits for the answer: never call it in a callback of this class.
  // Errors: the server's, with GetErrorDetails(); UNAVAILABLE when every attempt failed.
  template <typename Service, typename Request, typename Response>
  absl::StatusOr<Response> Call(Method<Service, Request, Response> method,
                                const std::type_identity_t<Request>& request);

  // The same without waiting: `done` runs once, on a thread of gRPC or of the scheduler. The answer
  // lives until it returns. The returned function, which may be dropped, cancels the call: `done`
  // then gets CANCELLED, unless the answer comes first. It may be called at any time.
  template <typename Service, typename Request, typename Response>
  std::function<void()> Start(Method<Service, Request, Response> method,
                              const std::type_identity_t<Request>& request,
                              std::type_identity_t<Done<Response>> done);

  // Every newest view of a table, from after `after_revision` or at once. After a loss goes on
  // after the last revision seen. `on_end` runs once: OK when the match is over.
  // Callbacks run on a thread of gRPC, one at a time. The watch must end before the client.
  std::unique_ptr<Watch> WatchTable(const std::string& name, std::optional<int> after_revision,
                                    absl::AnyInvocable<void(const rules::v1::Table&)> on_table,
                                    absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Every change of a ticket. After a loss the newest state comes again. `on_end` runs once: OK
  // when the ticket is matched or cancelled.
  std::unique_ptr<Watch> WatchTicket(
      const std::string& name, absl::AnyInvocable<void(const matchmaking::v1::Ticket&)> on_ticket,
      absl::AnyInvocable<void(const absl::Status&)> on_end);

  // Each part of the analysis of a deal. After a loss the analysis starts anew, with its first
  // decision. `on_end` runs once: OK after the summary.
  std::unique_ptr<Watch> AnalyzeDeal(
      const bot::v1::AnalyzeDealRequest& request,
      absl::AnyInvocable<void(const bot::v1::AnalyzeDealResponse&)> on_part,
      absl::AnyInvocable<void(const absl::Status&)> on_end);

  // For requests that ask for one; a repeated request must keep its own.
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
          matchmaking(channel),
          ratings(channel),
          analyses(channel) {}

    gateway::v1::SessionService::Stub sessions;
    rules::v1::TableService::Stub tables;
    rules::v1::RecordService::Stub records;
    matchmaking::v1::MatchmakingService::Stub matchmaking;
    ratings::v1::RatingService::Stub ratings;
    bot::v1::AnalysisService::Stub analyses;
  };
  template <typename Service>
  static Service& Get(Gateway& gateway);

  // The number of the one in use; after `Failed` of it, the next.
  std::size_t InUse() const { return in_use_; }
  void Failed(std::size_t gateway);

  void Prepare(grpc::ClientContext& context) const;  // Adds the token.
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

}  // namespace tarot::client

#include "libs/client/client_inl.h"
