// Takes every call of a player: forwards it byte for byte to the service that answers it, or serves
// views of tables from the hub.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <mutex>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "services/gateway/app/limiters.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/auth_interceptor.h"
#include "services/gateway/transport/forwarded_call.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

// Thread-safe. It must outlive the server, and so every call.
class Forwarder final : public grpc::CallbackGenericService, private CallOwner {
 public:
  Forwarder(SlotLimit streams, SlotLimit calls, const Routes& routes, AuthInterceptor& auth,
            TableHub& hub, const rpc::Authenticator& identity, Clock& clock, Metrics& metrics);

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  // Ends every stream, also later ones, with UNAVAILABLE, so that players open theirs at another
  // gateway. Call it before the server's shutdown, because the shutdown waits for open streams.
  void EndStreams();

 private:
  absl::Status AcquireSlot(const Route& route, const PlayerId& player);
  void Keep(PlayerStream& stream);
  void StreamDone(PlayerStream& stream, const PlayerId& player) override;
  void UnaryDone(const PlayerId& player) override { unary_slots_.Release(player); }

  const Routes& routes_;
  AuthInterceptor& auth_;
  TableHub& hub_;
  const rpc::Authenticator& identity_;
  Clock& clock_;
  Metrics& metrics_;
  Slots stream_slots_;
  Slots unary_slots_;
  std::mutex mutex_;
  bool ending_ = false;
  absl::flat_hash_set<PlayerStream*> streams_;
};

}  // namespace tarot::gateway_service
