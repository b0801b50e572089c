#include "libs/obs/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

// The build generates a source file that defines this symbol, and links it into every program
// (tools/cmake/TarotTargets.cmake). So a new commit recompiles only the generated file. Tests do
// not define the symbol.
extern "C" __attribute__((weak)) const char tarot_commit[];

namespace tarot::obs {

absl::string_view Version() { return TAROT_VERSION; }

absl::string_view Commit() {
  const char* const commit = tarot_commit;
  return commit == nullptr ? "unknown" : commit;
}

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double Number(absl::string_view text) {
  double number = 0;
  return absl::SimpleAtod(text, &number) ? number : 0;
}

// Returns the fields of /proc/self/stat that follow the name of the program; the name may contain
// any character. Element i is the field with number i + 3 in proc(5).
std::vector<std::string> StatFields() {
  const std::string stat = ReadFile("/proc/self/stat");
  std::vector<std::string> fields = absl::StrSplit(
      absl::StripAsciiWhitespace(absl::string_view(stat).substr(stat.rfind(')') + 1)), ' ');
  fields.resize(50);
  return fields;
}

// The time at which the machine started, in seconds since 1970.
double BootTime() {
  const std::string stat = ReadFile("/proc/stat");
  for (const absl::string_view line : absl::StrSplit(stat, '\n')) {
    const std::pair<absl::string_view, absl::string_view> row =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (row.first == "btime") return Number(row.second);
  }
  return 0;
}

double OpenDescriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  double count = 0;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return count - 1;  // The loop also counts the descriptor with which it reads the directory.
}

}  // namespace

double MemoryLimit(const std::string& root, absl::string_view cgroups, double machine) {
  double limit = machine;
  for (absl::string_view line : absl::StrSplit(cgroups, '\n')) {
    // The line of cgroup v2 is "0::PATH".
    if (!absl::ConsumePrefix(&line, "0::")) continue;
    std::filesystem::path group = root + std::string(line);
    for (; group.native().size() >= root.size(); group = group.parent_path()) {
      double own = 0;  // The file has a number of bytes, or "max".
      if (absl::SimpleAtod(absl::StripAsciiWhitespace(ReadFile(group / "memory.max")), &own)) {
        limit = std::min(limit, own);
      }
    }
  }
  return limit;
}

namespace {

MetricFamily Family(const char* name, const char* help, MetricType type, double value) {
  ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {.name = name, .help = help, .type = type, .metric = {std::move(metric)}};
}

}  // namespace

std::vector<MetricFamily> ProcessMetrics::Collect() const {
  const std::vector<std::string> stat = StatFields();
  const double tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  MetricFamily build =
      Family("tarot_build_info", "Always 1, with version and commit.", MetricType::Gauge, 1);
  build.metric[0].label = {{"version", std::string(Version())}, {"commit", std::string(Commit())}};
  return {
      std::move(build),
      Family("process_cpu_seconds_total", "CPU time of this process, user and system.",
             MetricType::Counter, (Number(stat[11]) + Number(stat[12])) / tick),
      Family("process_resident_memory_bytes", "Memory of this process in RAM.", MetricType::Gauge,
             Number(stat[21]) * static_cast<double>(::sysconf(_SC_PAGESIZE))),
      Family("process_memory_limit_bytes",
             "Memory that the cgroups of this process, or else the machine, allow.",
             MetricType::Gauge,
             MemoryLimit("/sys/fs/cgroup", ReadFile("/proc/self/cgroup"),
                         static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(::sysconf(_SC_PAGESIZE)))),
      Family("process_virtual_memory_bytes", "Address space of this process.", MetricType::Gauge,
             Number(stat[20])),
      Family("process_start_time_seconds", "Start of this process, in seconds since 1970.",
             MetricType::Gauge, BootTime() + Number(stat[19]) / tick),
      Family("process_open_fds", "Open file descriptors.", MetricType::Gauge, OpenDescriptors()),
      Family("process_max_fds", "The most file descriptors that this process may open.",
             MetricType::Gauge, static_cast<double>(descriptors.rlim_cur)),
      Family("process_threads", "Threads of this process.", MetricType::Gauge, Number(stat[17])),
  };
}

}  // namespace tarot::obs
