#include "services/admin/transport/admin_service.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <future>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/admin/app/errors.h"
#include "services/admin/limits.h"
#include "tarot/admin/v1/admin_service.grpc.pb.h"

namespace tarot::admin_service {
namespace {

namespace v1 = ::tarot::admin::v1;
namespace mv = ::tarot::matchmaking::v1;
namespace rv = ::tarot::rules::v1;
namespace tv = ::tarot::ratings::v1;

using LadderStub = tv::LadderAdminService::Stub;
using MatchmakingStub = mv::MatchmakingAdminService::Stub;
using PlayerStub = tv::PlayerAdminService::Stub;
using TableStub = rv::TableAdminService::Stub;

// Returns the name of the operator: the id of the key that has signed the token. The dispatcher has
// checked the token with this key.
std::string OperatorOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(rpc::kCallerMetadata);
  if (found == context.client_metadata().end()) return "";
  const absl::string_view token(found->second.data(), found->second.size());
  return std::string(token.substr(0, token.find('.')));
}

// Returns the fields of the request without its reason, as JSON. If the JSON is too long, returns
// its size instead.
template <typename Request>
std::string DetailsOf(const Request& request) {
  Request rest = request;
  rest.clear_why();
  if constexpr (std::is_same_v<Request, v1::AddCollusionFlagsRequest>) {
    // A flag may name players, and the table of calls must have no player's name.
    return absl::StrCat("{\"flag_count\":", rest.flags_size(), "}");
  }
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(rest, &json).ok()) return "";
  if (json == "{}") return "";
  if (json.size() > kDetailsBytesMax) return absl::StrCat("{\"bytes\":", json.size(), "}");
  return json;
}

absl::StatusOr<std::int64_t> DecodePage(const std::string& token) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!token.empty() && !absl::SimpleAtoi(token, &before)) return error::PageTokenInvalid();
  return before;
}

absl::StatusOr<int> DecodePageSize(int size) {
  if (size < 0) return error::PageSizeNegative();
  return size == 0 ? kPageMax : std::min(size, kPageMax);
}

void EncodeFlag(const Flag& flag, v1::CollusionFlag* out) {
  out->set_name(absl::StrCat("flags/", flag.id));
  out->add_players(absl::StrCat("players/", flag.first.ToString()));
  out->add_players(absl::StrCat("players/", flag.second.ToString()));
  out->set_z(flag.z);
  out->set_deal_count(static_cast<std::uint32_t>(flag.deal_count));
  out->set_lost_credit(flag.lost_credit);
  for (const std::string& deal : flag.evidence) out->add_evidence(deal);
  wire::EncodeTime(flag.create_time, out->mutable_create_time());
  if (!flag.judgement) return;
  out->set_verdict(flag.judgement->verdict == Verdict::kCollusion ? v1::CollusionFlag::COLLUSION
                                                                  : v1::CollusionFlag::DISMISSED);
  out->set_judge(flag.judgement->operator_name);
  out->set_judge_why(flag.judgement->why);
  wire::EncodeTime(flag.judgement->time, out->mutable_judge_time());
}

class AdminServiceHandler final : public v1::AdminService::CallbackService {
 public:
  AdminServiceHandler(AuditLog& audit, AdminStore& store, Upstreams& upstreams, Clock& clock,
                      Scheduler& scheduler, rpc::Dispatcher& dispatcher)
      : audit_(audit),
        store_(store),
        upstreams_(upstreams),
        clock_(clock),
        scheduler_(scheduler),
        dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ListReplicas(grpc::CallbackServerContext* context,
                                         const v1::ListReplicasRequest* request,
                                         v1::ListReplicasResponse* response) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/ListReplicas", request, "",
        [=, this](const std::string&) -> absl::Status {
          const auto cells = upstreams_.RulesReplicas();
          for (const auto& [cell, replicas] : cells) {
            if (cells.size() == 1 && !replicas.ok()) return replicas.status();
            if (!replicas.ok()) response->add_silent_cells(static_cast<std::uint32_t>(cell));
            for (const std::string& each : replicas.value_or(std::vector<std::string>())) {
              response->add_addresses(each);
              response->add_cells(static_cast<std::uint32_t>(cell));
            }
          }
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* SetReplicaDraining(grpc::CallbackServerContext* context,
                                               const v1::SetReplicaDrainingRequest* request,
                                               v1::SetReplicaDrainingResponse* response) override {
    return Audited(context, kSetReplicaDraining, request, request->address(),
                   [=, this](const std::string&) -> absl::Status {
                     TAROT_RETURN_IF_ERROR(CheckReplica(*request));
                     TAROT_ASSIGN_OR_RETURN(
                         const int tables,
                         upstreams_.SetDraining(request->address(), request->draining()));
                     response->set_table_count(static_cast<std::uint32_t>(tables));
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* SetQueueOpen(grpc::CallbackServerContext* context,
                                         const v1::SetQueueOpenRequest* request,
                                         v1::SetQueueOpenResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/SetQueueOpen", request, request->name(),
                   [=, this](const std::string&) -> absl::Status {
                     mv::SetQueueOpenRequest inner;
                     inner.set_name(request->name());
                     inner.set_open(request->open());
                     TAROT_ASSIGN_OR_RETURN(const auto answer, upstreams_.matchmaking.Call(
                                                                   &MatchmakingStub::SetQueueOpen,
                                                                   "SetQueueOpen", inner));
                     response->set_cancelled_count(answer.cancelled_count());
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ApplyQueues(grpc::CallbackServerContext* context,
                                        const v1::ApplyQueuesRequest* request,
                                        v1::ApplyQueuesResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/ApplyQueues", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(
                         const auto answer,
                         upstreams_.matchmaking.Call(&MatchmakingStub::ApplyQueues, "ApplyQueues",
                                                     request->queues()));
                     *response->mutable_changes() = answer.changes();
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* SetPopulation(grpc::CallbackServerContext* context,
                                          const v1::SetPopulationRequest* request,
                                          v1::SetPopulationResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/SetPopulation", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     mv::SetPopulationRequest inner;
                     inner.set_population(request->population());
                     TAROT_ASSIGN_OR_RETURN(const auto answer, upstreams_.matchmaking.Call(
                                                                   &MatchmakingStub::SetPopulation,
                                                                   "SetPopulation", inner));
                     response->set_previous_population(answer.previous_population());
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* SetGatewayLimits(grpc::CallbackServerContext* context,
                                             const v1::SetGatewayLimitsRequest* request,
                                             v1::SetGatewayLimitsResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/SetGatewayLimits", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     tv::SetGatewayLimitsRequest inner;
                     *inner.mutable_limits() = request->limits();
                     *inner.mutable_reset() = request->reset();
                     TAROT_ASSIGN_OR_RETURN(const auto answer,
                                            upstreams_.players.Call(&PlayerStub::SetGatewayLimits,
                                                                    "SetGatewayLimits", inner));
                     *response->mutable_limits() = answer.limits().limits();
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ExplainTicket(grpc::CallbackServerContext* context,
                                          const v1::ExplainTicketRequest* request,
                                          v1::ExplainTicketResponse* response) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/ExplainTicket", request, request->name(),
        [=, this](const std::string&) -> absl::Status {
          mv::ExplainTicketRequest inner;
          inner.set_name(request->name());
          TAROT_ASSIGN_OR_RETURN(
              *response->mutable_explanation(),
              upstreams_.matchmaking.Call(&MatchmakingStub::ExplainTicket, "ExplainTicket", inner));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* GetTableLog(grpc::CallbackServerContext* context,
                                        const v1::GetTableLogRequest* request,
                                        v1::GetTableLogResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/GetTableLog", request, request->name(),
                   [=, this](const std::string&) -> absl::Status {
                     rv::GetTableLogRequest inner;
                     inner.set_name(request->name());
                     inner.set_page_size(request->page_size());
                     inner.set_page_token(request->page_token());
                     TAROT_ASSIGN_OR_RETURN(
                         auto answer, upstreams_.CellOfTable(request->name())
                                          .Call(&TableStub::GetTableLog, "GetTableLog", inner));
                     response->mutable_entries()->Swap(answer.mutable_entries());
                     response->set_next_page_token(answer.next_page_token());
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* VoidDeal(grpc::CallbackServerContext* context,
                                     const v1::VoidDealRequest* request,
                                     v1::VoidDealResponse*) override {
    return Audited(context, "tarot.admin.v1.AdminService/VoidDeal", request, request->name(),
                   [=, this](const std::string&) -> absl::Status {
                     rv::VoidDealRequest inner;
                     inner.set_name(request->name());
                     inner.set_deal_number(request->deal_number());
                     inner.set_reason(request->message());
                     inner.set_request_id(request->request_id());
                     return upstreams_.CellOfTable(request->name())
                         .Call(&TableStub::VoidDeal, "VoidDeal", inner)
                         .status();
                   });
  }

  grpc::ServerUnaryReactor* EndMatch(grpc::CallbackServerContext* context,
                                     const v1::EndMatchRequest* request,
                                     v1::EndMatchResponse*) override {
    return Audited(context, "tarot.admin.v1.AdminService/EndMatch", request, request->name(),
                   [=, this](const std::string&) -> absl::Status {
                     rv::EndMatchRequest inner;
                     inner.set_name(request->name());
                     inner.set_reason(request->message());
                     inner.set_request_id(request->request_id());
                     return upstreams_.CellOfTable(request->name())
                         .Call(&TableStub::EndMatch, "EndMatch", inner)
                         .status();
                   });
  }

  grpc::ServerUnaryReactor* VoidMatch(grpc::CallbackServerContext* context,
                                      const v1::VoidMatchRequest* request,
                                      v1::VoidMatchResponse*) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/VoidMatch", request, request->table(),
        [=, this](const std::string& operator_name) -> absl::Status {
          tv::VoidMatchRequest inner;
          inner.set_table(request->table());
          inner.set_operator_(operator_name);
          inner.set_reason(request->why());
          return upstreams_.ladders.Call(&LadderStub::VoidMatch, "VoidMatch", inner).status();
        });
  }

  grpc::ServerUnaryReactor* VoidPlayer(grpc::CallbackServerContext* context,
                                       const v1::VoidPlayerRequest* request,
                                       v1::VoidPlayerResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/VoidPlayer", request, request->player(),
                   [=, this](const std::string& operator_name) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(
                         const std::uint32_t count,
                         VoidPlayerSince(request->player(), request->since_time(), operator_name,
                                         request->why()));
                     response->set_match_count(count);
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* Recompute(grpc::CallbackServerContext* context,
                                      const v1::RecomputeRequest* request,
                                      v1::RecomputeResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/Recompute", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(
                         *response->mutable_result(),
                         upstreams_.ladders.Call(&LadderStub::Recompute, "Recompute",
                                                 tv::RecomputeRequest(), kRecomputeTimeout));
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* BanPlayer(grpc::CallbackServerContext* context,
                                      const v1::BanPlayerRequest* request,
                                      v1::BanPlayerResponse* response) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/BanPlayer", request, request->player(),
        [=, this](const std::string&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const absl::Time end,
                                 wire::DecodeTime(request->end_time(), "end_time"));
          if (end <= clock_.Now()) {
            return BadRequest("end_time", "must be a time in the future");
          }
          tv::BanPlayerRequest ban;
          ban.set_player(request->player());
          *ban.mutable_end_time() = request->end_time();
          ban.set_message(request->message());
          TAROT_RETURN_IF_ERROR(
              upstreams_.players.Call(&PlayerStub::BanPlayer, "BanPlayer", ban).status());
          TAROT_ASSIGN_OR_RETURN(const std::uint32_t withdrawn, WithdrawTickets(request->player()));
          // Until the gateways know the ban, the player can make another ticket. So tickets are
          // cancelled again afterwards.
          WaitForGateways();
          TAROT_ASSIGN_OR_RETURN(const std::uint32_t late, WithdrawTickets(request->player()));
          response->set_cancelled_count(withdrawn + late);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* UnbanPlayer(grpc::CallbackServerContext* context,
                                        const v1::UnbanPlayerRequest* request,
                                        v1::UnbanPlayerResponse*) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/UnbanPlayer", request, request->player(),
        [=, this](const std::string&) -> absl::Status {
          tv::BanPlayerRequest ban;
          ban.set_player(request->player());
          wire::EncodeTime(clock_.Now(), ban.mutable_end_time());
          return upstreams_.players.Call(&PlayerStub::BanPlayer, "BanPlayer", ban).status();
        });
  }

  grpc::ServerUnaryReactor* ListBans(grpc::CallbackServerContext* context,
                                     const v1::ListBansRequest* request,
                                     v1::ListBansResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/ListBans", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     tv::ListBansRequest inner;
                     inner.set_page_size(request->page_size());
                     inner.set_page_token(request->page_token());
                     TAROT_ASSIGN_OR_RETURN(
                         auto answer,
                         upstreams_.players.Call(&PlayerStub::ListBans, "ListBans", inner));
                     response->mutable_bans()->Swap(answer.mutable_bans());
                     response->set_next_page_token(answer.next_page_token());
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ExportPlayer(grpc::CallbackServerContext* context,
                                         const v1::ExportPlayerRequest* request,
                                         v1::ExportPlayerResponse* response) override {
    return Audited(
        context, "tarot.admin.v1.AdminService/ExportPlayer", request, request->player(),
        [=, this](const std::string&) -> absl::Status {
          rv::ExportPlayerRequest of_rules;
          of_rules.set_player(request->player());
          mv::ExportPlayerRequest of_matchmaking;
          of_matchmaking.set_player(request->player());
          tv::ExportPlayerRequest of_ratings;
          of_ratings.set_player(request->player());
          // The data of the first cell has the key "rules". The data of cell 2 has the key
          // "rules_2".
          std::string rules;
          for (const auto& [cell, of_cell] : AskEach(upstreams_.tables, [&](auto& tables) {
                 return tables.Call(&TableStub::ExportPlayer, "ExportPlayer", of_rules);
               })) {
            TAROT_RETURN_IF_ERROR(of_cell.status());
            const std::string key = rules.empty() ? "rules" : absl::StrCat("rules_", cell);
            absl::StrAppend(&rules, "\"", key, "\": ", of_cell->json(), ", ");
          }
          TAROT_ASSIGN_OR_RETURN(const auto matchmaking,
                                 upstreams_.matchmaking.Call(&MatchmakingStub::ExportPlayer,
                                                             "ExportPlayer", of_matchmaking));
          TAROT_ASSIGN_OR_RETURN(
              const auto ratings,
              upstreams_.players.Call(&PlayerStub::ExportPlayer, "ExportPlayer", of_ratings));
          response->set_json(absl::StrCat("{", rules, "\"matchmaking\": ", matchmaking.json(),
                                          ", \"ratings\": ", ratings.json(), "}"));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* DeletePlayer(grpc::CallbackServerContext* context,
                                         const v1::DeletePlayerRequest* request,
                                         v1::DeletePlayerResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/DeletePlayer", request, request->player(),
                   [=, this](const std::string&) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(const std::uint32_t seats,
                                            DeleteEverywhere(request->player()));
                     response->set_seat_count(seats);
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ListReports(grpc::CallbackServerContext* context,
                                        const v1::ListReportsRequest* request,
                                        v1::ListReportsResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/ListReports", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     mv::ListReportsRequest inner;
                     inner.set_page_size(request->page_size());
                     inner.set_page_token(request->page_token());
                     TAROT_ASSIGN_OR_RETURN(
                         auto answer, upstreams_.matchmaking.Call(&MatchmakingStub::ListReports,
                                                                  "ListReports", inner));
                     response->mutable_reports()->Swap(answer.mutable_reports());
                     response->set_next_page_token(answer.next_page_token());
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* AddCollusionFlags(grpc::CallbackServerContext* context,
                                              const v1::AddCollusionFlagsRequest* request,
                                              v1::AddCollusionFlagsResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/AddCollusionFlags", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     const int size = request->flags_size();
                     if (size < 1 || size > kFlagsPerRequestMax) {
                       return error::FlagInvalid(
                           "flags", absl::StrCat("must be 1 to ", kFlagsPerRequestMax));
                     }
                     std::vector<Flag> flags;
                     for (const v1::CollusionFlag& flag : request->flags()) {
                       const std::string path = absl::StrCat("flags[", flags.size(), "]");
                       TAROT_ASSIGN_OR_RETURN(flags.emplace_back(), DecodeFlag(flag, path));
                     }
                     TAROT_ASSIGN_OR_RETURN(const int added, store_.AddFlags(flags));
                     response->set_added_count(static_cast<std::uint32_t>(added));
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ListCollusionFlags(grpc::CallbackServerContext* context,
                                               const v1::ListCollusionFlagsRequest* request,
                                               v1::ListCollusionFlagsResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/ListCollusionFlags", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     FlagQuery query{.only_open = request->open()};
                     TAROT_ASSIGN_OR_RETURN(query.before, DecodePage(request->page_token()));
                     TAROT_ASSIGN_OR_RETURN(query.limit, DecodePageSize(request->page_size()));
                     TAROT_ASSIGN_OR_RETURN(const std::vector<Flag> flags, store_.ListFlags(query));
                     for (const Flag& flag : flags) EncodeFlag(flag, response->add_flags());
                     if (static_cast<int>(flags.size()) == query.limit) {
                       response->set_next_page_token(absl::StrCat(flags.back().id));
                     }
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* JudgeCollusionFlag(grpc::CallbackServerContext* context,
                                               const v1::JudgeCollusionFlagRequest* request,
                                               v1::JudgeCollusionFlagResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/JudgeCollusionFlag", request,
                   request->name(), [=, this](const std::string& operator_name) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(const std::uint32_t count,
                                            JudgeFlag(*request, operator_name));
                     response->set_match_count(count);
                     return absl::OkStatus();
                   });
  }

  grpc::ServerUnaryReactor* ListCalls(grpc::CallbackServerContext* context,
                                      const v1::ListCallsRequest* request,
                                      v1::ListCallsResponse* response) override {
    return Audited(context, "tarot.admin.v1.AdminService/ListCalls", request, "",
                   [=, this](const std::string&) -> absl::Status {
                     TAROT_ASSIGN_OR_RETURN(const std::int64_t before,
                                            DecodePage(request->page_token()));
                     TAROT_ASSIGN_OR_RETURN(const int limit, DecodePageSize(request->page_size()));
                     TAROT_ASSIGN_OR_RETURN(const auto calls, store_.ListCalls(before, limit));
                     for (const StoredCall& stored : calls) {
                       v1::Call* const out = response->add_calls();
                       out->set_id(stored.id);
                       wire::EncodeTime(stored.call_time, out->mutable_call_time());
                       out->set_operator_(stored.call.operator_name);
                       out->set_method(stored.call.method);
                       out->set_subject(stored.call.subject);
                       out->set_details(stored.call.details);
                       out->set_why(stored.call.why);
                       out->set_outcome(stored.outcome);
                     }
                     if (static_cast<int>(calls.size()) == limit) {
                       response->set_next_page_token(absl::StrCat(calls.back().id));
                     }
                     return absl::OkStatus();
                   });
  }

 private:
  static constexpr char kSetReplicaDraining[] = "tarot.admin.v1.AdminService/SetReplicaDraining";

  // Stores the call, runs `act` with the name of the operator, and stores the outcome.
  template <typename Request, typename Act>
  grpc::ServerUnaryReactor* Audited(grpc::CallbackServerContext* context, const char* method,
                                    const Request* request, const std::string& subject, Act act) {
    return dispatcher_.Unary(
        context, method, rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
          const absl::string_view path = method;
          const OperatorCall call{.operator_name = OperatorOf(*context),
                                  .method = std::string(path.substr(path.find('/') + 1)),
                                  .subject = subject,
                                  .details = DetailsOf(*request),
                                  .why = request->why()};
          return audit_.Run(call, [&] { return act(call.operator_name); });
        });
  }

  // Returns OK if the address is on the list of replicas, or if a replica with this address was
  // drained before. The call carries a token, so it must not go to any other address.
  absl::Status CheckReplica(const v1::SetReplicaDrainingRequest& request) {
    const auto cells = upstreams_.RulesReplicas();
    absl::Status silent;  // The error of a cell that does not answer.
    for (const auto& [cell, replicas] : cells) {
      if (!replicas.ok()) {
        if (cells.size() == 1) return replicas.status();
        // The operator must still reach the replicas of the other cells.
        silent = replicas.status();
        continue;
      }
      const auto found = std::find(replicas->begin(), replicas->end(), request.address());
      if (found != replicas->end()) return absl::OkStatus();
    }
    TAROT_ASSIGN_OR_RETURN(const bool drained,
                           store_.HasCall("SetReplicaDraining", request.address()));
    if (drained) return absl::OkStatus();
    // The replica may belong to the cell that does not answer.
    return silent.ok() ? error::ReplicaNotFound() : silent;
  }

  absl::StatusOr<std::uint32_t> WithdrawTickets(const std::string& player) {
    mv::WithdrawTicketsRequest request;
    request.set_player(player);
    TAROT_ASSIGN_OR_RETURN(
        const auto answer,
        upstreams_.matchmaking.Call(&MatchmakingStub::WithdrawTickets, "WithdrawTickets", request));
    return answer.cancelled_count();
  }

  absl::StatusOr<std::uint32_t> VoidPlayerSince(const std::string& player,
                                                const google::protobuf::Timestamp& since,
                                                const std::string& operator_name,
                                                const std::string& why) {
    tv::VoidPlayerRequest request;
    request.set_player(player);
    *request.mutable_since_time() = since;
    request.set_operator_(operator_name);
    request.set_reason(why);
    TAROT_ASSIGN_OR_RETURN(const auto answer,
                           upstreams_.ladders.Call(&LadderStub::VoidPlayer, "VoidPlayer", request));
    return answer.match_count();
  }

  // Waits until each gateway knows the newest bans and revocations.
  void WaitForGateways() {
    std::promise<void> reached;
    scheduler_.After(kRevocationReachesGateways, [&reached] { reached.set_value(); });
    reached.get_future().wait();
  }

  // First revokes the tokens, so that the player begins no further match. Rules then refuses to
  // delete a player who still plays. After an error, the operator may call again: each step may be
  // repeated.
  absl::StatusOr<std::uint32_t> DeleteEverywhere(const std::string& player) {
    TAROT_ASSIGN_OR_RETURN(const PlayerId id,
                           wire::DecodeName<PlayerId>(player, "players/", "player"));
    (void)id;
    tv::RevokeTokensRequest revocation;
    revocation.set_subject(player);
    wire::EncodeTime(clock_.Now(), revocation.mutable_latest_sign_in_time());
    wire::EncodeTime(clock_.Now() + kTokensRevokedFor, revocation.mutable_expire_time());
    TAROT_RETURN_IF_ERROR(
        upstreams_.players.Call(&PlayerStub::RevokeTokens, "RevokeTokens", revocation).status());
    // Until the gateways refuse the tokens, the player can make another ticket. So cancel tickets
    // only then.
    WaitForGateways();
    TAROT_RETURN_IF_ERROR(WithdrawTickets(player).status());
    rv::DeletePlayerRequest of_rules;
    of_rules.set_player(player);
    // A cell that fails must not keep the name of the player in the other cells.
    std::uint32_t seats = 0;
    absl::Status failed;
    for (const auto& [cell, deleted] : AskEach(upstreams_.tables, [&](auto& tables) {
           return tables.Call(&TableStub::DeletePlayer, "DeletePlayer", of_rules);
         })) {
      failed.Update(deleted.status());
      if (deleted.ok()) seats += deleted->seat_count();
    }
    TAROT_RETURN_IF_ERROR(failed);
    mv::DeletePlayerRequest of_matchmaking;
    of_matchmaking.set_player(player);
    TAROT_RETURN_IF_ERROR(
        upstreams_.matchmaking.Call(&MatchmakingStub::DeletePlayer, "DeletePlayer", of_matchmaking)
            .status());
    tv::DeletePlayerRequest of_ratings;
    of_ratings.set_player(player);
    TAROT_RETURN_IF_ERROR(
        upstreams_.players.Call(&PlayerStub::DeletePlayer, "DeletePlayer", of_ratings).status());
    return seats;
  }

  // Finds the player of a flag. `text` is an id, with or without the prefix players/, or a name. A
  // name must belong to exactly one player on the ladder.
  absl::StatusOr<PlayerId> FindPlayer(const std::string& text, const std::string& field) {
    const auto id = PlayerId::Parse(absl::StripPrefix(text, "players/"));
    if (id) return *id;
    tv::SearchPlayersRequest request;
    request.set_query(text);
    request.set_page_size(kNamesakesMax);
    TAROT_ASSIGN_OR_RETURN(
        const auto answer,
        upstreams_.ratings.Call(&tv::RatingService::Stub::SearchPlayers, "SearchPlayers", request));
    std::vector<std::string> players;
    for (const tv::Rating& rating : answer.ratings()) {
      if (rating.display_name() == text) players.push_back(rating.player());
    }
    if (players.size() != 1) return error::NameNotUnique(field);
    return wire::DecodeName<PlayerId>(players[0], "players/", field);
  }

  absl::StatusOr<Flag> DecodeFlag(const v1::CollusionFlag& flag, const std::string& path) {
    if (flag.players_size() != 2) {
      return error::FlagInvalid(path + ".players", "must be two players");
    }
    Flag decoded{.z = flag.z(),
                 .deal_count = static_cast<int>(std::min<std::uint32_t>(
                     flag.deal_count(), std::numeric_limits<std::int32_t>::max())),
                 .lost_credit = flag.lost_credit()};
    TAROT_ASSIGN_OR_RETURN(decoded.first, FindPlayer(flag.players(0), path + ".players[0]"));
    TAROT_ASSIGN_OR_RETURN(decoded.second, FindPlayer(flag.players(1), path + ".players[1]"));
    if (decoded.first == decoded.second) {
      return error::FlagInvalid(path + ".players", "must be two different players");
    }
    if (flag.evidence_size() > kEvidenceMax) {
      return error::FlagInvalid(path + ".evidence", absl::StrCat("at most ", kEvidenceMax));
    }
    for (const std::string& deal : flag.evidence()) {
      if (deal.size() > kEvidenceBytesMax || deal.find('\0') != std::string::npos) {
        return error::FlagInvalid(path + ".evidence",
                                  absl::StrCat("at most ", kEvidenceBytesMax, " bytes"));
      }
      decoded.evidence.push_back(deal);
    }
    return decoded;
  }

  // Returns the number of matches that this call has made void.
  absl::StatusOr<std::uint32_t> JudgeFlag(const v1::JudgeCollusionFlagRequest& request,
                                          const std::string& operator_name) {
    std::int64_t id = 0;
    absl::string_view name = request.name();
    if (!absl::ConsumePrefix(&name, "flags/") || !absl::SimpleAtoi(name, &id)) {
      return error::FlagInvalid("name", "must be flags/{number}");
    }
    const bool collusion = request.verdict() == v1::CollusionFlag::COLLUSION;
    if (!collusion && request.verdict() != v1::CollusionFlag::DISMISSED) {
      return error::FlagInvalid("verdict", "must be COLLUSION or DISMISSED");
    }
    if (collusion != request.has_since_time()) {
      return error::FlagInvalid("since_time", "required for COLLUSION, unset for DISMISSED");
    }
    TAROT_ASSIGN_OR_RETURN(const std::optional<Flag> flag, store_.GetFlag(id));
    if (!flag) return error::FlagNotFound();
    if (flag->judgement) return error::AlreadyJudged();
    std::uint32_t count = 0;
    // The verdict is stored last. If this call fails before that, the operator can judge again.
    // Matches that are void already stay void.
    for (const PlayerId player : {flag->first, flag->second}) {
      if (!collusion) break;
      const absl::StatusOr<std::uint32_t> voided =
          VoidPlayerSince(absl::StrCat("players/", player.ToString()), request.since_time(),
                          operator_name, request.why());
      if (voided.ok()) count += *voided;
      const std::string reason = GetErrorDetails(voided.status()).reason;
      const bool nothing_left = reason == "ALREADY_VOIDED" || reason == "MATCH_NOT_FOUND";
      if (!voided.ok() && !nothing_left) return voided.status();
    }
    TAROT_ASSIGN_OR_RETURN(
        const bool judged,
        store_.Judge(id, {.verdict = collusion ? Verdict::kCollusion : Verdict::kDismissed,
                          .operator_name = operator_name,
                          .why = request.why()}));
    return judged ? absl::StatusOr<std::uint32_t>(count) : error::AlreadyJudged();
  }

  AuditLog& audit_;
  AdminStore& store_;
  Upstreams& upstreams_;
  Clock& clock_;
  Scheduler& scheduler_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAdminService(AuditLog& audit, AdminStore& store,
                                                Upstreams& upstreams, Clock& clock,
                                                Scheduler& scheduler, rpc::Dispatcher& dispatcher) {
  return std::make_unique<AdminServiceHandler>(audit, store, upstreams, clock, scheduler,
                                               dispatcher);
}

}  // namespace tarot::admin_service
