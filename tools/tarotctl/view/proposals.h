// The proposals of players at a table, as people read and type them.
#pragma once

#include <string>
#include <vector>

#include "tarot/rules/v1/table.pb.h"

namespace tarot::tarotctl {

// Returns true while a proposal is open or a break runs, so that no seat plays.
bool Paused(const rules::v1::Table& table);

// Returns whether the viewer must answer the open proposal.
bool MustAnswer(const rules::v1::Table& table);

// Returns whether a card was taken back between the two views.
bool TookBack(const rules::v1::Table& before, const rules::v1::Table& after);

// Returns a line about what the viewer may do now, for example how to answer the open proposal.
// Returns an empty text if there is nothing to do.
std::string ProposalHint(const rules::v1::Table& table);

// Returns a line such as "Ada wants to take the last card back." for each change from `before` to
// `after`.
std::vector<std::string> DescribeProposals(const rules::v1::Table& before,
                                           const rules::v1::Table& after);

// Returns help lines for the commands `takeback`, `break` and `back`, as far as `options` allows
// them.
std::string ProposalHelp(const rules::v1::TableOptions& options);

// Returns the options of a table as text, for example "take back, breaks"; empty if there are none.
std::string OptionsText(const rules::v1::TableOptions& options);

}  // namespace tarot::tarotctl
