#include "services/matchmaking/transport/matchmaking_service_impl.h"

#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "services/matchmaking/transport/convert.h"

namespace tarot::matchmaking_service {
namespace {

using rpc::Access;
using rpc::Caller;

absl::Status ShuttingDown() {
  return Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN", "The server is stopping.");
}

// Shows views on a stream, and ends it after the last one there can be.
Lobby::Watcher ShowOn(std::shared_ptr<rpc::WatchStream<v1::WatchTicketResponse>> stream) {
  return [stream = std::move(stream)](const TicketView& view) {
    v1::WatchTicketResponse response;
    EncodeTicket(view, response.mutable_ticket());
    stream->Offer(std::move(response));
    const TicketState state = view.ticket.state;
    if (state != TicketState::kWaiting && state != TicketState::kPlacing) {
      stream->Close(absl::OkStatus());
    }
  };
}

}  // namespace

grpc::ServerUnaryReactor* MatchmakingServiceImpl::ListQueues(grpc::CallbackServerContext* context,
                                                             const v1::ListQueuesRequest*,
                                                             v1::ListQueuesResponse* response) {
  return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingService/ListQueues",
                           Access::kPlayer, [=, this](const Caller&) {
                             for (const Queue& queue : tickets_.queues()) {
                               EncodeQueue(queue, tickets_.WaitingCount(queue),
                                           response->add_queues());
                             }
                             return absl::OkStatus();
                           });
}

grpc::ServerUnaryReactor* MatchmakingServiceImpl::CreateTicket(
    grpc::CallbackServerContext* context, const v1::CreateTicketRequest* request,
    v1::CreateTicketResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.matchmaking.v1.MatchmakingService/CreateTicket", Access::kPlayer,
      [=, this](const Caller& caller) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const Joining joining, DecodeJoining(caller, *request));
        TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Create(joining));
        EncodeTicket(view, response->mutable_ticket());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* MatchmakingServiceImpl::GetTicket(grpc::CallbackServerContext* context,
                                                            const v1::GetTicketRequest* request,
                                                            v1::GetTicketResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.matchmaking.v1.MatchmakingService/GetTicket", Access::kPlayer,
      [=, this](const Caller& caller) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request->name(), "name"));
        TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Get(caller.player, id));
        EncodeTicket(view, response->mutable_ticket());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* MatchmakingServiceImpl::DeleteTicket(
    grpc::CallbackServerContext* context, const v1::DeleteTicketRequest* request,
    v1::DeleteTicketResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.matchmaking.v1.MatchmakingService/DeleteTicket", Access::kPlayer,
      [=, this](const Caller& caller) -> absl::Status {
        TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request->name(), "name"));
        TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Cancel(caller.player, id));
        EncodeTicket(view, response->mutable_ticket());
        return absl::OkStatus();
      });
}

grpc::ServerWriteReactor<v1::WatchTicketResponse>* MatchmakingServiceImpl::WatchTicket(
    grpc::CallbackServerContext* context, const v1::WatchTicketRequest* request) {
  const std::shared_ptr<Stream> stream = NewStream();
  const auto watcher = std::make_shared<const Lobby::Watcher>(ShowOn(stream));
  // The stream holds its watcher, and forgets it at its end; the lobby holds it only weakly.
  stream->set_on_done([this, watcher, key = stream.get()] {
    const std::lock_guard lock(mutex_);
    streams_.erase(key);
  });
  StartWatch(*context, *request, stream, watcher);
  return stream.get();
}

std::shared_ptr<MatchmakingServiceImpl::Stream> MatchmakingServiceImpl::NewStream() {
  auto stream =
      Stream::Create(dispatcher_.clock(),
                     dispatcher_.Method("tarot.matchmaking.v1.MatchmakingService/WatchTicket"));
  const std::lock_guard lock(mutex_);
  streams_[stream.get()] = stream;
  if (ending_) stream->Close(ShuttingDown());
  return stream;
}

void MatchmakingServiceImpl::StartWatch(const grpc::CallbackServerContext& context,
                                        const v1::WatchTicketRequest& request,
                                        const std::shared_ptr<Stream>& stream,
                                        const std::shared_ptr<const Lobby::Watcher>& watcher) {
  const absl::StatusOr<Caller> caller = dispatcher_.Authenticate(context, Access::kPlayer);
  if (!caller.ok()) return stream->Close(caller.status());
  const absl::StatusOr<TicketId> id = DecodeTicketName(request.name(), "name");
  if (!id.ok()) return stream->Close(id.status());
  const bool queued =
      dispatcher_.workers().TryRun([this, player = caller->player, id = *id, stream, watcher] {
        const absl::Status status = tickets_.Watch(player, id, watcher);
        if (!status.ok()) stream->Close(status);
      });
  if (!queued) {
    stream->Close(Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy."));
  }
}

void MatchmakingServiceImpl::EndWatches() {
  std::vector<std::shared_ptr<Stream>> open;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& [key, stream] : streams_) {
      if (auto alive = stream.lock()) open.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<Stream>& stream : open) stream->Close(ShuttingDown());
}

}  // namespace tarot::matchmaking_service
