#include "tests/hidden_cards/public_messages.h"

#include <map>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tarot::hidden_cards {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The messages of these files have no field about a deal's cards. The parameters of a rule set are
// known to all players.
constexpr const char* kPlainMessages[] = {"google.", "tarot.ratings.v1.", "tarot.gateway.v1.",
                                          "tarot.rules.v1.RuleSet",
                                          "tarot.rules.v1.ParameterDifference"};

// One message a line, with the names of its fields.
constexpr const char* kPlain = R"(
tarot.bot.v1.AnalyzeDealResponse decision_count decisions_done
tarot.bot.v1.DealAnalysis turning_points mistakes
tarot.bot.v1.DealAnalysis.Seat decisions expected_cost open_cost
tarot.bot.v1.DecisionAnalysis entry seat worlds expected_cost open_cost margin cost_low cost_high
tarot.bot.v1.DecisionAnalysis.Option expected open_loss contract_chance low high
tarot.bot.v1.Hand trumps kings suit_lengths
tarot.bot.v1.Reason suit seat trick trumps points number better_number
tarot.matchmaking.v1.Friend player display_name
tarot.matchmaking.v1.ListFriendsResponse next_page_token
tarot.matchmaking.v1.ListRoomsResponse next_page_token
tarot.matchmaking.v1.Presence table room
tarot.matchmaking.v1.Queue name display_name player_count rule_set deal_count waiting_count
tarot.matchmaking.v1.Queue required_matches
tarot.matchmaking.v1.Room name code host_seat viewer table invited
tarot.matchmaking.v1.RoomSeat player display_name bot_level
tarot.matchmaking.v1.RoomTerms rule_set player_count deal_count
tarot.matchmaking.v1.Ticket name queue position waiting_count rating_window table party
tarot.rules.v1.CardPointsLine half_points tricks
tarot.rules.v1.ClosedProposal seat revision seats break_ended_by
tarot.rules.v1.DealRecord name rule_set dealer seed_commitment procedure nonces board_taker
tarot.rules.v1.DealRecord.Entry seat
tarot.rules.v1.DealRecord.GatheredPile packet_sizes
tarot.rules.v1.DealRecord.Player player display_name bot_level stand_in_actions
tarot.rules.v1.DealResult taker partner attack_half_points needed_half_points bouts difference
tarot.rules.v1.DealResult petit_au_bout slam_points handful_points unit scores petit_sec_seat
tarot.rules.v1.DealResult void_reason claim_seat claim_trick honours shares
tarot.rules.v1.DealView rule_set player_count dealer turn viewer hand_counts taker partner
tarot.rules.v1.Handful seat level
tarot.rules.v1.LegalActions discard_count discard_trump_count handful_sizes
tarot.rules.v1.ListRecordsResponse next_page_token silent_cells
tarot.rules.v1.ListTablesResponse next_page_token silent_cells
tarot.rules.v1.NextDeal deal_number seed_commitment nonces
tarot.rules.v1.Proposal seat pending_seats revision
tarot.rules.v1.RefusedCards why suit number
tarot.rules.v1.ScoreSheet table rule_set deal_count first_dealer
tarot.rules.v1.ScoreSheet.Deal number dealer arithmetic totals sits_out
tarot.rules.v1.ScoreSheet.DrawnCard seat round
tarot.rules.v1.ScoreSheet.Player player display_name bot_level
tarot.rules.v1.Seat player display_name bot_level total
tarot.rules.v1.Table name revision viewer deal_count deals_scored deal_number seed_commitment
tarot.rules.v1.Table rule_set muted_seats take_back_seat
tarot.rules.v1.Table.PhrasesEntry key
tarot.rules.v1.Trick leader winner winning
tarot.rules.v1.UnitLine points base difference multiplier seat level
tarot.rules.v1.WatchTableResponse disconnected_seats
)";

constexpr const char* kCards = R"(
tarot.bot.v1.Hand bouts
tarot.bot.v1.Reason card other_card
tarot.rules.v1.Action.Discard cards
tarot.rules.v1.Action.Handful cards
tarot.rules.v1.Action.Play card
tarot.rules.v1.DealRecord dog gathered
tarot.rules.v1.DealRecord.Hand cards
tarot.rules.v1.DealResult petit_sec_hand
tarot.rules.v1.DealView hand dog discard discard_shown
tarot.rules.v1.Handful cards
tarot.rules.v1.LegalActions discards handful_cards cards
tarot.rules.v1.RefusedCards cards
tarot.rules.v1.Trick cards
)";

constexpr const char* kNamedCards = R"(
tarot.rules.v1.Action.Call card
tarot.rules.v1.DealView called_card
tarot.rules.v1.LegalActions calls
tarot.rules.v1.RefusedCards card
tarot.rules.v1.ScoreSheet.Deal called_card
tarot.rules.v1.ScoreSheet.DrawnCard card
)";

std::map<std::string, FieldKind> ReadTable() {
  std::map<std::string, FieldKind> kinds = {{"tarot.rules.v1.DealRecord.seed", FieldKind::kSeed}};
  for (const auto& [text, kind] :
       {std::pair{kPlain, FieldKind::kPlain}, std::pair{kCards, FieldKind::kCard},
        std::pair{kNamedCards, FieldKind::kNamedCard}}) {
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      for (std::size_t i = 1; i < words.size(); ++i) {
        kinds[absl::StrCat(words[0], ".", words[i])] = kind;
      }
    }
  }
  return kinds;
}

bool HoldsAValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_BOOL:
      return false;
    default:
      return true;
  }
}

void AddUnknown(const Descriptor& message, std::set<const Descriptor*>& seen,
                std::vector<std::string>& unknown) {
  if (!seen.insert(&message).second) return;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (!KindOf(field)) unknown.push_back(field.full_name());
    if (field.message_type() != nullptr) AddUnknown(*field.message_type(), seen, unknown);
  }
}

// Walks through one message.
class Search {
 public:
  explicit Search(const OpenCards& open) : open_(open) {}

  void Walk(const Message& message, rules::CardSet known) {
    const Reflection& reflection = *message.GetReflection();
    if (const int deal = FinishedDealOf(message); deal > 0) known = open_(deal);
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const int size = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < size; ++i) {
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
          Walk(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                    : reflection.GetMessage(message, field),
               known);
        } else {
          Check(message, *field, i, known);
        }
      }
    }
  }

  std::vector<std::string> leaks;

 private:
  // Returns the number of the deal if `message` is about one finished deal. If not, returns 0.
  static int FinishedDealOf(const Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    int number = 0;
    if (type.full_name() == "tarot.rules.v1.ScoreSheet.Deal") {
      return static_cast<int>(reflection.GetUInt32(message, type.FindFieldByName("number")));
    }
    if (type.full_name() != "tarot.rules.v1.DealRecord") return 0;
    const std::string name = reflection.GetString(message, type.FindFieldByName("name"));
    return absl::SimpleAtoi(name.substr(name.rfind('/') + 1), &number) ? number : 0;
  }

  void Check(const Message& message, const FieldDescriptor& field, int index,
             rules::CardSet known) {
    const FieldKind kind = KindOf(field).value_or(FieldKind::kPlain);
    const Reflection& reflection = *message.GetReflection();
    if (kind == FieldKind::kSeed && known != rules::CardSet::All()) {
      leaks.push_back(absl::StrCat(field.full_name(), ": the seed of a closed deal"));
    }
    if (kind != FieldKind::kCard) return;
    const std::uint32_t number = field.is_repeated()
                                     ? reflection.GetRepeatedUInt32(message, &field, index)
                                     : reflection.GetUInt32(message, &field);
    if (number < rules::kCardCount && known.Contains(rules::CardAt(static_cast<int>(number)))) {
      return;
    }
    leaks.push_back(absl::StrCat(field.full_name(), ": card ", number));
  }

  const OpenCards& open_;
};

}  // namespace

std::optional<FieldKind> KindOf(const FieldDescriptor& field) {
  static const auto* const kinds = new std::map<std::string, FieldKind>(ReadTable());
  if (!HoldsAValue(field)) return FieldKind::kPlain;
  for (const char* const prefix : kPlainMessages) {
    if (absl::StartsWith(field.full_name(), prefix)) return FieldKind::kPlain;
  }
  const auto found = kinds->find(field.full_name());
  return found == kinds->end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> UnknownFields(const Descriptor& message) {
  std::set<const Descriptor*> seen;
  std::vector<std::string> unknown;
  AddUnknown(message, seen, unknown);
  return unknown;
}

std::vector<std::string> Leaks(const Message& message, rules::CardSet known,
                               const OpenCards& open) {
  Search search(open);
  search.Walk(message, known);
  return search.leaks;
}

}  // namespace tarot::hidden_cards
