#include "absl/strings/str_cat.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "tools/cli/records.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

// Appends `record` to `out` in the form `format`.
absl::Status Append(const notation::Record& record, const std::string& format, std::string& out) {
  if (format == "tdn") {
    const auto text = notation::WriteTdn(record);
    if (text.ok()) out += *text;
    return text.status();
  }
  const auto bytes = notation::EncodeRecord(record);
  if (bytes.ok()) notation::AppendToArchive(*bytes, out);
  return bytes.status();
}

cli::ExitCode RunRecord(const cli::Invocation& run) {
  const std::string format = run.line().Get("format", "tdn");
  if (format != "tdn" && format != "bin") {
    return run.Fail("--format takes tdn or bin", cli::kUsage);
  }
  const std::string& path = run.line().words[0];
  const auto documents = cli::ReadRecords(path);
  if (!documents.ok()) return run.FailFile(path, documents.status());
  std::string out;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const notation::Document& document = (*documents)[i];
    std::string problem = notation::Untruth(document);
    if (problem.empty()) problem = std::string(Append(document.record, format, out).message());
    if (problem.empty()) continue;
    return run.FailFile(
        path, absl::FailedPreconditionError(absl::StrCat("record ", i + 1, ": ", problem)));
  }
  run.out() << out;
  return cli::kOk;
}

}  // namespace

cli::Command RecordCommand() {
  return {.name = "record",
          .usage = "record FILE",
          .summary = "convert the records of a file",
          .help =
              "  tarot-lab record deals.json                              as TDN\n"
              "  tarot-lab record deals.tdn --format bin >deals.tarotrec  as an archive\n\n"
              "Reads TDN, JSON or an archive. Writes nothing unless every record is true.\n",
          .options = {{"format"}},
          .words_min = 1,
          .words_max = 1,
          .run = RunRecord};
}

}  // namespace tarot::lab
