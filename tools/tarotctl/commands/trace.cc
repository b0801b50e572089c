#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

// The line of one process about the call.
struct Hop {
  absl::Time end;  // The time of the line, when the call ended in this process.
  absl::Duration elapsed;
  google::protobuf::Struct fields;

  absl::Time start() const { return end - elapsed; }
  std::string Text(const char* name) const {
    const auto found = fields.fields().find(name);
    return found == fields.fields().end() ? "" : cli::Safe(found->second.string_value());
  }
};

// Appends the hops of the trace in `log`. Skips lines that are not JSON: a process that dies may
// leave half a line.
void AddHops(absl::string_view log, absl::string_view trace, std::vector<Hop>& hops) {
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (!absl::StrContains(line, trace)) continue;
    Hop hop;
    if (!google::protobuf::util::JsonStringToMessage(std::string(line), &hop.fields).ok()) continue;
    if (hop.Text("trace_id") != trace) continue;
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, hop.Text("time"), &hop.end, &error)) continue;
    double seconds = 0;
    (void)absl::SimpleAtod(hop.Text("seconds"), &seconds);
    hop.elapsed = absl::Seconds(seconds);
    hops.push_back(std::move(hop));
  }
}

// Returns for example ", 3.1 ms in the queue" for "0.0031", and nothing for "".
std::string Part(const std::string& seconds, absl::string_view place) {
  double value = 0;
  if (!absl::SimpleAtod(seconds, &value)) return "";
  return absl::StrFormat(", %.1f ms %s", value * 1000, place);
}

std::string Render(const Hop& hop, absl::Time start) {
  const std::string upstream = hop.Text("upstream");
  const std::string reason = hop.Text("reason");
  const std::string why = hop.Text("why");
  return absl::StrFormat("%+9.1f ms  %-12s %s\n               %s in %.1f ms%s%s%s%s\n",
                         absl::ToDoubleMilliseconds(hop.start() - start), hop.Text("service"),
                         hop.Text("method"),
                         absl::StrCat(hop.Text("code"), reason.empty() ? "" : " ", reason),
                         absl::ToDoubleMilliseconds(hop.elapsed),
                         Part(hop.Text("waited_seconds"), "before it began to work"),
                         Part(hop.Text("upstream_seconds"), absl::StrCat("in ", upstream)),
                         hop.Text("table").empty() ? "" : absl::StrCat(", ", hop.Text("table")),
                         why.empty() ? "" : absl::StrCat("\n               ", why));
}

cli::ExitCode RunTrace(const cli::Invocation& invocation) {
  const std::vector<std::string>& words = invocation.line().words;
  const std::string& trace = words[0];
  const bool digits = std::all_of(trace.begin(), trace.end(), [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c)) && !absl::ascii_isupper(c);
  });
  if (trace.size() != 32 || !digits) {
    return invocation.Fail("a trace's id has 32 hexadecimal digits, in small letters", cli::kUsage);
  }
  std::vector<Hop> hops;
  for (auto path = words.begin() + 1; path != words.end(); ++path) {
    const absl::StatusOr<std::string> log = cli::ReadFile(*path);
    if (!log.ok()) return invocation.FailFile(*path, log.status());
    AddHops(*log, trace, hops);
  }
  if (hops.empty()) {
    return invocation.Fail(absl::StrCat("no line of these files has the trace ", trace,
                                        "; only failed, slow and sampled calls write lines"),
                           cli::kNotFound);
  }
  std::stable_sort(hops.begin(), hops.end(), [](const Hop& a, const Hop& b) {
    return std::make_pair(a.start(), b.elapsed) < std::make_pair(b.start(), a.elapsed);
  });
  for (const Hop& hop : hops) invocation.out() << Render(hop, hops[0].start());
  return cli::kOk;
}

}  // namespace

cli::Command TraceCommand() {
  return {.name = "trace",
          .usage = "trace ID FILE...",
          .summary = "one call through all processes, from their log files",
          .help =
              "  tarotctl trace 4bf92f3577b34da6a3ce929d0e0e4736 var/log/*.log\n\n"
              "Prints the lines of every process about one call, in the order in which the\n"
              "processes began. The gateway sends the id of a call's trace as x-tarot-trace-id.\n"
              "Failed calls, calls over 250 ms and one in --trace_one_in calls write lines. For\n"
              "failed and for slow calls, each method of a process writes at most ten lines in\n"
              "ten seconds.\n",
          .words_min = 2,
          .words_max = 1000,
          .run = RunTrace};
}

}  // namespace tarot::tarotctl
