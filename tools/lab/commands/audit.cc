#include "tools/lab/audit/audit.h"

#include <limits>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

constexpr double kLookSeconds = 0.1;  // The interval at which Audit prints new results.

class Audit {
 public:
  Audit(const cli::Invocation& run, int jobs)
      : run_(run),
        auditor_(jobs),
        start_(run.environment().clock.Now()),
        progress_(run.err(), run.environment().err_is_terminal, start_) {}

  void Add(Auditor::Job job) {
    auditor_.Add(std::move(job));
    Tell();
  }
  void SetShare(double share) { share_ = share; }

  void Finish() {
    while (!auditor_.Finish(kLookSeconds)) Tell();
    Tell();
    progress_.Clear();
  }

  // Prints the totals and returns the exit code.
  cli::ExitCode Summary() const {
    const RecordAuditCounts counts = auditor_.counts();
    const double seconds = absl::ToDoubleSeconds(run_.environment().clock.Now() - start_);
    const double rate = seconds > 0 ? static_cast<double>(counts.records) / seconds : 0;
    run_.out() << counts.records << " records, " << counts.wrong << " wrong\n";
    run_.err() << absl::StrCat("in ", static_cast<int>(seconds * 10) / 10.0, " s, ",
                               static_cast<long>(rate), " a second\n");
    return counts.wrong == 0 ? cli::kOk : cli::kFailed;
  }

 private:
  void Tell() {
    const std::vector<Wrong> found = auditor_.Take();
    if (!found.empty()) progress_.Clear();
    for (const Wrong& wrong : found) {
      run_.out() << cli::Safe(absl::StrCat(wrong.name, ": ", wrong.why)) << "\n";
    }
    const RecordAuditCounts counts = auditor_.counts();
    progress_.Show(run_.environment().clock.Now(), share_, counts.records, counts.wrong);
  }

  const cli::Invocation& run_;
  Auditor auditor_;
  const absl::Time start_;
  Progress progress_;
  double share_ = 0;
};

cli::ExitCode AuditFiles(const cli::Invocation& run, int jobs) {
  const auto files = FindAuditFiles(run.line().words);
  if (!files.ok()) {
    run.err() << "tarot-lab: " << cli::Safe(files.status().message()) << "\n";
    return cli::ExitCodeFor(files.status());
  }
  double total = 0, done = 0;
  for (const AuditFile& file : *files) total += static_cast<double>(file.bytes);
  Audit audit(run, jobs);
  for (const AuditFile& file : *files) {
    AddFile(file.path, [&](Auditor::Job job) { audit.Add(std::move(job)); });
    done += static_cast<double>(file.bytes);
    audit.SetShare(total > 0 ? done / total : 1);
  }
  audit.Finish();
  return audit.Summary();
}

cli::ExitCode RunAudit(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (line.Has("jobs") && (!absl::SimpleAtoi(line.Get("jobs"), &jobs) || jobs < 1 || jobs > 256)) {
    run.err() << "tarot-lab: --jobs takes 1 to 256\n";
    return cli::kUsage;
  }
  return AuditFiles(run, jobs);
}

}  // namespace

cli::Command AuditCommand() {
  return {
      .name = "audit",
      .usage = "audit PATH...",
      .summary = "prove every record of files and directories",
      .help =
          "  tarot-lab audit deals.tdn history.tarotrec      files of TDN, JSON or archives\n"
          "  tarot-lab audit /var/backups/tarot              every such file below a directory\n\n"
          "--jobs N   number of threads; by default one for each core\n\n"
          "Replays and scores each record by the rules and deals its seed again. Prints a line "
          "for\n"
          "each wrong record: where it is, and why. The last line is \"N records, M wrong\". The "
          "exit\n"
          "code is 1 when a record is wrong or cannot be read, 5 when a path does not exist. "
          "Progress\n"
          "goes to stderr: a bar on a terminal, otherwise a line every ten seconds. To audit the\n"
          "tables of a rules service, use tarot-rules-audit.\n",
      .options = {{"jobs"}},
      .words_min = 1,
      .words_max = std::numeric_limits<std::size_t>::max(),
      .run = RunAudit};
}

}  // namespace tarot::lab
