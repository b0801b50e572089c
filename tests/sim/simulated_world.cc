#include "tests/sim/simulated_world.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/base/check.h"

namespace tarot::sim {
namespace {

constexpr std::size_t kNotesKept = 100;

}  // namespace

SimulatedWorld::SimulatedWorld(std::uint64_t seed)
    : start_(absl::FromCivil(absl::CivilDay(2026, 1, 1), absl::UTCTimeZone())),
      now_(start_),
      rng_(seed) {}

absl::Duration SimulatedWorld::Between(absl::Duration least, absl::Duration most) {
  const auto span = static_cast<int>(absl::ToInt64Microseconds(most - least));
  return least + absl::Microseconds(rng_.Below(span + 1));
}

void SimulatedWorld::After(absl::Duration delay, absl::AnyInvocable<void()> event) {
  TAROT_CHECK(delay >= absl::ZeroDuration());
  events_.emplace(std::pair(now_ + delay, count_++), std::move(event));
}

bool SimulatedWorld::Step(absl::Time end) {
  if (!failure_.empty() || events_.empty() || events_.begin()->first.first > end) return false;
  auto event = events_.extract(events_.begin());
  now_ = event.key().first;
  event.mapped()();
  return true;
}

void SimulatedWorld::Tell(std::string line) {
  std::string stamped =
      absl::StrFormat("%11.6f %s", absl::ToDoubleSeconds(now_ - start_), std::move(line));
  for (const char c : stamped) {  // This is the FNV-1a hash.
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  notes_.push_back(std::move(stamped));
  if (notes_.size() > kNotesKept) notes_.pop_front();
}

std::string SimulatedWorld::LastNotes() const { return absl::StrJoin(notes_, "\n"); }

}  // namespace tarot::sim
