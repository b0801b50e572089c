#include "tools/lab/arena/player.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/tdn.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/lab/arena/process.h"
#include "tools/lab/engine/engine.h"

namespace tarot::lab {
namespace {

class LevelPlayer final : public ArenaPlayer {
 public:
  LevelPlayer(const ai::Policy& policy, std::uint64_t node_budget)
      : policy_(policy), node_budget_(node_budget) {}

  absl::Status NewDeal(const rules::View&, std::uint64_t seed) override {
    seed_ = seed;
    return absl::OkStatus();
  }
  // Uses only the view, the seed and the budget. So a level decides here exactly as it does behind
  // the engine protocol.
  absl::StatusOr<rules::Action> Decide(const rules::View& view) override {
    return policy_.Choose(view, Rng(seed_), {.node_budget = node_budget_}).action;
  }

 private:
  const ai::Policy& policy_;
  const std::uint64_t node_budget_;
  std::uint64_t seed_ = 0;
};

class EnginePlayer final : public ArenaPlayer {
 public:
  EnginePlayer(std::unique_ptr<Process> process, std::uint64_t node_budget, absl::Duration patience)
      : process_(std::move(process)), node_budget_(node_budget), patience_(patience) {}

  absl::Status Introduce() {
    TAROT_RETURN_IF_ERROR(process_->Write("tarot\n", patience_));
    return Await("tarotok").status();
  }

  absl::Status NewDeal(const rules::View& view, std::uint64_t seed) override {
    TAROT_RETURN_IF_ERROR(process_->Write(
        absl::StrCat("newdeal players ", view.players, " seat ", notation::SeatName(view.viewer),
                     " seed ", seed, " rules ", rules::RuleSetText(view.rules), "\nisready\n"),
        patience_));
    return Await("readyok").status();
  }

  absl::StatusOr<rules::Action> Decide(const rules::View& view) override {
    TAROT_RETURN_IF_ERROR(process_->Write(
        absl::StrCat("view\n", notation::WriteTdnView(view), absl::StrJoin(LegalLines(view), "\n"),
                     "\ngo nodes ", node_budget_, "\n"),
        patience_));
    TAROT_ASSIGN_OR_RETURN(const std::string line, Await("bestaction"));
    const std::vector<std::string> words = Words(line);
    const bool valued = words.size() == 5 && words[3] == "value";
    if (words.size() == 3 || valued) {
      const auto action = notation::ParseActionName(absl::StrCat(words[1], " ", words[2]));
      if (action) return *action;
    }
    return absl::InvalidArgumentError(absl::StrCat("it answered \"", line, "\""));
  }

 private:
  static std::vector<std::string> Words(absl::string_view line) {
    return absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  }

  // Returns the next line whose first word is `wanted`. Skips other lines, but returns an error for
  // a line that begins with "error".
  absl::StatusOr<std::string> Await(absl::string_view wanted) {
    const absl::Time until = absl::Now() + patience_;
    for (;;) {
      TAROT_ASSIGN_OR_RETURN(std::string line, process_->ReadLine(until - absl::Now()));
      const std::vector<std::string> words = Words(line);
      if (words.empty()) continue;
      if (words[0] == wanted) return line;
      if (words[0] == "error") {
        return absl::InvalidArgumentError(absl::StrCat("it answered \"", line, "\""));
      }
    }
  }

  const std::unique_ptr<Process> process_;
  const std::uint64_t node_budget_;
  const absl::Duration patience_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ArenaPlayer>> MakePlayer(const std::string& name,
                                                        std::uint64_t node_budget,
                                                        absl::Duration patience) {
  if (const ai::Policy* policy = ai::FindOpponent(name)) {
    return std::make_unique<LevelPlayer>(*policy, node_budget);
  }
  TAROT_ASSIGN_OR_RETURN(std::unique_ptr<Process> process, Process::Start(name));
  auto player = std::make_unique<EnginePlayer>(std::move(process), node_budget, patience);
  absl::Status met = player->Introduce();
  if (absl::IsUnavailable(met)) {
    // Perhaps `name` is a misspelt level. In this case the shell found no such command.
    met = absl::UnavailableError(
        absl::StrCat("is no level, and as a shell command: ", met.message()));
  }
  TAROT_RETURN_IF_ERROR(met);
  return player;
}

}  // namespace tarot::lab
