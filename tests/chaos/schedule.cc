#include "tests/chaos/schedule.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/rng.h"

namespace tarot::chaos {
namespace {

// The properties of a kind of fault: its name, its shortest and longest time in milliseconds, and
// the kind of target that it hits.
struct Shape {
  const char* name;
  int length_min_ms, length_max_ms;
  enum Target { kProcess, kPair, kPostgres, kStorer, kGateway } target;
  bool alone;  // True if the fault ends a process or Postgres, and starts it again.
};
constexpr Shape kShapes[kFaultKinds] = {
    {"kill", 100, 3000, Shape::kProcess, true},
    {"term", 100, 2000, Shape::kProcess, true},
    {"stop", 1000, 8000, Shape::kProcess, false},
    {"clock", 2000, 10000, Shape::kProcess, false},
    {"partition", 1000, 8000, Shape::kPair, false},
    {"isolate", 1000, 8000, Shape::kProcess, false},
    {"no-postgres", 1000, 8000, Shape::kStorer, false},
    {"players", 1000, 8000, Shape::kGateway, false},
    {"loss", 1000, 8000, Shape::kProcess, false},
    {"delay", 1000, 8000, Shape::kProcess, false},
    {"pg-kill", 100, 2000, Shape::kPostgres, true},
    {"pg-restart", 100, 2000, Shape::kPostgres, true},
    {"pg-immediate", 100, 2000, Shape::kPostgres, true},
    {"pg-terminate", 100, 100, Shape::kPostgres, false},
    {"pg-cut", 200, 1000, Shape::kPostgres, false},
    {"pg-delay", 1000, 6000, Shape::kPostgres, false},
    {"pg-freeze", 500, 5000, Shape::kPostgres, false},
};

const Shape& ShapeOf(FaultKind kind) { return kShapes[static_cast<std::size_t>(kind)]; }

absl::Duration Between(Rng& rng, int min_ms, int max_ms) {
  return absl::Milliseconds(min_ms + rng.Below(max_ms - min_ms + 1));
}

template <typename Items>
const auto& OneOf(Rng& rng, const Items& items) {
  return items[static_cast<std::size_t>(rng.Below(static_cast<int>(items.size())))];
}

bool Fits(Shape::Target target, const std::string& process) {
  const bool gateway = process.rfind("gateway", 0) == 0;
  if (target == Shape::kGateway) return gateway;
  const bool stores = !gateway && process.rfind("bot", 0) != 0;
  return stores || target != Shape::kStorer;
}

void ChooseTarget(Rng& rng, const std::vector<std::string>& processes, Fault& fault) {
  const Shape::Target target = ShapeOf(fault.kind).target;
  if (target == Shape::kPostgres) return;
  do {
    fault.target = OneOf(rng, processes);
  } while (!Fits(target, fault.target));
  if (target != Shape::kPair) return;
  do {
    fault.other = OneOf(rng, processes);
  } while (fault.other == fault.target);
}

absl::Duration ChooseSize(Rng& rng, FaultKind kind) {
  if (kind == FaultKind::kPgDelay) return Between(rng, 5, 150);
  if (kind == FaultKind::kDelay) return Between(rng, 5, 300);
  if (kind != FaultKind::kClock) return absl::ZeroDuration();
  const absl::Duration size =
      OneOf(rng, std::vector<absl::Duration>{absl::Seconds(1), absl::Seconds(20), absl::Hours(1)});
  return rng.Below(2) == 0 ? size : -size;
}

}  // namespace

const char* NameOf(FaultKind kind) { return ShapeOf(kind).name; }

std::vector<Fault> MakeSchedule(const ScheduleOptions& options) {
  Rng rng(options.seed);
  std::vector<Fault> faults;
  absl::Duration start = absl::Seconds(2);
  absl::Duration all_over;  // The time at which all faults chosen so far are over.
  bool may_overlap = false;
  while (true) {
    Fault fault{.kind = OneOf(rng, options.kinds)};
    const Shape& shape = ShapeOf(fault.kind);
    ChooseTarget(rng, options.processes, fault);
    fault.length = Between(rng, shape.length_min_ms, shape.length_max_ms);
    fault.size = ChooseSize(rng, fault.kind);
    if (fault.kind == FaultKind::kLoss) fault.percent = 1 + rng.Below(25);
    if (shape.alone || !may_overlap) start = std::max(start, all_over + absl::Milliseconds(500));
    fault.start = start;
    if (fault.end() > options.duration) return faults;
    all_over = std::max(all_over, fault.end());
    may_overlap = !shape.alone;
    start += Between(rng, 500, 6000);
    faults.push_back(std::move(fault));
  }
}

std::string Text(const Fault& fault) {
  std::string text = absl::StrFormat("at %.1f s for %.1f s: %s", absl::ToDoubleSeconds(fault.start),
                                     absl::ToDoubleSeconds(fault.length), NameOf(fault.kind));
  if (!fault.target.empty()) absl::StrAppend(&text, " ", fault.target);
  if (!fault.other.empty()) absl::StrAppend(&text, " from ", fault.other);
  if (fault.size != absl::ZeroDuration()) {
    absl::StrAppend(&text, " by ", absl::FormatDuration(fault.size));
  }
  if (fault.percent != 0) absl::StrAppend(&text, ", ", fault.percent, " % of packets");
  return text;
}

}  // namespace tarot::chaos
