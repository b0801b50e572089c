#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

// Returns `number`. If an int cannot hold `number`, returns the largest int, which CheckSeason()
// refuses.
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

v1::LadderNumbers EncodeSeason(const Season& season) {
  const auto rounded = [](double number) { return std::round(number * 1e4) / 1e4; };
  const rating::LadderNumbers& numbers = season.numbers;
  v1::LadderNumbers out;
  out.set_player_count(static_cast<std::uint32_t>(numbers.player_count));
  out.set_rule_set(season.rule_set);
  out.set_baseline_policy(static_cast<std::uint32_t>(season.baseline_policy));
  out.set_baseline_replays(static_cast<std::uint32_t>(season.baseline_replays));
  out.set_bid_shift(numbers.bid_shift);
  for (int place = 0; place < numbers.player_count; ++place) {
    out.add_place_means(rounded(numbers.place_means[static_cast<std::size_t>(place)]));
  }
  out.set_luck_share(rounded(numbers.luck_share));
  out.set_weight_scale(rounded(numbers.weight_scale));
  out.set_noise_variance(rounded(numbers.noise_variance));
  out.set_prior_variance(rounded(numbers.prior_variance));
  out.set_provenance(season.provenance);
  return out;
}

class LadderAdminServiceHandler final : public v1::LadderAdminService::CallbackService {
 public:
  LadderAdminServiceHandler(LadderAdmin& ladders, rpc::Dispatcher& dispatcher)
      : ladders_(ladders), dispatcher_(dispatcher) {}

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
                                 ladders_.StartSeasons(std::move(seasons)));
          for (const std::string& change : changes) response->add_changes(change);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* VoidMatch(grpc::CallbackServerContext* context,
                                      const v1::VoidMatchRequest* request,
                                      v1::VoidMatchResponse*) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.LadderAdminService/VoidMatch", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          ResultVoid added{.operator_name = request->operator_(), .reason = request->reason()};
          TAROT_ASSIGN_OR_RETURN(added.table,
                                 wire::DecodeName<TableId>(request->table(), "tables/", "table"));
          return ladders_.Void(added).status();
        });
  }

  grpc::ServerUnaryReactor* VoidPlayer(grpc::CallbackServerContext* context,
                                       const v1::VoidPlayerRequest* request,
                                       v1::VoidPlayerResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.LadderAdminService/VoidPlayer", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          ResultVoid added{.operator_name = request->operator_(), .reason = request->reason()};
          TAROT_ASSIGN_OR_RETURN(
              added.player, wire::DecodeName<PlayerId>(request->player(), "players/", "player"));
          TAROT_ASSIGN_OR_RETURN(added.since,
                                 wire::DecodeTime(request->since_time(), "since_time"));
          TAROT_ASSIGN_OR_RETURN(const int count, ladders_.Void(added));
          response->set_match_count(static_cast<std::uint32_t>(count));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* Recompute(grpc::CallbackServerContext* context,
                                      const v1::RecomputeRequest*,
                                      v1::RecomputeResponse* response) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.LadderAdminService/Recompute",
                             rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(const RecomputeReport report,
                                                      ladders_.Recompute());
                               response->set_match_count(report.match_count);
                               response->set_void_count(report.void_count);
                               response->set_different_count(report.different_count);
                               wire::EncodeDuration(report.blocked, response->mutable_blocked());
                               return absl::OkStatus();
                             });
  }

 private:
  LadderAdmin& ladders_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLadderAdminService(LadderAdmin& ladders,
                                                      rpc::Dispatcher& dispatcher) {
  return std::make_unique<LadderAdminServiceHandler>(ladders, dispatcher);
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

absl::StatusOr<std::string> SeasonFileText(absl::Span<const Season> seasons) {
  v1::StartSeasonRequest request;
  for (const Season& season : seasons) {
    const std::string path = absl::StrCat("ladders[", request.ladders_size(), "].");
    TAROT_RETURN_IF_ERROR(CheckSeason(season, path));
    *request.add_ladders() = EncodeSeason(season);
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto printed = google::protobuf::util::MessageToJsonString(request, &text, options);
  if (!printed.ok()) return BadRequest("ladders", std::string(printed.message()));
  return text;
}

}  // namespace tarot::ratings_service
