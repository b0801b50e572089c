#include "tests/chaos/resume.h"

#include <algorithm>
#include <iterator>

namespace tarot::chaos {
namespace {

// A table was in play if it had a move within this time before the fault. Other tables were stuck
// already, or their match was over.
constexpr std::int64_t kPlayedWithinUs = 20'000'000;
// The load writes this error if the load itself dropped the connection.
constexpr char kGivenUp[] = "CANCELLED";

}  // namespace

using load::Event;

void Resume::See(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kSeat:
      tables_[event.table].shown[event.client];
      return;
    case Event::Kind::kOk:
      tables_[event.table].acknowledged.push_back({event.time_us, event.revision});
      return;
    case Event::Kind::kUnknown:
      if (event.text != kGivenUp) tables_[event.table].unknown_us.push_back(event.time_us);
      return;
    case Event::Kind::kView: {
      std::vector<Move>& shown = tables_[event.table].shown[event.client];
      const bool newer = shown.empty() || event.revision > shown.back().revision;
      if (event.stream != 0 && newer) shown.push_back({event.time_us, event.revision});
      return;
    }
    case Event::Kind::kFault:
      faults_.push_back({event.text, event.time_us, event.time_us});
      return;
    case Event::Kind::kHealed:
      for (StruckFault& fault : faults_) {
        if (fault.kind == event.text && fault.end_us == fault.begin_us) {
          fault.end_us = event.time_us;
        }
      }
      return;
    case Event::Kind::kEnd:
      end_us_ = event.time_us;
      return;
    default:
      return;
  }
}

// For each client, takes the time when the client first saw the revision or a later revision.
// Returns the latest of these times. If a client never saw such a revision, returns the end of the
// run.
std::int64_t Resume::ShownToAll(const TableHistory& table, int revision) const {
  std::int64_t last_us = 0;
  for (const auto& [client, shown] : table.shown) {
    const auto at = std::lower_bound(shown.begin(), shown.end(), revision,
                                     [](const Move& m, int r) { return m.revision < r; });
    last_us = std::max(last_us, at == shown.end() ? end_us_ : at->time_us);
  }
  return last_us;
}

std::map<std::string, ResumeTimes> Resume::Finish() const {
  std::map<std::string, ResumeTimes> out;
  ResumeTimes& all = out[kAllFaults];
  all.faults = static_cast<int>(faults_.size());
  const auto first_after = [](const std::vector<Move>& moves, std::int64_t from) {
    return std::lower_bound(moves.begin(), moves.end(), from,
                            [](const Move& m, std::int64_t us) { return m.time_us < us; });
  };
  for (const StruckFault& fault : faults_) {
    ResumeTimes& times = out[fault.kind.substr(0, fault.kind.find('/'))];
    ++times.faults;
    const auto add = [&](std::vector<double> ResumeTimes::*list, std::int64_t us) {
      const double seconds = static_cast<double>(us) * 1e-6;
      (times.*list).push_back(seconds);
      (all.*list).push_back(seconds);
    };
    for (const auto& [id, table] : tables_) {
      const std::vector<Move>& moves = table.acknowledged;
      const auto next = first_after(moves, fault.begin_us);
      const auto unknown =
          std::lower_bound(table.unknown_us.begin(), table.unknown_us.end(), fault.begin_us);
      const bool played =
          next != moves.begin() && std::prev(next)->time_us > fault.begin_us - kPlayedWithinUs;
      const bool felt = played && next != moves.end() && unknown != table.unknown_us.end() &&
                        *unknown <= next->time_us;
      if (!felt) continue;
      add(&ResumeTimes::after_begin_s, next->time_us - fault.begin_us);
      const std::int64_t shown_us = ShownToAll(table, next->revision);
      add(&ResumeTimes::watchers_s, std::max(next->time_us, shown_us) - fault.begin_us);
      const auto healed = first_after(moves, fault.end_us);
      if (healed != moves.end()) {
        add(&ResumeTimes::after_end_s, healed->time_us - fault.end_us);
      }
    }
  }
  return out;
}

std::vector<double> Resume::WatchLag() const {
  std::vector<double> seconds;
  for (const auto& [id, table] : tables_) {
    for (const Move& move : table.acknowledged) {
      const std::int64_t us = ShownToAll(table, move.revision) - move.time_us;
      seconds.push_back(static_cast<double>(std::max<std::int64_t>(us, 0)) * 1e-6);
    }
  }
  return seconds;
}

double Percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace tarot::chaos
