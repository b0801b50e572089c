#include "libs/notation/action_name.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/notation/card_names.h"

namespace tarot::notation {

using rules::Action;

std::string ActionName(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kBid:
      return absl::StrCat("bid ", ContractName(action.contract));
    case Action::Kind::kCall:
      return "call " + (action.card == rules::kNoCard ? "-" : CardName(action.card));
    case Action::Kind::kDiscard:
      return "discard " + HandName(action.cards);
    case Action::Kind::kSlam:
      return action.announce ? "slam yes" : "slam no";
    case Action::Kind::kHandful:
      return "handful " + TrumpsName(action.cards);
    case Action::Kind::kPlay:
      return "play " + CardName(action.card);
  }
  return "";
}

std::optional<Action> ParseActionName(absl::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  if (words.size() != 2) return std::nullopt;
  const std::string& what = words[1];
  if (words[0] == "bid") {
    if (const auto contract = ParseContractName(what)) return Action::Bid(*contract);
  } else if (words[0] == "call") {
    if (what == "-") return Action::Call(rules::kNoCard);
    if (const auto card = ParseCardName(what)) return Action::Call(*card);
  } else if (words[0] == "discard") {
    if (const auto cards = ParseHandName(what)) return Action::Discard(*cards);
  } else if (words[0] == "slam") {
    if (what == "yes" || what == "no") return Action::Slam(what == "yes");
  } else if (words[0] == "handful") {
    if (const auto cards = ParseTrumpsName(what)) return Action::Handful(*cards);
  } else if (words[0] == "play") {
    if (const auto card = ParseCardName(what)) return Action::Play(*card);
  }
  return std::nullopt;
}

}  // namespace tarot::notation
