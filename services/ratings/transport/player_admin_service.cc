#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/transport/rating_service.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

using TokenId = Id<struct TokenTag>;

constexpr char kPlayers[] = "players/";
constexpr char kTokens[] = "tokens/";
constexpr char kBans[] = "bans/";

absl::StatusOr<Revocation> DecodeRevocation(const v1::RevokeTokensRequest& request) {
  Revocation revocation;
  const bool player = absl::StartsWith(request.subject(), kPlayers);
  if (!player && !absl::StartsWith(request.subject(), kTokens)) return error::SubjectInvalid();
  if (player != request.has_latest_sign_in_time()) return error::SignInTimeMisplaced();
  if (player) {
    TAROT_ASSIGN_OR_RETURN(const PlayerId id,
                           wire::DecodeName<PlayerId>(request.subject(), kPlayers, "subject"));
    revocation.subject = id.uuid;
    TAROT_ASSIGN_OR_RETURN(revocation.latest_sign_in_time,
                           wire::DecodeTime(request.latest_sign_in_time(), "latest_sign_in_time"));
  } else {
    TAROT_ASSIGN_OR_RETURN(const TokenId id,
                           wire::DecodeName<TokenId>(request.subject(), kTokens, "subject"));
    revocation.subject = id.uuid;
  }
  TAROT_ASSIGN_OR_RETURN(revocation.expire_time,
                         wire::DecodeTime(request.expire_time(), "expire_time"));
  return revocation;
}

void EncodeRevocation(const Revocation& revocation, v1::Revocation* out) {
  const bool player = revocation.latest_sign_in_time.has_value();
  out->set_subject(absl::StrCat(revocation.ban ? kBans
                                : player       ? kPlayers
                                               : kTokens,
                                revocation.subject.ToString()));
  out->set_message(revocation.message);
  if (player) {
    wire::EncodeTime(*revocation.latest_sign_in_time, out->mutable_latest_sign_in_time());
  }
  wire::EncodeTime(revocation.expire_time, out->mutable_expire_time());
}

absl::StatusOr<PlayerId> DecodePlayer(const std::string& name) {
  return wire::DecodeName<PlayerId>(name, kPlayers, "player");
}

absl::StatusOr<Ban> DecodeBan(const v1::BanPlayerRequest& request) {
  Ban ban{.message = request.message()};
  TAROT_ASSIGN_OR_RETURN(ban.player, DecodePlayer(request.player()));
  if (!request.has_end_time()) return error::FieldMissing("end_time");
  TAROT_ASSIGN_OR_RETURN(ban.end_time, wire::DecodeTime(request.end_time(), "end_time"));
  return ban;
}

void EncodeBan(const Ban& ban, v1::Ban* out) {
  out->set_player(absl::StrCat(kPlayers, ban.player.ToString()));
  wire::EncodeTime(ban.create_time, out->mutable_create_time());
  wire::EncodeTime(ban.end_time, out->mutable_end_time());
  out->set_message(ban.message);
}

void EncodeLimits(const LimitValues& limits, v1::GatewayLimits* out) {
  for (const auto& [name, value] : limits) {
    v1::GatewayLimit& limit = *out->add_limits();
    limit.set_name(name);
    limit.set_value(value);
  }
}

class PlayerAdminServiceHandler final : public v1::PlayerAdminService::CallbackService {
 public:
  PlayerAdminServiceHandler(PlayerAdmin& players, rpc::Dispatcher& dispatcher)
      : players_(players), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* RevokeTokens(grpc::CallbackServerContext* context,
                                         const v1::RevokeTokensRequest* request,
                                         v1::RevokeTokensResponse*) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.PlayerAdminService/RevokeTokens",
                             rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(const Revocation revocation,
                                                      DecodeRevocation(*request));
                               return players_.Revoke(revocation);
                             });
  }

  grpc::ServerUnaryReactor* GetRevocations(grpc::CallbackServerContext* context,
                                           const v1::GetRevocationsRequest* request,
                                           v1::GetRevocationsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.PlayerAdminService/GetRevocations", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(
              const RevocationPage page,
              players_.ListRevocations(request->after_sequence(), request->page_size()));
          for (const Revocation& revocation : page.revocations) {
            EncodeRevocation(revocation, response->add_revocations());
          }
          TAROT_ASSIGN_OR_RETURN(const LimitValues limits, players_.GatewayLimits());
          EncodeLimits(limits, response->mutable_limits());
          response->set_known_sequence(page.known_sequence);
          response->set_last_sequence(page.last_sequence);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListRankedNames(grpc::CallbackServerContext* context,
                                            const v1::ListRankedNamesRequest* request,
                                            v1::ListRankedNamesResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.PlayerAdminService/ListRankedNames", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(
              const NamePage page,
              players_.ListRankedNames(request->page_size(), request->page_token()));
          for (const std::string& name : page.names) response->add_names(name);
          response->set_next_page_token(page.next_page_token);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* BanPlayer(grpc::CallbackServerContext* context,
                                      const v1::BanPlayerRequest* request,
                                      v1::BanPlayerResponse*) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.PlayerAdminService/BanPlayer",
                             rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(Ban ban, DecodeBan(*request));
                               return players_.SetBan(std::move(ban));
                             });
  }

  grpc::ServerUnaryReactor* ListBans(grpc::CallbackServerContext* context,
                                     const v1::ListBansRequest* request,
                                     v1::ListBansResponse* response) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.PlayerAdminService/ListBans",
                             rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(
                                   const BanPage page,
                                   players_.ListBans(request->page_size(), request->page_token()));
                               for (const Ban& ban : page.bans)
                                 EncodeBan(ban, response->add_bans());
                               response->set_next_page_token(page.next_page_token);
                               return absl::OkStatus();
                             });
  }

  grpc::ServerUnaryReactor* SetGatewayLimits(grpc::CallbackServerContext* context,
                                             const v1::SetGatewayLimitsRequest* request,
                                             v1::SetGatewayLimitsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.PlayerAdminService/SetGatewayLimits", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          std::vector<std::pair<std::string, double>> set;
          for (const v1::GatewayLimit& limit : request->limits()) {
            set.emplace_back(limit.name(), limit.value());
          }
          TAROT_RETURN_IF_ERROR(
              players_.SetGatewayLimits(set, {request->reset().begin(), request->reset().end()}));
          TAROT_ASSIGN_OR_RETURN(const LimitValues limits, players_.GatewayLimits());
          EncodeLimits(limits, response->mutable_limits());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ExportPlayer(grpc::CallbackServerContext* context,
                                         const v1::ExportPlayerRequest* request,
                                         v1::ExportPlayerResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.ratings.v1.PlayerAdminService/ExportPlayer", rpc::Access::kService,
        [=, this](const rpc::Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayer(request->player()));
          TAROT_ASSIGN_OR_RETURN(*response->mutable_json(), players_.Export(player));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* DeletePlayer(grpc::CallbackServerContext* context,
                                         const v1::DeletePlayerRequest* request,
                                         v1::DeletePlayerResponse*) override {
    return dispatcher_.Unary(context, "tarot.ratings.v1.PlayerAdminService/DeletePlayer",
                             rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                                      DecodePlayer(request->player()));
                               return players_.Delete(player);
                             });
  }

 private:
  PlayerAdmin& players_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakePlayerAdminService(PlayerAdmin& players,
                                                      rpc::Dispatcher& dispatcher) {
  return std::make_unique<PlayerAdminServiceHandler>(players, dispatcher);
}

}  // namespace tarot::ratings_service
