// Runs events in one thread and in virtual time. The same seed gives the same events at the same
// times.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/rng.h"

namespace tarot::sim {

class SimulatedWorld {
 public:
  explicit SimulatedWorld(std::uint64_t seed);

  absl::Time now() const { return now_; }
  absl::Time start() const { return start_; }
  Rng& rng() { return rng_; }

  // Returns a uniform random duration in whole microseconds.
  absl::Duration Between(absl::Duration least, absl::Duration most);
  bool Chance(int per_ten_thousand) { return rng_.Below(10'000) < per_ten_thousand; }

  void After(absl::Duration delay, absl::AnyInvocable<void()> event);

  // Runs events that are due until `end`, or until `stop()` is true. Calls `stop` after every
  // event.
  template <typename Stop>
  void RunUntil(absl::Time end, Stop stop) {
    while (!stop() && Step(end)) continue;
  }

  // Adds one line to the notes of the run. If an invariant breaks, the run prints the last notes.
  template <typename... Texts>
  void Note(const Texts&... texts) {
    Tell(absl::StrCat(texts...));
  }
  // Returns a hash of all notes so far, with their times.
  std::uint64_t hash() const { return hash_; }
  std::string LastNotes() const;

  // Tells the run that an invariant is broken. The first broken invariant ends the run.
  template <typename... Texts>
  void Fail(const Texts&... texts) {
    if (failure_.empty()) failure_ = absl::StrCat(texts...);
  }
  const std::string& failure() const { return failure_; }

 private:
  void Tell(std::string line);
  bool Step(absl::Time end);

  const absl::Time start_;
  absl::Time now_;
  Rng rng_;
  // Number of events so far. Events of the same moment run in the order of their numbers.
  std::uint64_t count_ = 0;
  std::map<std::pair<absl::Time, std::uint64_t>, absl::AnyInvocable<void()>> events_;
  std::uint64_t hash_ = 14695981039346656037u;
  std::deque<std::string> notes_;
  std::string failure_;
};

}  // namespace tarot::sim
