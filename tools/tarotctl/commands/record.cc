#include "absl/strings/str_cat.h"
#include "libs/base/status_macros.h"
#include "libs/notation/audit.h"
#include "libs/notation/record_archive.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/commands/fetch_record.h"
#include "tools/tarotctl/commands/read_records.h"
#include "tools/tarotctl/text/columns.h"
#include "tools/tarotctl/view/record_notation.h"
#include "tools/tarotctl/view/record_view.h"

namespace tarot::tarotctl {
namespace {

// As TDN, or appended to the archive `out`.
absl::Status Write(const notation::Record& record, const std::string& format, std::string& out) {
  if (format == "tdn") {
    TAROT_ASSIGN_OR_RETURN(const std::string text, notation::WriteTdn(record));
    out += text;
    return absl::OkStatus();
  }
  TAROT_ASSIGN_OR_RETURN(const std::string bytes, notation::EncodeRecord(record));
  notation::AppendToArchive(bytes, out);
  return absl::OkStatus();
}

absl::StatusOr<std::string> As(const std::string& format, const rules::v1::DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, ToDocument(record));
  std::string out;
  TAROT_RETURN_IF_ERROR(Write(document.record, format, out));
  return out;
}

// The records of a file in another form, once all of them are true.
ExitCode Convert(Context& context, const std::string& path, const std::string& format) {
  if (format != "tdn" && format != "bin") {
    context.err() << "tarotctl: with --file, --format takes tdn or bin\n";
    return kUsage;
  }
  const auto documents = ReadRecords(path);
  if (!documents.ok()) return FailFile(context, path, documents.status());
  std::string problem;
  std::string out;
  for (std::size_t i = 0; problem.empty() && i < documents->size(); ++i) {
    const notation::Document& document = (*documents)[i];
    problem = notation::Untruth(document);
    if (problem.empty()) problem = std::string(Write(document.record, format, out).message());
    if (!problem.empty()) problem = absl::StrCat("record ", i + 1, ": ", problem);
  }
  if (!problem.empty()) return FailFile(context, path, absl::FailedPreconditionError(problem));
  context.out() << out;
  return kOk;
}

ExitCode RunRecord(Context& context) {
  const CommandLine& line = context.line();
  const bool file = line.Has("file");
  const std::string format = line.Get("format", context.json() ? "json" : file ? "tdn" : "text");
  if (line.words.size() + (file ? 1 : 0) != 1) {
    context.err() << "tarotctl: record takes TABLE/N or --file FILE\n";
    return kUsage;
  }
  if (file) return Convert(context, line.Get("file"), format);
  if (format != "text" && format != "json" && format != "tdn" && format != "bin") {
    context.err() << "tarotctl: --format takes text, json, tdn or bin\n";
    return kUsage;
  }
  ExitCode exit_code = kOk;
  const auto response = FetchRecord(context, context.line().words[0], exit_code);
  if (!response) return exit_code;
  if (format == "json") {
    context.PrintJson(*response);
    return kOk;
  }
  const auto text = format == "text" ? RenderRecord(response->record(), context.style())
                                     : As(format, response->record());
  if (!text.ok()) return context.Fail("show the deal", text.status());
  context.out() << *text;
  return kOk;
}

}  // namespace

Command RecordCommand() {
  return {
      .name = "record",
      .usage = "record TABLE/N",
      .summary = "a finished deal: hands, auction, tricks, score",
      .help =
          "  tarotctl record 5f3c2a10/1                 the first deal of a recent table\n"
          "  tarotctl record TABLE/2 --format tdn       as Tarot Deal Notation, seed included\n"
          "  tarotctl record TABLE/2 --format json      everything the platform keeps of it\n"
          "  tarotctl record TABLE/2 --format bin       an archive of that one deal\n"
          "  tarotctl record --file deals.tdn --format bin >deals.tarotrec\n"
          "                                             the records of a file in another form,\n"
          "                                             TDN or bin, if all of them are true\n\n"
          "The record is replayed by the rules, and its seed is checked. --json is --format\n"
          "json.\n",
      .options = {{"json", false}, {"format"}, {"file"}},
      .words_min = 0,
      .words_max = 1,
      .run = RunRecord};
}

}  // namespace tarot::tarotctl
