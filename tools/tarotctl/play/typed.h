// What a person types at a prompt, as an action. Pure. Whether the action is allowed is the
// server's business: it answers with the reason.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "tarot/rules/v1/deal.pb.h"
#include "tools/cli/text_style.h"

namespace tarot::tarotctl {

struct Typed {
  std::optional<rules::v1::Action> action;
  std::string problem;  // Set when there is no action: what was not understood.
};

// `deal` is the view of the seat in turn.
Typed ParseTyped(const rules::v1::DealView& deal, absl::string_view line);

// One line: what is asked and how to answer.
std::string PromptText(const rules::v1::DealView& deal, const cli::TextStyle& style);

// Everything that may be typed in this phase, and how cards are written.
std::string HelpText(const rules::v1::DealView& deal);

}  // namespace tarot::tarotctl
