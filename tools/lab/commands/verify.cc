#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/records.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

// Returns whether `before` is the deal just before `after` at the same table. Record::site has the
// form tables/{table}/deals/{number}.
bool Follows(const notation::Record& before, const notation::Record& after) {
  const std::size_t slash = after.site.rfind('/');
  int number = 0;
  return slash != std::string::npos && absl::SimpleAtoi(after.site.substr(slash + 1), &number) &&
         before.site == absl::StrCat(after.site.substr(0, slash + 1), number - 1);
}

cli::ExitCode RunVerify(const cli::Invocation& run) {
  const std::string& path = run.line().words[0];
  const auto documents = cli::ReadRecords(path);
  if (!documents.ok()) return run.FailFile(path, documents.status());
  bool all_true = true;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const notation::Document& document = (*documents)[i];
    std::vector<notation::Check> checks = notation::Prove(document);
    const bool follows = i > 0 && Follows((*documents)[i - 1].record, document.record);
    const auto gathered =
        notation::ProveGathered(follows ? &(*documents)[i - 1] : nullptr, document);
    if (gathered) checks.push_back(*gathered);
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
              "read. A check about something that the record does not state does not fail. If the\n"
              "record before is the deal before at the same table, a gathered pack is compared\n"
              "with it.\n",
          .words_min = 1,
          .words_max = 1,
          .run = RunVerify};
}

}  // namespace tarot::lab
