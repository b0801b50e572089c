// One WatchTable stream of a player, served from the hub: the newest view, one write in flight.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>

#include "libs/base/clock.h"
#include "services/gateway/app/sessions.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/player_stream.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway {

// Keeps itself alive until the stream is over; the hub may for a moment longer.
class PlayerWatch final : public grpc::ServerGenericBidiReactor,
                          public FrameSink,
                          public PlayerStream,
                          public std::enable_shared_from_this<PlayerWatch> {
 public:
  // Give it to gRPC. `route.server` has been told that it started. All that is given outlives the
  // stream.
  static std::shared_ptr<PlayerWatch> Open(const Route& route, const Player& player, TableHub& hub,
                                           Clock& clock, Metrics& metrics, CallOwner& owner);

  void Show(const std::shared_ptr<const Frame>& frame) override;
  void End(const absl::Status& status) override;
  void SendAway() override;

 private:
  PlayerWatch(const Route& route, const Player& player, TableHub& hub, Clock& clock,
              Metrics& metrics, CallOwner& owner);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void Advance();  // Needs mutex_.

  const Route& route_;
  const PlayerId player_;
  TableHub& hub_;
  Clock& clock_;
  Metrics& metrics_;
  CallOwner& owner_;
  const absl::Time start_;
  std::shared_ptr<PlayerWatch> self_;
  bool have_request_ = false;
  bool watched_ = false;  // The hub knows of this stream.
  int after_revision_ = -1;
  std::optional<TableId> table_;

  std::mutex mutex_;  // The hub's lock may be held before it, never after.
  bool writing_ = false;
  bool finished_ = false;
  int revision_ = -1;  // Of the newest frame that came.
  std::shared_ptr<const Frame> waiting_;
  absl::Time writing_since_;
  std::optional<absl::Status> closing_;
  grpc::ByteBuffer message_;  // In flight; before that, the request.
};

}  // namespace tarot::gateway
