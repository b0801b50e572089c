#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

// Maps a number that an int cannot hold to the largest int, which RatingService refuses.
int DecodeNumber(std::uint32_t number) {
  return static_cast<int>(std::min<std::uint32_t>(number, INT32_MAX));
}

absl::StatusOr<Season> DecodeSeason(const v1::LadderNumbers& in, const std::string& path) {
  Season season{.rule_set = in.rule_set(),
                .baseline_policy = DecodeNumber(in.baseline_policy()),
                .baseline_replays = DecodeNumber(in.baseline_replays()),
                .numbers = {.player_count = DecodeNumber(in.player_count()),
                            .bid_shift = in.bid_shift(),
                            .luck_share = in.luck_share(),
                            .weight_scale = in.weight_scale(),
                            .noise_variance = in.noise_variance(),
                            .prior_variance = in.prior_variance()},
                .provenance = in.provenance()};
  if (in.place_means_size() != season.numbers.player_count ||
      in.place_means_size() > rating::kPlayersMax) {
    return error::PlaceMeansInvalid(path + "place_means");
  }
  std::copy(in.place_means().begin(), in.place_means().end(), season.numbers.place_means.begin());
  return season;
}

class LadderAdminServiceHandler final : public v1::LadderAdminService::CallbackService {
 public:
  LadderAdminServiceHandler(RatingService& ratings, rpc::Dispatcher& dispatcher)
      : ratings_(ratings), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* StartSeason(grpc::CallbackServerContext* context,
                                        const v1::StartSeasonRequest* request,
                                        v1::StartSeasonResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.LadderAdminService/StartSeason", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          if (request->ladders().empty()) return error::FieldMissing("ladders");
          std::vector<Season> seasons;
          for (const v1::LadderNumbers& ladder : request->ladders()) {
            const std::string path = absl::StrCat("ladders[", seasons.size(), "].");
            TAROT_ASSIGN_OR_RETURN(seasons.emplace_back(), DecodeSeason(ladder, path));
          }
          TAROT_ASSIGN_OR_RETURN(const std::vector<std::string> changes,
                                 ratings_.StartSeasons(std::move(seasons)));
          for (const std::string& change : changes) response->add_changes(change);
          return absl::OkStatus();
        });
  }

 private:
  RatingService& ratings_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLadderAdminService(RatingService& ratings,
                                                      rpc::Dispatcher& dispatcher) {
  return std::make_unique<LadderAdminServiceHandler>(ratings, dispatcher);
}

absl::StatusOr<v1::StartSeasonRequest> ReadSeasonFile(const std::string& path) {
  std::ifstream in(path);
  const std::string json{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) return error::FileUnreadable(path);
  v1::StartSeasonRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &request);
  if (!parsed.ok()) return BadRequest(path, std::string(parsed.message()));
  return request;
}

}  // namespace tarot::ratings_service
