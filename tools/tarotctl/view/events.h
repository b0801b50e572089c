// Describes the changes between two views of a table, as lines.
#pragma once

#include <string>
#include <vector>

#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text_style.h"

namespace tarot::tarotctl {

// `before` may be an empty Table: then everything of the deal so far. Views may skip revisions, and
// even deals; then the lines begin with the deal that is new.
std::vector<std::string> DescribeChanges(const rules::v1::Table& before,
                                         const rules::v1::Table& after,
                                         const cli::TextStyle& style);

}  // namespace tarot::tarotctl
