// A player that decides from what its seat may know and from a seed, never from time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/base/rng.h"
#include "libs/rules/view.h"

namespace tarot::ai {

struct Request {
  std::uint64_t node_budget = 0;  // Cards played in the search; 0 takes the level's own.
  // Polled every few thousand nodes at most: once true, the best so far is the answer. May be
  // empty.
  std::function<bool()> stop;
  // A legal action that is among the candidates of the answer even if the level would not try it.
  std::optional<rules::Action> consider;
};

struct Candidate {
  rules::Action action;
  // What the viewer expects to score in this deal, in hundredths of a point of the game; where
  // there is no taker, of a point of the cards. Absent when nothing was computed.
  std::optional<int> value;
  int worlds = 0;      // Ways to lay the hidden cards that the value is the mean of,
  bool exact = false;  // all of them solved with open hands.
};

struct Decision {
  rules::Action action;
  // What was weighed, best first, but that `action` is the first: of cards that the worlds do not
  // tell apart, the one that a club player would choose. Cards of equal worth are all listed, with
  // one value. Empty when the level does not weigh.
  std::vector<Candidate> candidates;
  std::uint64_t nodes = 0;  // Cards played in the search.
  int worlds = 0;           // Ways to lay the hidden cards that were looked at,
  int solved = 0;           // those of them that were solved with open hands.
  bool stopped = false;     // By the request's `stop`.

  std::optional<int> value() const {
    return candidates.empty() ? std::nullopt : candidates.front().value;
  }
};

// Stateless and thread-safe: same view, seed, budget and `consider`: same decision, on any machine.
class Policy {
 public:
  virtual ~Policy() = default;
  // `view.turn == view.viewer`. Without a `stop` that says so, no decision is stopped.
  virtual Decision Choose(const rules::View& view, Rng rng, const Request& request) const = 0;
};

// Levels for tables, weakest first: "novice", "club", "strong", "expert".
const std::vector<std::string>& Levels();

// nullptr for an unknown level; lives for ever.
const Policy* FindPolicy(absl::string_view level);

// A level; or "oracle", which takes seconds for a move; or "LEVEL/classic": the same player with
// the bids of classic_bid.h. Offline, where nobody waits at a table.
const Policy* FindOpponent(absl::string_view name);

}  // namespace tarot::ai
