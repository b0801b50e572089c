#include "libs/ai/policy.h"

#include <map>

#include "libs/ai/classic_bid.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/search_policy.h"

namespace tarot::ai {

const std::vector<std::string>& Levels() {
  static const auto* const levels =
      new std::vector<std::string>{"novice", "club", "sociable", "strong", "expert"};
  return *levels;
}

const Policy* FindPolicy(absl::string_view level) {
  static const auto* const novice = new Novice();
  static const auto* const club = new SearchPolicy(kClub);
  static const auto* const sociable = new SearchPolicy(kSociable);
  static const auto* const strong = new SearchPolicy(kStrong);
  static const auto* const expert = new SearchPolicy(kExpert);
  if (level == "novice") return novice;
  if (level == "club") return club;
  if (level == "sociable") return sociable;
  if (level == "strong") return strong;
  if (level == "expert") return expert;
  return nullptr;
}

const Policy* FindJudge(absl::string_view level) {
  static const auto* const master = new SearchPolicy(kMaster);
  return level == "master" ? master : FindPolicy(level);
}

const Policy* FindOpponent(absl::string_view name) {
  static const auto* const oracle = new SearchPolicy(kOracle);
  static const auto* const frozen = new SearchPolicy(kFrozenExpert);
  if (name == "oracle") return oracle;
  if (name == "frozen_expert") return frozen;
  static const auto* const classic = [] {
    auto* bidders = new std::map<std::string, WithClassicBids>();
    for (const std::string& level : Levels()) {
      bidders->try_emplace(level + "/classic", *FindPolicy(level));
    }
    return bidders;
  }();
  const auto found = classic->find(std::string(name));
  return found == classic->end() ? FindJudge(name) : &found->second;
}

}  // namespace tarot::ai
