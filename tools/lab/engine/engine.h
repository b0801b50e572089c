// One engine of the engine protocol (docs/engine_protocol.md), as a dialogue of lines.
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
  // ai::FindOpponent() must know `level`. Answers go to `out`, which must outlive the engine. If
  // `stop` is set, the engine often calls it during a decision. If `stop` returns true, the search
  // ends.
  Engine(const std::string& level, std::ostream& out, std::function<bool()> stop = {});

  // Takes one line, without its end. If the engine cannot obey the line, it answers with one line
  // "error …" and changes nothing. Returns false only for the command "quit".
  bool Take(absl::string_view line);

 private:
  struct NewDeal {
    int players = 0;
    rules::Seat seat = 0;
    std::uint64_t seed = 0;
    std::string rules;  // A text of the form that rules::RuleSetText() returns.
  };

  absl::Status Obey(const std::vector<std::string>& words);
  void Introduce();
  absl::Status SetOption(const std::vector<std::string>& words);
  absl::Status StartDeal(const std::vector<std::string>& words);
  void TakeViewLine(absl::string_view line);
  absl::Status EndView();
  absl::Status Legal();
  absl::Status Go(const std::vector<std::string>& words);
  // Returns OK when there is a view and it is the turn of its seat.
  absl::Status InTurn() const;
  void Answer(absl::string_view line);

  std::ostream& out_;
  const std::function<bool()> stop_;
  std::string level_;
  std::optional<NewDeal> deal_;
  std::optional<rules::View> view_;
  bool in_view_ = false;   // True between "view" and "*".
  std::string view_text_;  // The lines of the view so far.
};

// Returns the viewer's legal actions as lines without line ends, such as "legal bid - G GS" or
// "legal play H4 HK". Returns no lines when it is not the viewer's turn.
std::vector<std::string> LegalLines(const rules::View& view);

}  // namespace tarot::lab
