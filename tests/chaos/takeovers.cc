#include "tests/chaos/takeovers.h"

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tarot::chaos {
namespace {

constexpr char kSeries[] = "tarot_rules_tables_taken_up_total ";

// Returns the counter of acquired tables of a process, or nullopt if the process does not answer.
std::optional<long> Read(const std::string& address) {
  FILE* const pipe = popen(absl::StrCat("curl -s -m 1 http://", address, "/metrics").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::optional<long> value;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    absl::string_view text(line);
    double number = 0;
    if (absl::ConsumePrefix(&text, kSeries) && absl::SimpleAtod(text, &number)) {
      value = static_cast<long>(number);
    }
  }
  pclose(pipe);
  return value;
}

}  // namespace

void Takeovers::Look() {
  for (const std::string& process : cluster_.Replicas("rules")) {
    const std::optional<long> now = Read(cluster_.MetricsAddressOf(process));
    if (!now) continue;
    long& seen = seen_[process];
    sum_ += *now >= seen ? *now - seen : *now;
    seen = *now;
  }
}

}  // namespace tarot::chaos
