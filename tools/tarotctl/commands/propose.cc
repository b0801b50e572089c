// The commands with which a player makes or answers a proposal, ends a break, or claims all tricks
// that are left.
#include <string>

#include "absl/strings/ascii.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/proposals.h"
#include "tools/tarotctl/view/table_view.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::Proposal;
using rules::v1::Table;

// Signs in and reads the table that the first word names. On an error, writes it to err, sets
// `exit_code` and returns nullopt.
std::optional<Table> ReadTable(Context& context, cli::ExitCode& exit_code) {
  const auto fail = [&](const std::string& what, const absl::Status& status) {
    exit_code = context.Fail(what, status);
    return std::nullopt;
  };
  if (const absl::Status status = context.SignIn(""); !status.ok()) return fail("sign in", status);
  const auto name = ResolveTable(context, context.line().words[0]);
  if (!name.ok()) return fail("find the table", name.status());
  rules::v1::GetTableRequest request;
  request.set_name(*name);
  auto response = context.Call(&client::Tables::GetTable, request);
  if (!response.ok()) return fail("read the table", response.status());
  return std::move(*response->mutable_table());
}

// With --json, prints the table of the answer. Without --json, says what changed since `before`.
cli::ExitCode ShowChange(Context& context, const Table& before, const Table& after) {
  if (context.json()) {
    context.PrintJson(after);
    return cli::kOk;
  }
  for (const std::string& line : DescribeProposals(before, after)) context.out() << line << "\n";
  return cli::kOk;
}

cli::ExitCode Propose(Context& context, Proposal::Kind kind, const std::string& what) {
  cli::ExitCode exit_code = cli::kOk;
  const auto table = ReadTable(context, exit_code);
  if (!table) return exit_code;
  rules::v1::ProposeRequest request;
  request.set_name(table->name());
  request.set_kind(kind);
  if (kind == Proposal::TAKE_BACK) request.set_expected_revision(table->revision());
  request.set_request_id(context.client().NewRequestId());
  const auto response = context.Call(&client::Tables::Propose, request);
  if (!response.ok()) return context.Fail(what, response.status());
  return ShowChange(context, *table, response->table());
}

cli::ExitCode RunTakeBack(Context& context) {
  return Propose(context, Proposal::TAKE_BACK, "take the card back");
}

cli::ExitCode RunBreak(Context& context) {
  if (!context.line().Has("end")) return Propose(context, Proposal::BREAK, "propose a break");
  cli::ExitCode exit_code = cli::kOk;
  const auto table = ReadTable(context, exit_code);
  if (!table) return exit_code;
  rules::v1::EndBreakRequest request;
  request.set_name(table->name());
  request.set_request_id(context.client().NewRequestId());
  const auto response = context.Call(&client::Tables::EndBreak, request);
  if (!response.ok()) return context.Fail("end the break", response.status());
  return ShowChange(context, *table, response->table());
}

cli::ExitCode RunAnswer(Context& context) {
  const std::string word = absl::AsciiStrToLower(context.line().words[1]);
  if (word != "agree" && word != "refuse") {
    context.err() << "tarotctl: the answer is agree or refuse\n";
    return cli::kUsage;
  }
  cli::ExitCode exit_code = cli::kOk;
  const auto table = ReadTable(context, exit_code);
  if (!table) return exit_code;
  if (!table->has_proposal()) {
    context.err() << "tarotctl: no proposal is open at this table\n";
    return cli::kFailed;
  }
  rules::v1::AnswerProposalRequest request;
  request.set_name(table->name());
  request.set_proposal_revision(table->proposal().revision());
  request.set_agree(word == "agree");
  request.set_request_id(context.client().NewRequestId());
  const auto response = context.Call(&client::Tables::AnswerProposal, request);
  if (!response.ok()) return context.Fail("answer the proposal", response.status());
  return ShowChange(context, *table, response->table());
}

cli::ExitCode RunClaim(Context& context) {
  cli::ExitCode exit_code = cli::kOk;
  const auto table = ReadTable(context, exit_code);
  if (!table) return exit_code;
  rules::v1::ClaimTricksRequest request;
  request.set_name(table->name());
  request.set_expected_revision(table->revision());
  request.set_request_id(context.client().NewRequestId());
  const auto response = context.Call(&client::Tables::ClaimTricks, request);
  if (!response.ok()) return context.Fail("claim the tricks", response.status());
  if (context.json()) {
    context.PrintJson(response->table());
  } else {
    context.out() << RenderDealResult(response->table(), context.style());
  }
  return cli::kOk;
}

}  // namespace

cli::Command TakeBackCommand() {
  return {.name = "takeback",
          .usage = "takeback TABLE",
          .summary = "ask the others for the card that you played last",
          .help =
              "  tarotctl takeback 5f3c2a10    until the next player acts\n\n"
              "The options of the table must allow it. In play, type takeback.\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunTakeBack)};
}

cli::Command BreakCommand() {
  return {.name = "break",
          .usage = "break TABLE",
          .summary = "ask the others for a break, or end the break",
          .help =
              "  tarotctl break 5f3c2a10          asks for a break\n"
              "  tarotctl break 5f3c2a10 --end    ends the break\n\n"
              "The options of the table must allow it. In play, type break and back.\n",
          .options = {{"end", false}, {"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunBreak)};
}

cli::Command AnswerCommand() {
  return {.name = "answer",
          .usage = "answer TABLE agree|refuse",
          .summary = "answer the proposal of another player",
          .help =
              "  tarotctl answer 5f3c2a10 agree     agrees\n"
              "  tarotctl answer 5f3c2a10 refuse    refuses; also takes your own proposal back\n",
          .options = {{"json", false}},
          .words_min = 2,
          .words_max = 2,
          .run = WithClient(RunAnswer)};
}

cli::Command ClaimCommand() {
  return {.name = "claim",
          .usage = "claim TABLE",
          .summary = "claim all tricks that are left, and show the result",
          .help =
              "  tarotctl claim 5f3c2a10    in your turn, after the first trick\n\n"
              "The server accepts the claim only if it can prove that you win every trick,\n"
              "whatever cards the others have. Otherwise it names the first trick without a\n"
              "proof. In play, type claim.\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunClaim)};
}

}  // namespace tarot::tarotctl
