#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/commands/fetch_record.h"
#include "tools/tarotctl/commands/read_records.h"
#include "tools/tarotctl/text/columns.h"
#include "tools/tarotctl/view/record_notation.h"

namespace tarot::tarotctl {
namespace {

using Documents = absl::StatusOr<std::vector<notation::Document>>;

ExitCode Prove(Context& context, const Documents& documents, const std::string& source) {
  if (!documents.ok()) return FailFile(context, source, documents.status());
  bool all_true = true;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const notation::Document& document = (*documents)[i];
    const std::vector<notation::Check> checks = notation::Prove(document);
    context.out() << (i == 0 ? "" : "\n") << RenderProof(document.record, checks, context.style());
    all_true = all_true && notation::AllTrue(checks);
  }
  return all_true ? kOk : kFailed;
}

ExitCode RunVerify(Context& context) {
  const CommandLine& line = context.line();
  if (line.words.size() + (line.Has("file") ? 1 : 0) != 1) {
    context.err() << "tarotctl: verify takes TABLE/N or --file FILE\n";
    return kUsage;
  }
  if (line.Has("file")) return Prove(context, ReadRecords(line.Get("file")), line.Get("file"));
  ExitCode exit_code = kOk;
  const auto response = FetchRecord(context, line.words[0], exit_code);
  if (!response) return exit_code;
  const auto document = ToDocument(response->record());
  if (!document.ok()) return Prove(context, document.status(), line.words[0]);
  return Prove(context, std::vector<notation::Document>{*document}, line.words[0]);
}

}  // namespace

Command VerifyCommand() {
  return {.name = "verify",
          .usage = "verify TABLE/N",
          .summary = "prove a finished deal: seed, cards, every move, every score",
          .help =
              "  tarotctl verify 5f3c2a10/1              a deal of the platform\n"
              "  tarotctl verify --file deal.tdn         a file of TDN, JSON or an archive\n\n"
              "Everything is computed here, from the record alone. Lists each check; 1 when one\n"
              "is false or the record cannot be read. What a record does not state is no lie.\n",
          .options = {{"file"}},
          .words_min = 0,
          .words_max = 1,
          .run = RunVerify};
}

}  // namespace tarot::tarotctl
