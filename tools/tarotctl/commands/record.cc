#include "libs/notation/tdn.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/commands/fetch_record.h"
#include "tools/tarotctl/view/record_notation.h"
#include "tools/tarotctl/view/record_view.h"

namespace tarot::tarotctl {
namespace {

absl::StatusOr<std::string> AsTdn(const rules::v1::DealRecord& record) {
  const auto document = ToDocument(record);
  if (!document.ok()) return document.status();
  return notation::WriteTdn(document->record);
}

ExitCode RunRecord(Context& context) {
  const std::string format = context.line().Get("format", context.json() ? "json" : "text");
  if (format != "text" && format != "json" && format != "tdn") {
    context.err() << "tarotctl: --format takes text, json or tdn\n";
    return kUsage;
  }
  ExitCode exit_code = kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  if (format == "json") {
    context.PrintJson(*response);
    return kOk;
  }
  const auto text = format == "tdn" ? AsTdn(response->record())
                                    : RenderRecord(response->record(), context.style());
  if (!text.ok()) return context.Fail("show the deal", text.status());
  context.out() << *text;
  return kOk;
}

}  // namespace

Command RecordCommand() {
  return {.name = "record",
          .usage = "record TABLE/N",
          .summary = "a finished deal: hands, auction, tricks, score",
          .help =
              "  tarotctl record 5f3c2a10/1                 the first deal of a recent table\n"
              "  tarotctl record TABLE/2 --format tdn       as Tarot Deal Notation, seed included\n"
              "  tarotctl record TABLE/2 --format json      everything the platform keeps of it\n\n"
              "The record is replayed by the rules, and its seed is checked. --json is --format\n"
              "json.\n",
          .options = {{"json", false}, {"format"}},
          .words_min = 1,
          .words_max = 1,
          .run = RunRecord};
}

}  // namespace tarot::tarotctl
