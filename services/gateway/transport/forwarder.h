// Forwards the calls of players to the services that answer them, byte for byte; views of tables
// come from the hub.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <mutex>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "services/gateway/app/slots.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/door.h"
#include "services/gateway/transport/player_stream.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway {

// Thread-safe. Must outlive the server, and with it every call.
class Forwarder final : public grpc::CallbackGenericService, private CallOwner {
 public:
  Forwarder(SlotLimit streams, SlotLimit calls, const Routes& routes, Door& door, TableHub& hub,
            const rpc::Authenticator& inward, Clock& clock, Metrics& metrics);

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  // Ends every stream, also those still to come, with UNAVAILABLE, so that watchers open theirs at
  // another gateway instead of holding this one up. Before the server's shutdown.
  void EndStreams();

 private:
  absl::Status TakeSlot(const Route& route, const PlayerId& player);
  void Keep(PlayerStream& stream);
  void StreamDone(PlayerStream& stream, const PlayerId& player) override;
  void UnaryDone(const PlayerId& player) override { unary_slots_.GiveBack(player); }

  const Routes& routes_;
  Door& door_;
  TableHub& hub_;
  const rpc::Authenticator& inward_;
  Clock& clock_;
  Metrics& metrics_;
  Slots stream_slots_;
  Slots unary_slots_;
  std::mutex mutex_;
  bool ending_ = false;
  absl::flat_hash_set<PlayerStream*> streams_;
};

}  // namespace tarot::gateway
