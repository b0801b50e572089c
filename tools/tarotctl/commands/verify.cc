#include "tools/cli/records.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunVerify(Context& context) {
  cli::ExitCode exit_code = cli::kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  const auto document = cli::ToDocument(response->record());
  if (!document.ok()) return context.Fail("read the deal", document.status());
  const std::vector<notation::Check> checks = notation::Prove(*document);
  context.out() << cli::RenderProof(document->record, checks, context.style());
  return notation::AllTrue(checks) ? cli::kOk : cli::kFailed;
}

}  // namespace

cli::Command VerifyCommand() {
  return {
      .name = "verify",
      .usage = "verify TABLE/N",
      .summary = "prove a finished deal: seed, cards, every move, every score",
      .help =
          "  tarotctl verify 5f3c2a10/1              a deal of the platform\n\n"
          "The platform only sends the record; this program computes every check from it.\n"
          "Prints each check. The exit code is 1 when a check is false or the record cannot be\n"
          "read. A check about something that the record does not state does not fail. To\n"
          "prove a file, use tarot-lab verify.\n",
      .words_min = 1,
      .words_max = 1,
      .run = WithClient(RunVerify)};
}

}  // namespace tarot::tarotctl
