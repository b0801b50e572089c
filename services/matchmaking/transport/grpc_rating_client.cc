#include "services/matchmaking/transport/grpc_rating_client.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "services/matchmaking/transport/peer_call.h"

namespace tarot::matchmaking_service {
namespace {

namespace ratings = ::tarot::ratings::v1;

constexpr absl::Duration kTimeout = absl::Milliseconds(800);
constexpr std::size_t kBatchMax = 200;  // What BatchGetRatings takes.
constexpr char kMethod[] = "tarot.ratings.v1.RatingService/BatchGetRatings";

}  // namespace

// The answers of several batches, until the last one has come.
struct GrpcRatingClient::Gathering {
  void Add(const absl::StatusOr<ratings::BatchGetRatingsResponse>& answer) {
    std::unique_lock lock(mutex);
    if (!answer.ok()) {
      status = answer.status();
    } else {
      for (const ratings::Rating& rating : answer->ratings()) {
        absl::string_view player = rating.player();
        if (!absl::ConsumePrefix(&player, "players/")) continue;
        const std::optional<PlayerId> id = PlayerId::Parse(player);
        if (id) result[*id] = static_cast<int>(std::lround(rating.rating()));
      }
    }
    if (--batches_missing > 0) return;
    lock.unlock();
    if (status.ok()) {
      done(std::move(result));
    } else {
      done(status);
    }
  }

  std::mutex mutex;
  std::size_t batches_missing = 0;
  absl::Status status;
  Ratings result;
  Done done;
};

GrpcRatingClient::GrpcRatingClient(const std::shared_ptr<grpc::Channel>& channel,
                                   const rpc::Authenticator& identity, rpc::CallMetrics& metrics,
                                   Clock& clock)
    : stub_(ratings::RatingService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method(kMethod)),
      clock_(clock) {}

void GrpcRatingClient::GetRatings(const std::vector<PlayerId>& players, int player_count,
                                  Done done) {
  const auto gathering = std::make_shared<Gathering>();
  gathering->done = std::move(done);
  gathering->batches_missing = (players.size() + kBatchMax - 1) / kBatchMax;
  for (std::size_t at = 0; at < players.size(); at += kBatchMax) {
    AskBatch(absl::MakeConstSpan(players).subspan(at, kBatchMax), player_count, gathering);
  }
}

void GrpcRatingClient::AskBatch(absl::Span<const PlayerId> players, int player_count,
                                const std::shared_ptr<Gathering>& gathering) {
  using Call = PeerCall<ratings::BatchGetRatingsRequest, ratings::BatchGetRatingsResponse>;
  const auto call = std::make_shared<Call>(identity_, kTimeout, metrics_, clock_);
  call->request.set_player_count(static_cast<std::uint32_t>(player_count));
  for (const PlayerId player : players) {
    call->request.add_players(absl::StrCat("players/", player.ToString()));
  }
  if (!pending_.Add(call->context)) {
    return gathering->Add(absl::CancelledError("The service is stopping."));
  }
  stub_->async()->BatchGetRatings(&*call->context, &call->request, &call->response,
                                  [this, call, gathering](const grpc::Status& status) {
                                    const absl::Status ended = call->Ended(status);
                                    if (ended.ok()) {
                                      gathering->Add(std::move(call->response));
                                    } else {
                                      gathering->Add(ended);
                                    }
                                    pending_.Remove(call->context);
                                  });
}

}  // namespace tarot::matchmaking_service
