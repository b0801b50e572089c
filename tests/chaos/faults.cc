#include "tests/chaos/faults.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "tests/chaos/interrupt.h"

namespace tarot::chaos {
namespace {

// The time that a process has to stop after SIGTERM.
constexpr absl::Duration kGrace = absl::Seconds(20);

}  // namespace

void Faults::Run(const std::vector<Fault>& schedule, const std::function<bool()>& stop) {
  struct Step {
    absl::Duration at;
    const Fault* fault;
    bool begins;
  };
  std::vector<Step> steps;
  for (const Fault& fault : schedule) {
    steps.push_back({fault.start, &fault, true});
    steps.push_back({fault.end(), &fault, false});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.at < b.at; });
  auto start = std::chrono::steady_clock::now();
  for (const Step& step : steps) {
    const auto waited = std::chrono::steady_clock::now() - start;
    SleepUnless(step.at - absl::FromChrono(waited), stop);
    if (stop()) return;
    const auto before = std::chrono::steady_clock::now();
    if (step.begins) {
      Tell(*step.fault, load::Event::Kind::kFault);
      Begin(*step.fault);
    } else {
      End(*step.fault);
      Tell(*step.fault, load::Event::Kind::kHealed);
    }
    // If a process is slow to stop or start, all later faults begin later too.
    start += std::chrono::steady_clock::now() - before;
  }
}

void Faults::Tell(const Fault& fault, load::Event::Kind kind) {
  std::string what = NameOf(fault.kind);
  if (!fault.target.empty()) absl::StrAppend(&what, "/", fault.target);
  if (!fault.other.empty()) absl::StrAppend(&what, "/", fault.other);
  const bool begins = kind == load::Event::Kind::kFault;
  std::fprintf(stderr, "  %s %s\n", begins ? "fault " : "healed", what.c_str());
  history_.Write({.kind = kind, .time_us = load::NowMicros(), .text = what});
}

void Faults::Begin(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kKill:
      cluster_.Kill(fault.target, SIGKILL);
      return;
    case FaultKind::kTerm:
      return Term(fault.target);
    case FaultKind::kStop:
      return cluster_.Signal(fault.target, SIGSTOP);
    case FaultKind::kClock:
      return surroundings_.SetClock(fault.target, absl::ToInt64Nanoseconds(fault.size));
    case FaultKind::kPartition:
      return network_->Cut(fault.target, fault.other);
    case FaultKind::kIsolate:
      return Isolate(fault.target, true);
    case FaultKind::kNoPostgres:
      return network_->Cut(fault.target, "");
    case FaultKind::kPlayers:
      return network_->CutSecond(fault.target);
    case FaultKind::kLoss:
      return network_->Lose(fault.target, fault.percent);
    case FaultKind::kDelay:
      return network_->Delay(fault.target, fault.size);
    case FaultKind::kPgKill:
      return cluster_.postgres().Kill();
    case FaultKind::kPgRestart:
      return cluster_.postgres().Stop();
    case FaultKind::kPgImmediate:
      return cluster_.postgres().Stop("immediate");
    case FaultKind::kPgTerminate:
      return TerminateBackends();
    case FaultKind::kPgCut:
      return surroundings_.proxy().Cut(true);
    case FaultKind::kPgDelay:
      return surroundings_.proxy().Delay(static_cast<int>(absl::ToInt64Milliseconds(fault.size)));
    case FaultKind::kPgFreeze:
      return surroundings_.proxy().Freeze(true);
  }
}

void Faults::End(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kKill:
    case FaultKind::kTerm:
      return cluster_.Start(fault.target);
    case FaultKind::kStop:
      return cluster_.Signal(fault.target, SIGCONT);
    case FaultKind::kClock:
      return surroundings_.SetClock(fault.target, 0);
    case FaultKind::kPartition:
      return network_->Heal(fault.target, fault.other);
    case FaultKind::kIsolate:
      return Isolate(fault.target, false);
    case FaultKind::kNoPostgres:
      return network_->Heal(fault.target, "");
    case FaultKind::kPlayers:
      return network_->HealSecond(fault.target);
    case FaultKind::kLoss:
      return network_->LoseNothing(fault.target);
    case FaultKind::kDelay:
      return network_->DelayNothing(fault.target);
    case FaultKind::kPgKill:
    case FaultKind::kPgRestart:
    case FaultKind::kPgImmediate:
      return cluster_.postgres().Start();
    case FaultKind::kPgTerminate:
      return;
    case FaultKind::kPgCut:
      return surroundings_.proxy().Cut(false);
    case FaultKind::kPgDelay:
      return surroundings_.proxy().Delay(0);
    case FaultKind::kPgFreeze:
      return surroundings_.proxy().Freeze(false);
  }
}

void Faults::Term(const std::string& process) {
  const auto status = cluster_.Stop(process, kGrace);
  if (!status) {
    complaints_.push_back(absl::StrCat(process, " did not stop within ",
                                       absl::FormatDuration(kGrace), " of SIGTERM"));
  } else if (*status != 0) {
    complaints_.push_back(absl::StrCat(process, " answered SIGTERM with wait status ", *status));
  }
}

void Faults::TerminateBackends() {
  pqxx::connection connection(cluster_.dsn());
  pqxx::nontransaction(connection)
      .exec(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          "WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

void Faults::Isolate(const std::string& process, bool cut) {
  // Includes processes that are down, because such a process may start again before the fault ends.
  for (const std::string& other : network_->processes()) {
    if (other == process) continue;
    cut ? network_->Cut(process, other) : network_->Heal(process, other);
  }
}

}  // namespace tarot::chaos
