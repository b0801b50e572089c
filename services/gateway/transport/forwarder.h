// Takes the calls of players to all services except SessionService. It serves WatchTable from the
// hub (table_hub.h). It forwards every other call byte for byte to the service that answers it.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/cells.h"
#include "services/gateway/app/limiters.h"
#include "services/gateway/app/revocations.h"
#include "services/gateway/app/table_hub.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/auth_interceptor.h"
#include "services/gateway/transport/forwarded_call.h"
#include "services/gateway/transport/routes.h"
#include "services/gateway/transport/traces.h"

namespace tarot::gateway_service {

// Thread-safe. It must outlive the server and every call. Stop the scheduler before you destroy
// this object.
class Forwarder final : public grpc::CallbackGenericService, private CallOwner {
 public:
  // `cells` are the cells of rules. If there are several, each cell has slots of its own for the
  // calls about its tables, an equal share of `calls.all`. Calls to a cell that does not answer
  // wait until their deadline, and must not take the slots of other calls. The limits of a player
  // and of an address then also count for each cell. `region` is the region of this gateway, or
  // empty.
  Forwarder(SlotLimit streams, SlotLimit calls, const rpc::Cells& cells, std::string region,
            const Routes& routes, AuthInterceptor& auth, const Revocations& revocations,
            TableHub& hub, const rpc::Authenticator& identity, Traces& traces, Clock& clock,
            Scheduler& scheduler, Metrics& metrics);

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  // Replaces the limits of streams. Open streams stay open, also above a lower limit.
  void SetStreamLimit(SlotLimit streams);

  // Ends every open stream with UNAVAILABLE SERVICE_AWAY, spread over at most `spread`. Then ends
  // each new stream in the same way. The players open their streams at another gateway. Waits until
  // the last stream is told to end. Call this function before the server's shutdown, because the
  // shutdown waits for open streams.
  void EndStreams(absl::Duration spread);

  // Returns each player who has an open stream, or who has made a call since this function ran
  // last. Each player is in the result once. Any thread may call it.
  std::vector<PlayerId> TakeActivePlayers();

 private:
  struct Incomplete {
    grpc::CallbackServerContext* call;
    absl::Time start;
  };

  absl::Status TakeSlot(const grpc::CallbackServerContext& call, const Route& route,
                        std::optional<int> cell, const SlotHolder& holder) override;
  void ReturnSlot(const Route& route, std::optional<int> cell, const SlotHolder& holder) override;
  void CallDone(const grpc::CallbackServerContext& call, const SlotHolder& holder,
                PlayerStream* stream) override;
  absl::Status Begin(grpc::CallbackServerContext& call, const SlotHolder& holder);
  void Keep(PlayerStream& stream, const SignedInPlayer& player);
  // Does two things every second. Cancels the calls whose request is not complete after
  // kRequestTimeout. Ends the streams whose token is revoked or whose player is banned.
  void KeepSweeping();
  Slots& SlotsOf(const Route& route, std::optional<int> cell);
  // Ends at most `most` streams that were not told to end yet. Returns true if more such streams
  // are left. Needs the mutex.
  bool SendAway(std::size_t most);

  const std::string region_;
  const Routes& routes_;
  AuthInterceptor& auth_;
  const Revocations& revocations_;
  TableHub& hub_;
  const rpc::Authenticator& identity_;
  Traces& traces_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  Slots incomplete_slots_;  // The limit of calls with an incomplete request.
  Slots stream_slots_;
  Slots analysis_slots_;
  Slots list_slots_;
  Slots unary_slots_;
  // The slots of each cell for the calls about its tables. Empty if there is one cell.
  std::map<int, Slots> cell_slots_;
  std::map<int, Slots> cell_list_slots_;  // For score sheets and records of its tables.
  std::mutex mutex_;
  std::condition_variable stream_over_;
  bool ending_ = false;
  struct Owner {
    PlayerId player;
    TokenInfo token;  // The token that opened the stream.
    bool sent_away = false;
  };
  absl::flat_hash_map<PlayerStream*, Owner> streams_;
  // The number of streams of each player. Without streams, there is no entry.
  absl::flat_hash_map<PlayerId, int> streams_of_players_;
  // The players who have made a call since TakeActivePlayers() ran last, at most kCallersMax.
  absl::flat_hash_set<PlayerId> callers_;
  std::uint64_t seen_revocations_ = 0;
  // The calls whose request is not complete yet, each with the time when the call began.
  absl::flat_hash_map<const grpc::CallbackServerContext*, Incomplete> incomplete_;
};

}  // namespace tarot::gateway_service
