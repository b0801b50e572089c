// Says for each field of the messages that players get whether the field can contain a hidden card.
// A test fails if a field has no entry here, so the author of a new field must add one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "libs/rules/cards.h"

namespace tarot::hidden_cards {

enum class FieldKind {
  kPlain,      // Holds no card and no secret.
  kCard,       // Shows where a card is; only a viewer who may look at this card may get it.
  kNamedCard,  // Names a card, but does not show where the card is.
  kSeed,       // Holds the seed of a deal, from which all cards follow.
};

// Returns the kind of a field with numbers, bytes or text. Other fields (messages, enums, bools)
// are kPlain. Returns nullopt if the field has no entry.
std::optional<FieldKind> KindOf(const google::protobuf::FieldDescriptor& field);

// Returns the fields without an entry in `message` and in all messages inside it.
std::vector<std::string> UnknownFields(const google::protobuf::Descriptor& message);

// Returns the open cards of a finished deal.
using OpenCards = std::function<rules::CardSet(int deal_number)>;

// Returns the fields of `message` that tell the viewer a hidden card or a seed, each with its
// value. `known` has the cards of the running deal that the viewer may look at. For records and for
// lines of a score sheet, which are about finished deals, `open` returns the cards that are open.
std::vector<std::string> Leaks(const google::protobuf::Message& message, rules::CardSet known,
                               const OpenCards& open);

}  // namespace tarot::hidden_cards
