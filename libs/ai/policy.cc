#include "libs/ai/policy.h"

#include "libs/ai/heuristic.h"
#include "libs/ai/search.h"

namespace tarot::ai {

const std::vector<std::string>& Levels() {
  static const auto* const levels = new std::vector<std::string>{"novice", "club", "strong"};
  return *levels;
}

const Policy* FindPolicy(absl::string_view level) {
  static const auto* const novice = new Novice();
  static const auto* const club = new Sampling(kClub);
  static const auto* const strong = new Sampling(kStrong);
  if (level == "novice") return novice;
  if (level == "club") return club;
  if (level == "strong") return strong;
  return nullptr;
}

}  // namespace tarot::ai
