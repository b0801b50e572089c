// Reads the revocations, bans and changed limits from the ratings service, and stores new
// revocations there.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "libs/base/clock.h"
#include "libs/base/gateway_limits.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/gateway/app/revocations.h"
#include "services/gateway/metrics.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Asks the ratings service for new revocations every kRevocationsInterval, and kRevocationsRetry
// after a failure. If the ratings service does not answer, the known revocations and limits stay in
// force. Thread-safe.
class RevocationClient final : public RevocationStore {
 public:
  // The referenced objects must outlive this one. `on_limits` gets the limits that operators have
  // set, after each change. One call runs at a time.
  RevocationClient(const std::shared_ptr<grpc::Channel>& ratings,
                   const rpc::Authenticator& identity, Revocations& revocations,
                   std::function<void(const LimitValues&)> on_limits, Clock& clock,
                   Scheduler& scheduler, rpc::CallMetrics& calls, Metrics& metrics);

  // Makes the first call and waits until all revocations are known. Returns false if they are not
  // known after kFirstRevocationsWait; the calls then continue in the background.
  bool Start();
  // Cancels the calls in flight and waits for their callbacks. Stop the scheduler first.
  void Stop() { pending_.Stop(); }

  // Gives UNAVAILABLE SERVICE_AWAY if the ratings service does not answer, and otherwise the status
  // of its answer.
  void Store(const Revocation& revocation, std::function<void(const absl::Status&)> done) override;

 private:
  void Ask();
  // Adds the revocations of one page. Returns true if more pages follow.
  bool Take(const tarot::ratings::v1::GetRevocationsResponse& page);

  const std::unique_ptr<tarot::ratings::v1::PlayerAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  Revocations& revocations_;
  const std::function<void(const LimitValues&)> on_limits_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const rpc::MethodMetrics ask_metrics_;
  const rpc::MethodMetrics store_metrics_;
  rpc::PendingCalls pending_;

  // Only the callback of an Ask() call uses these members, and one such call runs at a time.
  std::int64_t known_sequence_ = 0;
  LimitValues known_limits_;
  bool complete_ = false;  // True after the last page of the first list.
  absl::Time next_removal_;

  struct First {
    std::promise<bool> known;
    std::once_flag once;
    void Set(bool value) {
      std::call_once(once, [&] { known.set_value(value); });
    }
  };
  const std::shared_ptr<First> first_ = std::make_shared<First>();
};

}  // namespace tarot::gateway_service
