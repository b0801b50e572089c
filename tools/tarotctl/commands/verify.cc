#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/records.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

// `deal` has the form tables/{table}/deals/{number}. Returns the name of the deal before it.
std::string DealBefore(const std::string& deal) {
  const std::size_t slash = deal.rfind('/');
  int number = 0;
  (void)absl::SimpleAtoi(deal.substr(slash + 1), &number);
  return absl::StrCat(deal.substr(0, slash + 1), number - 1);
}

cli::ExitCode RunVerify(Context& context) {
  cli::ExitCode exit_code = cli::kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  const auto document = cli::ToDocument(response->record());
  if (!document.ok()) return context.Fail("read the deal", document.status());
  std::vector<notation::Check> checks = notation::Prove(*document);
  if (notation::ProveGathered(nullptr, *document)) {
    rules::v1::GetRecordRequest request;
    request.set_name(DealBefore(response->record().name()));
    const auto before = context.Call(&client::Records::GetRecord, request);
    // The server gives no record of a deal without a score until the match is over.
    const absl::StatusOr<notation::Document> deal_before =
        before.ok() ? cli::ToDocument(before->record())
                    : absl::StatusOr<notation::Document>(before.status());
    if (!deal_before.ok()) {
      context.err() << "The deal before cannot be read: "
                    << cli::Safe(deal_before.status().message()) << "\n";
    }
    checks.push_back(
        *notation::ProveGathered(deal_before.ok() ? &*deal_before : nullptr, *document));
  }
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
          "read. A check about something that the record does not state does not fail. If\n"
          "the rules do not shuffle the pack, the command also reads the deal before. To\n"
          "prove a file, use tarot-lab verify.\n",
      .words_min = 1,
      .words_max = 1,
      .run = WithClient(RunVerify)};
}

}  // namespace tarot::tarotctl
