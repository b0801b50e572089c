#include "tools/cli/records.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/table_view.h"

namespace tarot::tarotctl {
namespace {

absl::StatusOr<std::string> As(const std::string& format, const rules::v1::DealRecord& record,
                               const cli::TextStyle& style) {
  if (format == "text") return RenderRecord(record, style);
  const auto document = cli::ToDocument(record);
  if (!document.ok()) return document.status();
  return cli::WriteRecord(document->record, format);
}

cli::ExitCode RunRecord(Context& context) {
  const std::string format = context.line().Get("format", context.json() ? "json" : "text");
  if (format != "text" && format != "json" && format != "tdn" && format != "bin") {
    return context.invocation().Fail("--format takes text, json, tdn or bin", cli::kUsage);
  }
  cli::ExitCode exit_code = cli::kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  if (format == "json") {
    context.PrintJson(*response);
    return cli::kOk;
  }
  const auto text = As(format, response->record(), context.style());
  if (!text.ok()) return context.Fail("show the deal", text.status());
  context.out() << *text;
  return cli::kOk;
}

}  // namespace

cli::Command RecordCommand() {
  return {.name = "record",
          .usage = "record TABLE/N",
          .summary = "a finished deal: hands, auction, tricks, score",
          .help =
              "  tarotctl record 5f3c2a10/1               the first deal of a recent table\n"
              "  tarotctl record TABLE/2 --format tdn     as Tarot Deal Notation, with the seed\n"
              "  tarotctl record TABLE/2 --format json    everything that the platform keeps\n"
              "  tarotctl record TABLE/2 --format bin     an archive of this one deal\n\n"
              "The text form replays the record by the rules and checks its seed. --json is\n"
              "--format json. To convert files of records, use tarot-lab record.\n",
          .options = {{"json", false}, {"format"}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunRecord)};
}

}  // namespace tarot::tarotctl
