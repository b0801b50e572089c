// One WatchTable stream of a player. Its frames come from the hub (table_hub.h). It sends the
// newest view, and has at most one write in flight.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <utility>

#include "libs/base/clock.h"
#include "libs/rpc/server_stream.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/forwarded_call.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

// Thread-safe. The object lives until the stream is over and the hub has released it.
class PlayerWatch final : public rpc::ServerBidiStream<grpc::ByteBuffer, grpc::ByteBuffer>,
                          public FrameSink,
                          public PlayerStream {
 public:
  // Makes the stream. The caller passes get() of the result to gRPC. All referenced objects must
  // outlive the stream.
  static std::shared_ptr<PlayerWatch> Open(const Route& route, const SlotHolder& holder,
                                           TableHub& hub, Clock& clock, Metrics& metrics,
                                           const grpc::CallbackServerContext& context,
                                           CallOwner& owner);

  void Show(const std::shared_ptr<const Frame>& frame) override;
  void End(const absl::Status& status) override { Close(status); }
  void SendAway() override;
  void Refuse(const absl::Status& why) override;

 private:
  PlayerWatch(const Route& route, const SlotHolder& holder, TableHub& hub, Clock& clock,
              Metrics& metrics, const grpc::CallbackServerContext& context, CallOwner& owner);

  bool OnRequest(grpc::ByteBuffer& bytes) override;
  void OnRequestsDone() override;
  bool TakeLocked() override;
  void Fill(grpc::ByteBuffer& message) override;
  void DropLocked() override { waiting_ = nullptr; }
  void OnWritten() override;
  void OnOver() override;

  const Route& route_;
  const SlotHolder holder_;
  TableHub& hub_;
  Clock& clock_;
  Metrics& metrics_;
  const grpc::CallbackServerContext& context_;
  CallOwner& owner_;
  bool has_slot_ = false;
  bool watched_ = false;  // True if the hub knows this stream.
  int after_revision_ = -1;
  std::optional<TableId> table_;  // The table that the request names.

  // The members below need mutex(). A thread that holds the hub's mutex may lock mutex(). A thread
  // that holds mutex() must not lock the hub's mutex. The first member has the revision and the
  // connections_version of the newest frame.
  std::pair<int, int> newest_{-1, 0};
  std::shared_ptr<const Frame> waiting_;
  std::shared_ptr<const Frame> taken_;  // The frame that is being written.
  absl::Time writing_since_;            // Frame::arrive_time of `taken_`.
};

}  // namespace tarot::gateway_service
