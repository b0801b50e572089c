#include "libs/wire/convert.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::wire {

v1::Contract EncodeContract(rules::Contract contract) {
  // v1::Contract and rules::Contract have the same order, but v1::Contract counts from 1; its zero
  // means "not set".
  return static_cast<v1::Contract>(static_cast<int>(contract) + 1);
}

absl::StatusOr<rules::Contract> DecodeContract(v1::Contract contract, absl::string_view field) {
  if (contract < v1::PASS || contract > v1::GARDE_CONTRE) {
    return BadRequest(field, "must be PASS, PRISE, GARDE, GARDE_SANS or GARDE_CONTRE");
  }
  return static_cast<rules::Contract>(contract - 1);
}

void EncodeCards(rules::CardSet cards, google::protobuf::RepeatedField<std::uint32_t>* out) {
  out->Reserve(out->size() + cards.Size());
  for (const rules::Card c : cards) {
    out->AddAlreadyReserved(static_cast<std::uint32_t>(rules::Index(c)));
  }
}

absl::StatusOr<rules::Card> DecodeCard(std::uint32_t card, absl::string_view field) {
  if (card >= rules::kCardCount) return BadRequest(field, "must be a card, 0 to 77");
  return rules::CardAt(static_cast<int>(card));
}

absl::StatusOr<rules::CardSet> DecodeCards(
    const google::protobuf::RepeatedField<std::uint32_t>& cards, absl::string_view field) {
  rules::CardSet set;
  for (const std::uint32_t number : cards) {
    TAROT_ASSIGN_OR_RETURN(const rules::Card card, DecodeCard(number, field));
    if (set.Contains(card)) return BadRequest(field, "must not have a card twice");
    set.Insert(card);
  }
  return set;
}

void EncodeAction(const rules::Action& action, v1::Action* out) {
  const auto card = static_cast<std::uint32_t>(rules::Index(action.card));
  switch (action.kind) {
    case rules::Action::Kind::kBid:
      out->mutable_bid()->set_contract(EncodeContract(action.contract));
      break;
    case rules::Action::Kind::kCall:
      out->mutable_call();
      if (action.card != rules::kNoCard) out->mutable_call()->set_card(card);
      break;
    case rules::Action::Kind::kDiscard:
      EncodeCards(action.cards, out->mutable_discard()->mutable_cards());
      break;
    case rules::Action::Kind::kSlam:
      out->mutable_slam()->set_announce(action.announce);
      break;
    case rules::Action::Kind::kHandful:
      EncodeCards(action.cards, out->mutable_handful()->mutable_cards());
      break;
    case rules::Action::Kind::kPlay:
      out->mutable_play()->set_card(card);
      break;
  }
}

absl::StatusOr<rules::Action> DecodeAction(const v1::Action& action, absl::string_view field) {
  const auto at = [field](const char* rest) { return absl::StrCat(field, rest); };
  switch (action.kind_case()) {
    case v1::Action::kBid: {
      TAROT_ASSIGN_OR_RETURN(const rules::Contract contract,
                             DecodeContract(action.bid().contract(), at(".bid.contract")));
      return rules::Action::Bid(contract);
    }
    case v1::Action::kCall: {
      if (!action.call().has_card()) return rules::Action::Call(rules::kNoCard);
      TAROT_ASSIGN_OR_RETURN(const rules::Card card,
                             DecodeCard(action.call().card(), at(".call.card")));
      return rules::Action::Call(card);
    }
    case v1::Action::kDiscard: {
      TAROT_ASSIGN_OR_RETURN(const rules::CardSet cards,
                             DecodeCards(action.discard().cards(), at(".discard.cards")));
      return rules::Action::Discard(cards);
    }
    case v1::Action::kSlam:
      return rules::Action::Slam(action.slam().announce());
    case v1::Action::kHandful: {
      TAROT_ASSIGN_OR_RETURN(const rules::CardSet cards,
                             DecodeCards(action.handful().cards(), at(".handful.cards")));
      return rules::Action::Handful(cards);
    }
    case v1::Action::kPlay: {
      TAROT_ASSIGN_OR_RETURN(const rules::Card card,
                             DecodeCard(action.play().card(), at(".play.card")));
      return rules::Action::Play(card);
    }
    case v1::Action::KIND_NOT_SET:
      break;
  }
  return BadRequest(field, "required: one of bid, call, discard, slam, handful, play");
}

}  // namespace tarot::wire
