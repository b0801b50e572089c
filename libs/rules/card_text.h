// Cards and contracts as text.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/cards.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

// As TDN and every message write it (docs/notation.md): "HK", "DT" (the ten), "T21", "X".
std::string CardName(Card card);

// As tables of numbers do (tests/data/vectors): suit letter S H D C and rank 1..14 ("H14"), trumps
// "T1".."T21", the Excuse "EX".
std::string CardText(Card card);
std::optional<Card> ParseCard(absl::string_view text);

// "pass", "prise", "garde", "garde_sans", "garde_contre"
absl::string_view ContractText(Contract contract);
std::optional<Contract> ParseContract(absl::string_view text);

}  // namespace tarot::rules
