#include <prometheus/registry.h>

#include <limits>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/status_macros.h"
#include "services/rules/storage/pg_table_store.h"
#include "tools/tarotctl/audit/auditor.h"
#include "tools/tarotctl/audit/files.h"
#include "tools/tarotctl/audit/history.h"
#include "tools/tarotctl/audit/progress.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

constexpr double kLookSeconds = 0.1;  // Between two looks at what was found.

// One audit: its jobs, and what it tells meanwhile.
class Audit {
 public:
  Audit(Context& context, int jobs)
      : context_(context),
        auditor_(jobs),
        start_(context.world().clock.Now()),
        progress_(context.err(), context.world().err_is_terminal, start_) {}

  void Add(Auditor::Job job) {
    auditor_.Add(std::move(job));
    Tell();
  }
  void SetShare(double share) { share_ = share; }

  // Waits for all jobs.
  void Finish() {
    while (!auditor_.Finish(kLookSeconds)) Tell();
    Tell();
    progress_.Clear();
  }

  // The last line on stdout.
  ExitCode Summary() const {
    const AuditCounts counts = auditor_.counts();
    const double seconds = absl::ToDoubleSeconds(context_.world().clock.Now() - start_);
    const double rate = seconds > 0 ? static_cast<double>(counts.records) / seconds : 0;
    context_.out() << counts.records << " records, " << counts.wrong << " wrong\n";
    context_.err() << absl::StrCat("in ", static_cast<int>(seconds * 10) / 10.0, " s, ",
                                   static_cast<long>(rate), " a second\n");
    return counts.wrong == 0 ? kOk : kFailed;
  }

 private:
  void Tell() {
    const std::vector<Wrong> found = auditor_.Take();
    if (!found.empty()) progress_.Clear();
    for (const Wrong& wrong : found) {
      context_.out() << Safe(absl::StrCat(wrong.name, ": ", wrong.why)) << "\n";
    }
    const AuditCounts counts = auditor_.counts();
    progress_.Show(context_.world().clock.Now(), share_, counts.records, counts.wrong);
  }

  Context& context_;
  Auditor auditor_;
  const absl::Time start_;
  Progress progress_;
  double share_ = 0;
};

ExitCode AuditFiles(Context& context, int jobs) {
  const auto files = FindAuditFiles(context.line().words);
  if (!files.ok()) {
    context.err() << "tarotctl: " << Safe(files.status().message()) << "\n";
    return ExitCodeFor(files.status());
  }
  double total = 0, done = 0;
  for (const AuditFile& file : *files) total += static_cast<double>(file.bytes);
  Audit audit(context, jobs);
  for (const AuditFile& file : *files) {
    AddFile(file.path, [&](Auditor::Job job) { audit.Add(std::move(job)); });
    done += static_cast<double>(file.bytes);
    audit.SetShare(total > 0 ? done / total : 1);
  }
  audit.Finish();
  return audit.Summary();
}

ExitCode AuditPostgres(Context& context, int jobs) {
  prometheus::Registry registry;
  pg::Pool pool({.dsn = context.line().Get("dsn"),
                 .connections = jobs + 1,
                 .lease_wait_max = absl::Seconds(30),
                 .statement_timeout = absl::Seconds(60),
                 .application_name = "tarotctl-audit",
                 .session_sql = "SET default_transaction_read_only = on"},
                rules_service::PgTableStore::Statements(), registry);
  rules_service::PgTableStore store(pool, pool);
  Audit audit(context, jobs);
  const absl::Status listed =
      AddHistory(store, [&](Auditor::Job job) { audit.Add(std::move(job)); });
  audit.Finish();
  if (listed.ok()) return audit.Summary();
  context.err() << "tarotctl: cannot read the history: " << Safe(listed.message()) << "\n";
  return ExitCodeFor(listed);
}

ExitCode RunAudit(Context& context) {
  const CommandLine& line = context.line();
  int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (line.Has("jobs") && (!absl::SimpleAtoi(line.Get("jobs"), &jobs) || jobs < 1 || jobs > 256)) {
    context.err() << "tarotctl: --jobs takes 1 to 256\n";
    return kUsage;
  }
  if (line.Has("dsn") != line.words.empty()) {
    context.err() << "tarotctl: audit takes files and directories, or --dsn\n"
                     "See: tarotctl audit --help\n";
    return kUsage;
  }
  return line.Has("dsn") ? AuditPostgres(context, jobs) : AuditFiles(context, jobs);
}

}  // namespace

Command AuditCommand() {
  return {
      .name = "audit",
      .usage = "audit PATH...",
      .summary = "prove every record of a history: files, or Postgres",
      .help =
          "  tarotctl audit deals.tdn history.tarotrec       files of records, TDN or binary\n"
          "  tarotctl audit /var/backups/tarot               every such file below a directory\n"
          "  tarotctl audit --dsn 'host=… dbname=tarot user=tarot_rules'   what a rules service\n"
          "                                                  keeps: each match, replayed whole\n"
          "  tarotctl audit --dsn \"$(tools/dev dsn)\"         of the platform started here\n\n"
          "--jobs N   threads, and connections to Postgres; as many as cores by default\n\n"
          "Each record is replayed and scored by the rules, its seed dealt again; in Postgres the\n"
          "totals of a match must be the sum of its deals. A wrong one is a line: where it is,\n"
          "and why. The last line is \"N records, M wrong\"; exit code 1 when any is wrong or\n"
          "cannot be read, 5 when a path is none, 3 when Postgres does not answer. How far it is\n"
          "goes to stderr: a bar on a terminal, a line every ten seconds elsewhere. Postgres is\n"
          "only read.\n",
      .options = {{"dsn"}, {"jobs"}},
      .words_min = 0,
      .words_max = std::numeric_limits<std::size_t>::max(),
      .run = RunAudit};
}

}  // namespace tarot::tarotctl
