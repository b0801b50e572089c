// The engine protocol (docs/engine_protocol.md) as a dialogue of lines with one engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/ai/policy.h"
#include "libs/rules/view.h"

namespace tarot::lab {

// Returns the names of the levels, weakest first, joined by `between`.
std::string LevelNames(absl::string_view between);

class Engine {
 public:
  // `level` is known to ai::FindOpponent(). Answers go to `out`, which outlives the engine. The
  // engine polls `stop`, which may be empty, during a decision: true ends the search.
  Engine(const std::string& level, std::ostream& out, std::function<bool()> stop = {});

  // Takes one line, without its end. A line that cannot be obeyed is answered by one line "error …"
  // and changes nothing. Returns false when the engine shall end.
  bool Take(absl::string_view line);

 private:
  struct NewDeal {
    int players = 0;
    rules::Seat seat = 0;
    std::uint64_t seed = 0;
    std::string rules;  // As rules::RuleSetText() writes it.
  };

  absl::Status Obey(const std::vector<std::string>& words);
  void Introduce();
  absl::Status SetOption(const std::vector<std::string>& words);
  absl::Status StartDeal(const std::vector<std::string>& words);
  void TakeViewLine(absl::string_view line);
  absl::Status EndView();
  absl::Status Legal();
  absl::Status Go(const std::vector<std::string>& words);
  // OK when there is a view whose seat is in turn.
  absl::Status InTurn() const;
  void Answer(absl::string_view line);

  std::ostream& out_;
  const std::function<bool()> stop_;
  std::string level_;
  std::optional<NewDeal> deal_;
  std::optional<rules::View> view_;
  bool in_view_ = false;   // Between "view" and "*".
  std::string view_text_;  // Its lines so far.
};

// "legal bid - G GS", "legal play H4 HK"; without line ends. Empty when it is not the viewer's
// turn.
std::vector<std::string> LegalLines(const rules::View& view);

}  // namespace tarot::lab
