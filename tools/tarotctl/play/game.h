// One match at the terminal: shows the table as it changes, asks the player when it is their turn,
// and shows how the match ended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/play/screen.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

class Game {
 public:
  // At tables/{table}. With `plays_alone`, SimplestAction decides for the person. `context` and
  // `input` outlive the game.
  Game(Context& context, Input& input, bool plays_alone, const std::string& table);

  // Until the match is over, the player leaves, or something fails.
  cli::ExitCode Play();

 private:
  // Something ended the game.
  using Over = std::optional<cli::ExitCode>;

  Over Step();
  void Take(rules::v1::Table table);
  void Decide();
  absl::Duration TimeToWait() const;
  void OnTimeout();
  Over OnLine(const std::string& line);
  void Submit(const rules::v1::Action& action);
  void ResumeSeat();
  void Prompt();
  cli::ExitCode Leave(cli::ExitCode code);
  cli::ExitCode Finish();
  std::map<std::string, ratings::v1::RatingChange> WaitForRatings();

  bool MyTurn() const;     // And the seat is the player's, not a bot's.
  bool HeldByBot() const;  // The player's seat.
  absl::Time Now() const { return context_.world().clock.Now(); }

  Context& context_;
  const std::string name_;
  Input& input_;
  const bool auto_;
  Screen screen_;
  rules::v1::Table table_;
  bool seated_ = false;           // The seat was the player's own since they came.
  std::optional<int> asked_;      // The revision that was asked about.
  std::optional<int> warned_;     // The revision whose clock was warned of.
  std::optional<int> submitted_;  // The revision that an action was sent for.
  TableFeed tables_;
};

}  // namespace tarot::tarotctl
