#include "tests/chaos/resume.h"

#include <algorithm>
#include <iterator>

namespace tarot::chaos {
namespace {

// A table whose last move is longer ago stood still already, or is over.
constexpr std::int64_t kPlayedWithinUs = 20'000'000;
// What the load calls a connection that it lost on purpose: no fault was felt.
constexpr char kGivenUp[] = "CANCELLED";

}  // namespace

using load::Event;

void Resume::See(const Event& event) {
  if (event.kind == Event::Kind::kOk) {
    tables_[event.table].acknowledged_us.push_back(event.time_us);
  } else if (event.kind == Event::Kind::kUnknown && event.text != kGivenUp) {
    tables_[event.table].in_doubt_us.push_back(event.time_us);
  } else if (event.kind == Event::Kind::kFault) {
    faults_.push_back({event.text, event.time_us, event.time_us});
  } else if (event.kind == Event::Kind::kHealed) {
    for (Struck& fault : faults_) {
      if (fault.kind == event.text && fault.end_us == fault.begin_us) fault.end_us = event.time_us;
    }
  }
}

std::map<std::string, ResumeTimes> Resume::Finish() const {
  std::map<std::string, ResumeTimes> out;
  ResumeTimes& all = out[kAllFaults];
  all.faults = static_cast<int>(faults_.size());
  const auto first_after = [](const std::vector<std::int64_t>& times, std::int64_t from) {
    return std::lower_bound(times.begin(), times.end(), from);
  };
  for (const Struck& fault : faults_) {
    ResumeTimes& times = out[fault.kind.substr(0, fault.kind.find('/'))];
    ++times.faults;
    for (const auto& [table, moves] : tables_) {
      const auto next = first_after(moves.acknowledged_us, fault.begin_us);
      const auto doubt = first_after(moves.in_doubt_us, fault.begin_us);
      const bool played = next != moves.acknowledged_us.begin() &&
                          *std::prev(next) > fault.begin_us - kPlayedWithinUs;
      const bool felt = played && next != moves.acknowledged_us.end() &&
                        doubt != moves.in_doubt_us.end() && *doubt <= *next;
      if (!felt) continue;
      const double begin_s = static_cast<double>(*next - fault.begin_us) * 1e-6;
      times.after_begin_s.push_back(begin_s);
      all.after_begin_s.push_back(begin_s);
      const auto healed = first_after(moves.acknowledged_us, fault.end_us);
      if (healed != moves.acknowledged_us.end()) {
        const double end_s = static_cast<double>(*healed - fault.end_us) * 1e-6;
        times.after_end_s.push_back(end_s);
        all.after_end_s.push_back(end_s);
      }
    }
  }
  return out;
}

double Percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace tarot::chaos
