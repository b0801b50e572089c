#include "services/rules/transport/table_service.h"

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/wire/convert.h"
#include "libs/wire/values.h"
#include "services/rules/app/errors.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/list_call.h"
#include "services/rules/transport/table_call.h"

namespace tarot::rules_service {

using rpc::Access;
using rpc::Caller;

namespace {

absl::StatusOr<TableQuery> Decode(const v1::ListTablesRequest& request) {
  TableQuery query{.show_finished = request.show_finished()};
  if (!request.player().empty()) {
    TAROT_ASSIGN_OR_RETURN(query.player, ParsePlayerName(request.player(), "player"));
  }
  TAROT_ASSIGN_OR_RETURN(query.limit, PageSize(request.page_size()));
  TAROT_ASSIGN_OR_RETURN(query.after, ParseTablePageToken(request.page_token()));
  return query;
}

absl::StatusOr<SubmitCommand> Decode(const v1::SubmitActionRequest& request) {
  SubmitCommand command{.expected_revision = request.expected_revision()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (request.expected_revision() < 0)
    return BadRequest("expected_revision", "must not be negative");
  TAROT_ASSIGN_OR_RETURN(command.action, wire::DecodeAction(request.action(), "action"));
  return command;
}

absl::StatusOr<ClaimCommand> Decode(const v1::ClaimTricksRequest& request) {
  ClaimCommand command{.expected_revision = request.expected_revision()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (request.expected_revision() < 0)
    return BadRequest("expected_revision", "must not be negative");
  return command;
}

absl::StatusOr<NonceCommand> Decode(const v1::AddNonceRequest& request) {
  NonceCommand command{.deal_number = static_cast<int>(request.deal_number()),
                       .nonce = request.nonce()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (request.nonce().empty() || request.nonce().size() > dealing::kNonceBytesMax) {
    return BadRequest("nonce", absl::StrCat("must have 1 to ", dealing::kNonceBytesMax, " bytes"));
  }
  return command;
}

absl::StatusOr<PhraseCommand> Decode(const v1::SayPhraseRequest& request) {
  PhraseCommand command{.phrase = static_cast<Phrase>(request.phrase())};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  const bool known = v1::SaidPhrase::Phrase_IsValid(request.phrase());
  if (!known || request.phrase() == v1::SaidPhrase::PHRASE_UNSPECIFIED) {
    return BadRequest("phrase", "must be one of the set phrases");
  }
  return command;
}

absl::StatusOr<MuteCommand> Decode(const v1::MuteSeatRequest& request) {
  MuteCommand command{.muted = request.muted()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  if (!request.has_seat() || request.seat() >= rules::kPlayersMax) {
    return BadRequest("seat", "must be a seat of the table");
  }
  command.seat = static_cast<rules::Seat>(request.seat());
  return command;
}

absl::StatusOr<ProposalKind> DecodeKind(v1::Proposal::Kind kind) {
  if (!v1::Proposal::Kind_IsValid(kind) || kind == v1::Proposal::KIND_UNSPECIFIED) {
    return BadRequest("kind", "must be TAKE_BACK or BREAK");
  }
  return static_cast<ProposalKind>(kind);
}

absl::StatusOr<ProposeCommand> Decode(const v1::ProposeRequest& request) {
  ProposeCommand command;
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  TAROT_ASSIGN_OR_RETURN(command.kind, DecodeKind(request.kind()));
  if (request.has_expected_revision()) command.expected_revision = request.expected_revision();
  return command;
}

absl::StatusOr<AnswerCommand> Decode(const v1::AnswerProposalRequest& request) {
  AnswerCommand command{.proposal_revision = request.proposal_revision(),
                        .agrees = request.agree()};
  TAROT_ASSIGN_OR_RETURN(command.request, ParseRequestId(request.request_id(), "request_id"));
  return command;
}

// Returns a callback that writes the table into field 1 of `response` and then ends the call.
TableService::Done Answer(TableViews& views, grpc::ByteBuffer* response,
                          rpc::Dispatcher::Finish finish) {
  return
      [&views, response, finish = std::move(finish)](const absl::StatusOr<SeatView>& view) mutable {
        if (view.ok()) *response = views.Of(view->state)->Response(view->viewer);
        finish(view.status());
      };
}

// Returns a function that answers a SubmitAction for a table that this replica hosts.
auto SubmitHere(TableService& tables, TableViews& views, grpc::ByteBuffer* response) {
  return [&tables, &views, response](const RequestContext& call,
                                     const v1::SubmitActionRequest& message,
                                     rpc::Dispatcher::Finish finish) {
    const absl::StatusOr<SubmitCommand> command = Decode(message);
    if (!command.ok()) return finish(command.status());
    tables.Submit(call, *command, Answer(views, response, std::move(finish)));
  };
}

}  // namespace

grpc::ServerUnaryReactor* GrpcTableService::GetTable(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::GetTableRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/GetTable", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::GetTableRequest&,
                       rpc::Dispatcher::Finish finish) {
        const auto answer = [response](const absl::StatusOr<TableView>& view,
                                       rpc::Dispatcher::Finish done) {
          if (!view.ok()) return done(view.status());
          v1::GetTableResponse message;
          EncodeTable(*view, message.mutable_table());
          *response = Bytes(message);
          done(absl::OkStatus());
        };
        if (const auto view = tables_.GetFromMemory(call)) return answer(*view, std::move(finish));
        const SlotHolder reader = rpc::HolderOf(call.caller.player, call.network);
        if (read_slots_.Acquire(reader) != SlotAnswer::kTaken) return finish(TooManyReads());
        const auto later = std::make_shared<rpc::Dispatcher::Finish>(
            [this, reader, finish = std::move(finish)](const absl::Status& status) mutable {
              read_slots_.Release(reader);
              finish(status);
            });
        tables_.CheckExists(call.table, [=, this](const absl::Status& exists) {
          if (!exists.ok()) return (*later)(exists);
          const bool runs = list_dispatcher_.workers().TryRun([this, call, later, answer] {
            const absl::Status may_run = list_dispatcher_.MayRun();
            if (!may_run.ok()) return (*later)(may_run);
            answer(tables_.Get(call), std::move(*later));
          });
          if (!runs) (*later)(Overloaded());
        });
      });
}

absl::Status GrpcTableService::ListHere(const TableQuery& query, PlayerId caller,
                                        v1::ListTablesResponse* response) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<TableKey> keys, store_.ListTables(query));
  std::vector<TableId> tables;
  for (const TableKey& key : keys) tables.push_back(key.table);
  TAROT_ASSIGN_OR_RETURN(const std::vector<TableSummary> summaries, store_.LoadSummaries(tables));
  for (const TableSummary& summary : summaries) {
    EncodeTableSummary(summary, caller, response->add_tables());
  }
  const bool full = static_cast<int>(keys.size()) == query.limit;
  if (full) response->set_next_page_token(PageToken(keys.back()));
  return absl::OkStatus();
}

namespace {

// The order of ListTables.
using TableOrder = std::tuple<absl::Time, TableId>;

absl::StatusOr<ListPart<TableOrder, v1::Table>> TablePart(v1::ListTablesResponse response) {
  ListPart<TableOrder, v1::Table> part;
  for (v1::Table& table : *response.mutable_tables()) {
    TAROT_ASSIGN_OR_RETURN(const absl::Time time,
                           wire::DecodeTime(table.create_time(), "create_time"));
    TAROT_ASSIGN_OR_RETURN(const TableId id, ParseTableName(table.name(), "name"));
    part.rows.emplace_back(TableOrder(time, id), std::move(table));
  }
  TAROT_ASSIGN_OR_RETURN(const std::optional<TableKey> last,
                         ParseTablePageToken(response.next_page_token()));
  if (last) part.last.emplace(last->create_time, last->table);
  return part;
}

void EncodePage(ListPart<TableOrder, v1::Table> page, v1::ListTablesResponse* response) {
  for (auto& [order, table] : page.rows) *response->add_tables() = std::move(table);
  if (!page.last) return;
  const auto& [time, table] = *page.last;
  response->set_next_page_token(PageToken(TableKey{.table = table, .create_time = time}));
}

}  // namespace

grpc::ServerUnaryReactor* GrpcTableService::ListTables(grpc::CallbackServerContext* context,
                                                       const v1::ListTablesRequest* request,
                                                       v1::ListTablesResponse* response) {
  static constexpr char kMethod[] = "tarot.rules.v1.TableService/ListTables";
  if (!gatherer_.Gathers(*context)) {
    return list_dispatcher_.Unary(
        context, kMethod, Access::kPlayer, [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TableQuery query, Decode(*request));
          return ListHere(query, caller.player, response);
        });
  }
  return gatherer_.dispatcher().UnaryLater(
      context, kMethod, Access::kPlayer,
      [=, this](const Caller& caller, rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<TableQuery> query = Decode(*request);
        if (!query.ok()) return finish(query.status());
        GatherList(gatherer_, ListCallOf(*context, router_, caller, kMethod, std::nullopt),
                   *request, response, query->limit, TablePart, EncodePage, std::move(finish));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::SubmitAction(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::SubmitActionRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/SubmitAction", Access::kPlayer,
      request, response, SubmitHere(tables_, views_, response));
}

void GrpcTableService::Submit(const HostRouter::Call& call, rpc::Dispatcher::Finish finish) {
  auto here = SubmitHere(tables_, views_, &call.response);
  AnswerTableCall<v1::SubmitActionRequest>(router_, call, std::move(finish), here);
}

grpc::ServerUnaryReactor* GrpcTableService::ClaimTricks(grpc::CallbackServerContext* context,
                                                        const grpc::ByteBuffer* request,
                                                        grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::ClaimTricksRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/ClaimTricks", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::ClaimTricksRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<ClaimCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.ClaimTricks(call, *command, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::ResumeSeat(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request,
                                                       grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::ResumeSeatRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/ResumeSeat", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::ResumeSeatRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<RequestId> id = ParseRequestId(message.request_id(), "request_id");
        if (!id.ok()) return finish(id.status());
        tables_.Resume(call, *id, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::AddNonce(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::AddNonceRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/AddNonce", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::AddNonceRequest& message,
                       rpc::Dispatcher::Finish finish) {
        absl::StatusOr<NonceCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.AddNonce(call, *std::move(command), Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::SayPhrase(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::SayPhraseRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/SayPhrase", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::SayPhraseRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<PhraseCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.SayPhrase(call, *command, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::MuteSeat(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::MuteSeatRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/MuteSeat", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::MuteSeatRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<MuteCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.MuteSeat(call, *command, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::Propose(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::ProposeRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/Propose", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::ProposeRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<ProposeCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.Propose(call, *command, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::AnswerProposal(grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer* request,
                                                           grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::AnswerProposalRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/AnswerProposal", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::AnswerProposalRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<AnswerCommand> command = Decode(message);
        if (!command.ok()) return finish(command.status());
        tables_.Answer(call, *command, Answer(views_, response, std::move(finish)));
      });
}

grpc::ServerUnaryReactor* GrpcTableService::EndBreak(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return AnswerTableCall<v1::EndBreakRequest>(
      dispatcher_, router_, context, "tarot.rules.v1.TableService/EndBreak", Access::kPlayer,
      request, response,
      [this, response](const RequestContext& call, const v1::EndBreakRequest& message,
                       rpc::Dispatcher::Finish finish) {
        const absl::StatusOr<RequestId> id = ParseRequestId(message.request_id(), "request_id");
        if (!id.ok()) return finish(id.status());
        tables_.EndBreak(call, *id, Answer(views_, response, std::move(finish)));
      });
}

}  // namespace tarot::rules_service
