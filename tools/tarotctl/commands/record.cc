#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/commands/names.h"
#include "tools/tarotctl/view/record_view.h"

namespace tarot::tarotctl {
namespace {

ExitCode RunRecord(Context& context) {
  // TABLE/N, or the record's own name tables/TABLE/deals/N.
  const std::string typed = absl::StrReplaceAll(context.line().words[0], {{"/deals/", "/"}});
  const std::size_t slash = typed.rfind('/');
  int number = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(typed.substr(slash + 1), &number) ||
      number < 1) {
    context.err() << "tarotctl: a deal is TABLE/N, for instance 5f3c2a10-…/1\n";
    return kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto table = ResolveTable(context, typed.substr(0, slash));
  if (!table.ok()) return context.Fail("find the table", table.status());
  rules::v1::GetRecordRequest request;
  request.set_name(absl::StrCat(*table, "/deals/", number));
  const auto response = context.Call(&client::Records::GetRecord, request);
  if (!response.ok()) return context.Fail("read the deal", response.status());
  if (context.json()) {
    context.PrintJson(*response);
    return kOk;
  }
  const auto text = RenderRecord(response->record(), context.style());
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
              "  tarotctl record 5f3c2a10/1          the first deal of a recent table\n"
              "  tarotctl record TABLE/2 --json      everything, seed included\n\n"
              "The record is replayed by the rules, and its seed is checked.\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = RunRecord};
}

}  // namespace tarot::tarotctl
