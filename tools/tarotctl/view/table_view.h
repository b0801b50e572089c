// A table as a screen of text. Pure: the same table, time and style give the same text.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text_style.h"

namespace tarot::tarotctl {

// Seats, contract, the current trick and the viewer's hand with the legal cards in [brackets]. At
// most 80 columns wide.
std::string RenderTable(const rules::v1::Table& table, absl::Time now, const cli::TextStyle& style);

// The hand alone, one line a suit.
std::string RenderHand(const rules::v1::DealView& deal, const cli::TextStyle& style);

}  // namespace tarot::tarotctl
