#include "tools/cli/records.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

cli::ExitCode RunVerify(const cli::Invocation& run) {
  const std::string& path = run.line().words[0];
  const auto documents = cli::ReadRecords(path);
  if (!documents.ok()) return run.FailFile(path, documents.status());
  bool all_true = true;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const notation::Document& document = (*documents)[i];
    const std::vector<notation::Check> checks = notation::Prove(document);
    run.out() << (i == 0 ? "" : "\n") << cli::RenderProof(document.record, checks, run.style());
    all_true = all_true && notation::AllTrue(checks);
  }
  return all_true ? cli::kOk : cli::kFailed;
}

}  // namespace

cli::Command VerifyCommand() {
  return {.name = "verify",
          .usage = "verify FILE",
          .summary = "prove the records of a file: seed, cards, every move, every score",
          .help =
              "  tarot-lab verify deal.tdn           TDN, JSON or an archive\n\n"
              "Prints each check. The exit code is 1 when a check is false or the file cannot be\n"
              "read. A check about something that the record does not state does not fail.\n",
          .words_min = 1,
          .words_max = 1,
          .run = RunVerify};
}

}  // namespace tarot::lab
