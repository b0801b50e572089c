#include "libs/rpc/permissions.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_split.h"

namespace tarot::rpc {
namespace {

struct Permission {
  // A method, or all methods of a gRPC service that no other row names.
  absl::string_view what;
  absl::string_view services;  // Separated by spaces.
};

constexpr Permission kServiceMethods[] = {
    {"tarot.admin.v1.AdminService", "operator"},
    {"tarot.bot.v1.BotService", "rules"},
    {"tarot.cluster.v1.PingService", "rules matchmaking ratings"},
    {"tarot.matchmaking.v1.MatchmakingAdminService", "admin"},
    {"tarot.matchmaking.v1.MatchmakingAdminService/ApplyQueues", "operator admin"},
    {"tarot.matchmaking.v1.MatchmakingAdminService/ListHouseBots", "gateway"},
    {"tarot.matchmaking.v1.MatchmakingAdminService/MarkOnline", "gateway"},
    {"tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable", "rules"},
    {"tarot.ratings.v1.AccountAdminService", "gateway"},
    {"tarot.ratings.v1.LadderAdminService", "admin"},
    {"tarot.ratings.v1.LadderAdminService/StartSeason", "operator"},
    {"tarot.ratings.v1.PlayerAdminService", "admin"},
    {"tarot.ratings.v1.PlayerAdminService/GetRevocations", "gateway"},
    {"tarot.ratings.v1.PlayerAdminService/ListRankedNames", "gateway"},
    {"tarot.ratings.v1.PlayerAdminService/RevokeTokens", "gateway admin"},
    {"tarot.ratings.v1.RatingIngestService", "rules"},
    {"tarot.rules.v1.NodeService/SetDraining", "admin"},
    {"tarot.rules.v1.NodeService/WatchNodes", "gateway admin"},
    {"tarot.rules.v1.TableAdminService", "admin"},
    {"tarot.rules.v1.TableAdminService/BatchCreateTables", "matchmaking"},
    {"tarot.rules.v1.TableAdminService/CreateTable", "matchmaking"},
    {"tarot.rules.v1.TableAdminService/GetCapacity", "matchmaking"},
    {"tarot.rules.v1.TableAdminService/GetMatchEnd", "matchmaking"},
    {"tarot.rules.v1.TableFeedService", "gateway"},
};

// The gateway calls all methods for players. The services of these rows work for a player whose
// call they answer, and pass on the player's token.
constexpr Permission kPlayerMethods[] = {
    {"tarot.rules.v1.RecordService/GetRecord", "bot"},
    {"tarot.rules.v1.TableService/GetTable", "matchmaking"},
    {"tarot.rules.v1.TableService/ListTables", "bot"},
};

bool Lists(const Permission& permission, absl::string_view service) {
  const std::vector<absl::string_view> services = absl::StrSplit(permission.services, ' ');
  return std::find(services.begin(), services.end(), service) != services.end();
}

}  // namespace

bool ServiceMayCall(absl::string_view service, absl::string_view method) {
  const Permission* found = nullptr;
  for (const Permission& row : kServiceMethods) {
    if (row.what == method) return Lists(row, service);
    if (row.what == method.substr(0, method.find('/'))) found = &row;
  }
  return found != nullptr && Lists(*found, service);
}

bool ServiceMayCallForPlayers(absl::string_view service, absl::string_view method) {
  if (service == kPlayersService) return true;
  for (const Permission& row : kPlayerMethods) {
    if (row.what == method) return Lists(row, service);
  }
  return false;
}

}  // namespace tarot::rpc
