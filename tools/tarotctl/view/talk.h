// The set phrases of players at a table, as people read and type them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::tarotctl {

// Returns the phrase that `typed` names by its number or its words, for example "2" or "well
// played". Returns nullopt if there is none.
std::optional<rules::v1::SaidPhrase::Phrase> ParsePhrase(absl::string_view typed);

// Returns a text such as "1 hello, 2 well played" with all phrases.
std::string PhraseList();

// Returns the seat that `typed` names by its number from 1, or by the name of its player. Returns
// nullopt if there is none.
std::optional<std::uint32_t> ParseSeat(const rules::v1::Table& table, absl::string_view typed);

// Returns a line such as "Ada: Well played!" for each phrase that is new in `after`.
std::vector<std::string> DescribeTalk(const rules::v1::Table& before,
                                      const rules::v1::Table& after);

}  // namespace tarot::tarotctl
