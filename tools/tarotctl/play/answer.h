// Makes the action of the seat whose turn it is: from the text that a person types at a prompt, or
// the simplest action for `tarotctl play --auto`. The functions are pure. The server decides
// whether the action is allowed, and answers with the reason.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "tarot/rules/v1/deal.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

struct Typed {
  std::optional<rules::v1::Action> action;
  // Set when there is no action: a sentence that tells the player why.
  std::string problem;
};

// `deal` is the view of the seat whose turn it is.
Typed ParseTyped(const rules::v1::DealView& deal, absl::string_view line);

// Returns one line: the question and how to answer it.
std::string PromptText(const rules::v1::DealView& deal, const cli::TextStyle& style);

// Returns every possible answer in this phase, and the names of cards.
std::string HelpText(const rules::v1::DealView& deal);

// Returns an action that `deal.legal` allows; `deal` is the view of the seat whose turn it is. In
// the auction, a hand with two bouts or more makes the first legal bid that is not a pass; any
// other hand passes. In the call and in the play, the action has the first legal card. The action
// announces no slam and shows no handful.
rules::v1::Action SimplestAction(const rules::v1::DealView& deal);

}  // namespace tarot::tarotctl
