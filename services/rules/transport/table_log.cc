#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/notation/names.h"
#include "libs/wire/values.h"
#include "services/rules/transport/table_admin_service.h"

namespace tarot::rules_service {
namespace {

absl::string_view PhraseText(Phrase phrase) {
  switch (phrase) {
    case Phrase::kHello:
      return "hello";
    case Phrase::kWellPlayed:
      return "well played";
    case Phrase::kSorry:
      return "sorry";
    case Phrase::kThanks:
      return "thanks";
    case Phrase::kOneMoment:
      return "one moment";
    case Phrase::kGoodGame:
      return "good game";
  }
  return "?";
}

absl::string_view ProposalText(ProposalKind kind) {
  return kind == ProposalKind::kBreak ? "a break" : "to take back the last card";
}

struct Text {
  std::string operator()(const DealStarted& dealt) const {
    return absl::StrCat("deals the cards; the dealer is seat ", dealt.start->dealer);
  }
  std::string operator()(const rules::Action& action) const {
    switch (action.kind) {
      case rules::Action::Kind::kDiscard:
        return absl::StrCat("lays ", action.cards.Size(), " cards aside");
      case rules::Action::Kind::kBid:
        return absl::StrCat("bids ", notation::ContractName(action.contract));
      case rules::Action::Kind::kCall:
        return action.card == rules::kNoCard
                   ? std::string("calls no card and plays alone")
                   : absl::StrCat("calls ", notation::CardName(action.card));
      case rules::Action::Kind::kSlam:
        return action.announce ? "announces a slam" : "announces no slam";
      case rules::Action::Kind::kHandful:
        return absl::StrCat("shows the handful ", notation::TrumpsName(action.cards));
      case rules::Action::Kind::kPlay:
        return absl::StrCat("plays ", notation::CardName(action.card));
    }
    return "?";
  }
  std::string operator()(const NonceAdded&) const { return "adds a nonce to the next deal"; }
  std::string operator()(const SeatResumed&) const { return "takes the seat back from the bot"; }
  std::string operator()(const DealVoided& voided) const {
    return absl::StrCat(
        voided.ends_match ? "cancels the deal and ends the match: " : "cancels the deal: ",
        absl::Utf8SafeCEscape(voided.reason));
  }
  std::string operator()(const TricksClaimed& claimed) const {
    std::string text = "claims the last tricks:";
    for (const rules::Card card : claimed.cards) {
      absl::StrAppend(&text, " ", notation::CardName(card));
    }
    return text;
  }
  std::string operator()(const PhraseSaid& said) const {
    return absl::StrCat("says: ", PhraseText(said.phrase));
  }
  std::string operator()(const SeatMuted& change) const {
    return absl::StrCat(change.muted ? "hides" : "shows", " the phrases of seat ", change.seat);
  }
  std::string operator()(const Proposed& proposed) const {
    return absl::StrCat("proposes ", ProposalText(proposed.kind),
                        proposed.granted ? ", granted at once" : "");
  }
  std::string operator()(const ProposalAnswered& answered) const {
    return absl::StrCat(answered.agrees ? "agrees to " : "refuses ", ProposalText(answered.kind),
                        answered.granted ? ", granted" : "");
  }
  std::string operator()(const BreakEnded&) const { return "ends the break"; }
};

v1::TableLogEntry::Actor EncodeActor(Actor actor) {
  switch (actor) {
    case Actor::kPlayer:
      return v1::TableLogEntry::PLAYER;
    case Actor::kBot:
      return v1::TableLogEntry::BOT;
    case Actor::kClock:
      return v1::TableLogEntry::CLOCK;
    case Actor::kServer:
      return v1::TableLogEntry::SERVER;
  }
  return v1::TableLogEntry::ACTOR_UNSPECIFIED;
}

}  // namespace

std::string LogText(const LogEntry& entry) { return std::visit(Text(), entry.body); }

void EncodeLogEntry(const LogEntry& entry, v1::TableLogEntry* out) {
  out->set_revision(static_cast<std::uint32_t>(entry.revision));
  wire::EncodeTime(entry.create_time, out->mutable_create_time());
  out->set_actor(EncodeActor(entry.actor));
  if (entry.seat != rules::kNoSeat) out->set_seat(static_cast<std::uint32_t>(entry.seat));
  wire::EncodeDuration(entry.elapsed, out->mutable_elapsed());
  out->set_text(LogText(entry));
}

}  // namespace tarot::rules_service
