#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/notation/tdn_parse.h"
#include "libs/notation/tdn_text.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::Deal;
using rules::Outcome;
using rules::Seat;

template <typename Bytes>
std::string Hex(const Bytes& bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

bool HasEntry(const Record& record, Action::Kind kind) {
  return std::any_of(record.entries.begin(), record.entries.end(),
                     [&](const Entry& entry) { return entry.action.kind == kind; });
}

class Writer {
 public:
  Writer(const Record& record, const Deal& deal) : record_(record), deal_(deal) {}

  std::string Run() {
    Header();
    if (HasEntry(record_, Action::Kind::kBid)) {
      text_.Auction(std::max(record_.board_taker, 0),
                    absl::MakeConstSpan(deal_.bids).first(Slot(deal_.bid_count)));
    }
    if (deal_.taker != rules::kNoSeat) AfterAuction();
    if (deal_.trick_count > 0) {
      text_.Play(absl::MakeConstSpan(deal_.tricks).first(Slot(deal_.trick_count)));
    }
    if (deal_.result.outcome == Outcome::kScored) Result();
    Trailer();
    return std::move(text_).End();
  }

 private:
  void Header() {
    text_.Tag("Event", record_.event);
    text_.Tag("Site", record_.site);
    text_.Tag("Date", record_.date);
    text_.Tag("Round", record_.round);
    text_.Tag("Players", absl::StrCat(record_.players));
    text_.Tag("Rules", rules::RuleSetText(deal_.rules));
    text_.Tag("Dealer", SeatName(record_.Dealer()));
    std::string hands = "A:";
    for (Seat seat = 0; seat < record_.players; ++seat) {
      text_.Tag("Seat" + SeatName(seat), record_.names[Slot(seat)]);
      absl::StrAppend(&hands, seat == 0 ? "" : " ", HandName(record_.hands[Slot(seat)]));
    }
    text_.Tag("Deal", hands);
    text_.Tag("Dog", HandName(record_.dog));
  }

  void AfterAuction() {
    text_.Tag("Taker", SeatName(deal_.taker));
    if (deal_.contract != rules::Contract::kPass)
      text_.Tag("Contract", ContractName(deal_.contract));
    if (HasEntry(record_, Action::Kind::kCall)) {
      text_.Call(deal_.called_card);
    }
    if (!deal_.discard.Empty()) text_.Tag("Ecart", HandName(deal_.discard));
    for (int i = 0; i < deal_.handful_count; ++i) {
      const rules::ShownHandful& shown = deal_.handfuls[Slot(i)];
      text_.Handful(shown, HadChoice(shown));
    }
    if (deal_.slam_announced) {
      text_.Slam(deal_.taker, true);
    } else if (!record_.entries.empty() &&
               record_.entries.back().action.kind == Action::Kind::kSlam &&
               deal_.trick_count == 0) {
      // Without the tag Chelem, the text would not show that the taker was asked about a slam.
      text_.Slam(deal_.taker, false);
    }
  }

  // Returns whether the text must list the cards of the handful, because the seat could have shown
  // other cards.
  bool HadChoice(const rules::ShownHandful& shown) const {
    rules::CardSet hand = record_.hands[Slot(shown.seat)];
    rules::CardSet exposed;
    if (shown.seat == deal_.taker && !deal_.discard.Empty()) {
      hand = (hand | deal_.dog) - deal_.discard;
      exposed = deal_.DiscardShown();
    }
    return OnlyHandful(deal_.rules, hand, exposed, shown.cards.Size()) != shown.cards;
  }

  void Result() {
    const rules::DealResult& result = deal_.result;
    if (deal_.taker != rules::kNoSeat)
      text_.Tag("Result",
                absl::StrCat(SeatName(deal_.taker), ":", result.attack_half_points / 2,
                             result.attack_half_points % 2 == 0 ? "" : ".5", "/",
                             result.score.needed_half_points / 2, " bouts=", result.bouts));
    std::string scores;
    for (Seat seat = 0; seat < deal_.players; ++seat) {
      const int score = result.scores[Slot(seat)];
      absl::StrAppend(&scores, seat == 0 ? "" : " ", SeatName(seat), ":", score > 0 ? "+" : "",
                      score);
    }
    text_.Tag("Score", scores);
  }

  void Trailer() {
    if (record_.seed) text_.Tag("Seed", Hex(*record_.seed));
    if (record_.commitment) text_.Tag("Commit", Hex(*record_.commitment));
    if (record_.procedure != dealing::Procedure::kSeedAlone) Dealing();
    if (deal_.result.outcome == Outcome::kAllPassed) text_.Tag("Termination", "all-pass");
    if (deal_.result.outcome == Outcome::kPetitSec) text_.Tag("Termination", "petit-sec");
    if (deal_.phase != rules::Phase::kDone) {
      const bool known = record_.abandoned_by != rules::kNoSeat;
      text_.Tag("Termination", known ? "abandoned " + SeatName(record_.abandoned_by) : "abandoned");
    }
    for (const auto& [name, value] : record_.tags) text_.Tag(name, value);
  }

  void Dealing() {
    text_.Tag("Dealing",
              absl::StrCat(static_cast<int>(record_.procedure), " ", SeatName(record_.first_chair),
                           record_.first_deal ? " first" : ""));
    for (Seat seat = 0; seat < record_.players; ++seat) {
      const std::string& nonce = record_.nonces[Slot(seat)];
      if (!nonce.empty()) text_.Tag("Nonce", absl::StrCat(SeatName(seat), ":", Hex(nonce)));
    }
    if (!record_.gathered) return;
    std::vector<std::string> words;
    auto next = record_.gathered->begin();
    for (const std::vector<std::uint8_t>& packets : record_.piles) {
      if (!words.empty()) words.emplace_back("/");
      for (std::size_t packet = 0; packet < packets.size(); ++packet) {
        if (packet > 0) words.emplace_back("|");
        for (int i = 0; i < packets[packet]; ++i) words.push_back(CardName(*next++));
      }
    }
    for (; next != record_.gathered->end(); ++next) words.push_back(CardName(*next));
    text_.Tag("Gathered", absl::StrJoin(words, " "));
  }

  const Record& record_;
  const Deal& deal_;
  TdnText text_{"EXPORT"};
};

absl::Status CheckText(const Record& record) {
  std::vector<std::string> values = {record.event, record.site, record.date, record.round};
  values.insert(values.end(), record.names.begin(), record.names.begin() + record.players);
  for (const auto& [name, value] : record.tags) {
    if (!IsTagName(name) || IsKnownTag(name)) {
      return BadRequest("tags", absl::StrCat("'", name, "' cannot be the name of a further tag"));
    }
    values.push_back(value);
  }
  for (const std::string& value : values) {
    if (!IsPlainText(value)) {
      return BadRequest("names", "must be UTF-8 without control characters");
    }
  }
  return absl::OkStatus();
}

// Checks the first seat of the table, the nonces, the gathered pack and its piles. A record with
// procedure 1 must not have any of these.
absl::Status CheckDealing(const Record& record) {
  const bool old = record.procedure == dealing::Procedure::kSeedAlone;
  const bool chair = record.first_chair >= 0 && record.first_chair < record.players;
  if (!chair || (old && record.first_chair != 0)) return BadRequest("first_chair", "no such seat");
  if (old && (record.first_deal || record.gathered)) return BadRequest("procedure", "is 1");
  for (std::size_t slot = 0; slot < record.nonces.size(); ++slot) {
    const std::size_t size = record.nonces[slot].size();
    if (size > 0 && (old || slot >= Slot(record.players) || size > dealing::kNonceBytesMax)) {
      return BadRequest("nonces", "must be 1 to 32 bytes of a seat, with procedure 2 or 3");
    }
  }
  const bool drawn = record.procedure == dealing::Procedure::kDrawnGathering && record.gathered;
  if (drawn ? !rules::HoldsWholePack(record.piles) : !record.piles.empty()) {
    return BadRequest("piles",
                      "must hold the whole pack, with procedure 3 and a gathered pack only");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteTdn(const Record& record) {
  TAROT_ASSIGN_OR_RETURN(const Replayed replayed, Replay(record));
  if (!replayed.problem.empty()) {
    return BadRequest(absl::StrCat("entries[", replayed.legal, "]"), replayed.problem);
  }
  const bool left = record.abandoned_by != rules::kNoSeat;
  if (left && (replayed.deal.phase == rules::Phase::kDone || record.abandoned_by < 0 ||
               record.abandoned_by >= record.players)) {
    return BadRequest("abandoned_by", "no seat left this deal");
  }
  TAROT_RETURN_IF_ERROR(CheckText(record));
  TAROT_RETURN_IF_ERROR(CheckDealing(record));
  return Writer(record, replayed.deal).Run();
}

}  // namespace tarot::notation
