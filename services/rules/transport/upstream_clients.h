// Declares the clients of the other services. The clients implement the interfaces of app/. Stop()
// cancels the calls in flight and waits for their callbacks. After Stop() every new call ends with
// CANCELLED at once.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>

#include "absl/time/time.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/rules/app/outbox_relay.h"
#include "services/rules/app/turn_driver.h"
#include "tarot/bot/v1/bot_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_ingest_service.grpc.pb.h"

namespace tarot::rules_service {

class GrpcBotClient final : public BotClient {
 public:
  GrpcBotClient(const std::shared_ptr<grpc::Channel>& channel, const rpc::Authenticator& identity,
                rpc::CallMetrics& metrics, absl::Duration timeout);
  void Choose(const BotQuestion& question,
              absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) override;
  void Stop() {
    stopping_ = true;
    pending_.Stop();
  }

 private:
  // Returns the error of a failed call. For our callers, CANCELLED must mean only that this client
  // has been stopped. But a bot service that stops also answers CANCELLED, for calls that it has
  // not begun. This function turns such an answer into UNAVAILABLE.
  absl::Status Failure(const grpc::Status& status) const;

  const std::unique_ptr<tarot::bot::v1::BotService::Stub> stub_;
  const rpc::Authenticator& identity_;
  rpc::MethodMetrics metrics_;
  rpc::PendingCalls pending_;
  std::atomic<bool> stopping_ = false;
  const absl::Duration timeout_;
};

class GrpcRatingSink final : public MatchSink {
 public:
  GrpcRatingSink(const std::shared_ptr<grpc::Channel>& channel, const rpc::Authenticator& identity,
                 rpc::CallMetrics& metrics);
  void Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
               absl::AnyInvocable<void(absl::Status)> done) override;
  void Stop() { pending_.Stop(); }

 private:
  const std::unique_ptr<tarot::ratings::v1::RatingIngestService::Stub> stub_;
  const rpc::Authenticator& identity_;
  rpc::MethodMetrics metrics_;
  rpc::PendingCalls pending_;
};

class GrpcMatchmakingSink final : public MatchSink {
 public:
  GrpcMatchmakingSink(const std::shared_ptr<grpc::Channel>& channel,
                      const rpc::Authenticator& identity, rpc::CallMetrics& metrics);
  void Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
               absl::AnyInvocable<void(absl::Status)> done) override;
  void Stop() { pending_.Stop(); }

 private:
  const std::unique_ptr<tarot::matchmaking::v1::MatchmakingAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  rpc::MethodMetrics metrics_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::rules_service
