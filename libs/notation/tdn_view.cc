#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/record.h"
#include "libs/notation/tdn.h"
#include "libs/notation/tdn_parse.h"
#include "libs/notation/tdn_text.h"
#include "libs/rules/action.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Phase;
using rules::Seat;
using rules::View;

// Sorts the tokens into their sections. Copies the name of the viewer from the directive to
// `viewer`.
absl::Status Sort(const std::vector<Token>& tokens, TdnSections& parts, std::string& viewer) {
  bool ended = false;
  for (const Token& token : tokens) {
    parts.line = token.line;
    if (ended) return TokenError(token, "text after the view");
    if (token.kind == Token::Kind::kEnd) {
      ended = true;
    } else if (token.kind == Token::Kind::kDirective) {
      if (absl::StartsWith(token.text, "VIEW ")) viewer = token.text.substr(5);
    } else {
      TAROT_RETURN_IF_ERROR(parts.Add(token));
    }
  }
  return ended ? absl::OkStatus() : LineError(parts.line, "the view does not end with \"*\"");
}

// Replays the public events. In the replay, a hidden hand holds only the cards that its seat shows
// later in the text. A seat with fewer cards has fewer duties, so the replay refuses no legal
// action. If the seat should have played one of these cards earlier, the replay still detects this.
class Reader {
 public:
  Reader(const TdnSections& parts, const std::string& viewer)
      : parts_(parts), viewer_name_(viewer) {}

  absl::StatusOr<rules::View> Run() {
    TAROT_RETURN_IF_ERROR(Header());
    TAROT_RETURN_IF_ERROR(Start());
    TAROT_RETURN_IF_ERROR(UntilPlay());
    if (deal_.phase == Phase::kPlaying) {
      TAROT_RETURN_IF_ERROR(Play());
    }
    TAROT_RETURN_IF_ERROR(NothingLeft());
    rules::View view = RememberedView(deal_, viewer_);
    if (view.phase == Phase::kDone) return LineError(parts_.line, "the deal is over");
    if (deal_.DogShown() == deal_.dog.Empty()) {
      return TagError(parts_.tags.at("Dog"),
                      deal_.dog.Empty() ? "the dog was shown" : "the dog was not shown");
    }
    CountHands(view);
    return view;
  }

 private:
  absl::Status Header() {
    TAROT_ASSIGN_OR_RETURN(const Token* rules, parts_.Need("Rules"));
    TAROT_ASSIGN_OR_RETURN(const Token* count, parts_.Need("Players"));
    const auto parsed = rules::ParseRuleSet(rules->value);
    if (!parsed.ok()) return TagError(*rules, parsed.status().message());
    rules_ = *parsed;
    players_ = ParseCount(count->value).value_or(0);
    if (players_ < rules_.players_min || players_ > rules_.players_max) {
      return TagError(*count, "the rule set is not for this number of players");
    }
    const auto viewer = ParseSeatName(viewer_name_, rules_.Playing(players_));
    if (!viewer) return LineError(1, "expected \"% VIEW\" and a seat that holds cards");
    viewer_ = *viewer;
    const Token* dealer = parts_.Find("Dealer");
    if (dealer != nullptr && dealer->value != SeatName(players_ - 1)) {
      return TagError(*dealer, "expected the last seat");
    }
    return absl::OkStatus();
  }

  // Reads the viewer's hand, and the dog if it was shown.
  absl::Status Start() {
    TAROT_ASSIGN_OR_RETURN(const Token* tag, parts_.Need("Deal"));
    TAROT_ASSIGN_OR_RETURN(const Token* dog, parts_.Need("Dog"));
    const std::vector<std::string> start = absl::StrSplit(tag->value, absl::MaxSplits(':', 1));
    if (start.size() != 2 || start[0] != "A") return TagError(*tag, "expected \"A:\" and hands");
    const std::vector<std::string> names = absl::StrSplit(start[1], ' ', absl::SkipEmpty());
    if (static_cast<int>(names.size()) != players_)
      return TagError(*tag, "expected one hand for each seat");
    std::array<CardSet, rules::kPlayersMax> hands;
    for (Seat seat = 0; seat < players_; ++seat) {
      if (seat != viewer_) {
        const bool hidden = names[Slot(seat)] == "?" || names[Slot(seat)] == HandName(CardSet());
        if (!hidden) return TagError(*tag, "only the viewer's hand may be known");
        continue;
      }
      const auto hand = ParseHandName(names[Slot(seat)]);
      if (!hand || hand->Size() != rules_.HandSize(players_)) {
        return TagError(*tag, absl::StrCat("expected ", rules_.HandSize(players_), " cards of ",
                                           SeatName(viewer_)));
      }
      hands[Slot(seat)] = *hand;
    }
    const auto shown = dog->value == "?" ? CardSet() : ParseHandName(dog->value);
    const bool whole = shown && shown->Size() == rules_.DogSize(players_);
    if (!shown || (!whole && dog->value != "?")) return TagError(*dog, "this is not a dog");
    if (!(*shown & hands[Slot(viewer_)]).Empty())
      return TagError(*dog, "holds cards of the viewer");
    Seat taker = rules::kNoSeat;
    if (rules_.taker_by == rules::TakerBy::kBoard) {
      TAROT_ASSIGN_OR_RETURN(const Token* board, parts_.Need("Taker"));
      const auto seat = ParseSeatName(board->value, rules_.Playing(players_));
      if (!seat) return TagError(*board, "there is no such seat");
      taker = *seat;
    }
    deal_ = StartDeal(rules_, players_, players_ - 1, hands, *shown, taker);
    return absl::OkStatus();
  }

  absl::Status Do(const Token& token, const Action& action) {
    const rules::Verdict verdict = Apply(deal_, deal_.turn, action);
    if (verdict.ok()) return absl::OkStatus();
    return TokenError(token, rules::RefusalStatus(action, verdict).message());
  }

  // Replays the decisions before the play. Stops at the first decision that is not in the text.
  absl::Status UntilPlay() {
    while (deal_.phase != Phase::kPlaying && deal_.phase != Phase::kDone) {
      const Phase phase = deal_.phase;
      if (phase == Phase::kBidding) {
        if (bids_ == parts_.auction.size()) return absl::OkStatus();
        const Token& word = parts_.auction[bids_++];
        const auto contract = ParseContractName(word.text);
        if (!contract) return TokenError(word, absl::StrCat("'", word.text, "' is not a bid"));
        TAROT_RETURN_IF_ERROR(Do(word, Action::Bid(*contract)));
        continue;
      }
      const Token* tag = phase == Phase::kSlam      ? SlamTag()
                         : phase == Phase::kCalling ? parts_.Find("Call")
                                                    : parts_.Find("Ecart");
      if (tag == nullptr) return absl::OkStatus();
      TAROT_RETURN_IF_ERROR(phase == Phase::kSlam      ? Slam(*tag)
                            : phase == Phase::kCalling ? Call(*tag)
                                                       : Discard(*tag));
    }
    return absl::OkStatus();
  }

  // Returns a tag which shows that the taker was asked about a slam. This is the tag of the slam
  // itself, or any tag that can come only after this decision. Returns null if there is none.
  const Token* SlamTag() const {
    const bool first = rules_.slam_announce == rules::SlamAnnounce::kWithContract;
    for (const char* name : {"Chelem", "Call", "Ecart", "Play"}) {
      const bool follows = first || name == std::string("Play") || name == std::string("Chelem");
      if (follows && parts_.Find(name) != nullptr) return parts_.Find(name);
    }
    return nullptr;
  }

  absl::Status Slam(const Token& tag) {
    const std::string seat = SeatName(deal_.taker);
    const bool announced = tag.text == "Chelem" && tag.value == seat + ":announced";
    if (tag.text == "Chelem" && !announced && tag.value != seat + ":-") {
      return TagError(tag, absl::StrCat("expected \"", seat, ":announced\""));
    }
    return Do(tag, Action::Slam(announced));
  }

  absl::Status Call(const Token& tag) {
    const auto card = ParseCardName(tag.value);
    if (!card && tag.value != "-") return TagError(tag, "this is not a card");
    CardSet& hand = deal_.hands[Slot(deal_.taker)];
    const CardSet before = hand;
    if (deal_.taker != viewer_) {
      // The taker's cards are hidden, so the check of the call gives the taker all cards except the
      // called card. A taker with all cards of the higher ranks may call a lower rank, so no legal
      // call is refused.
      hand = CardSet::All();
      if (card) hand.Erase(*card);
    }
    const CardSet lent = hand - before;
    TAROT_RETURN_IF_ERROR(Do(tag, Action::Call(card.value_or(rules::kNoCard))));
    hand = hand - (lent - deal_.dog);
    return absl::OkStatus();
  }

  absl::Status Discard(const Token& tag) {
    if (deal_.dog.Empty()) return TagError(parts_.tags.at("Dog"), "the dog was shown");
    if (deal_.taker == viewer_) {
      const auto cards = ParseHandName(tag.value);
      if (!cards) return TagError(tag, "these are not cards");
      return Do(tag, Action::Discard(*cards));
    }
    CardSet shown;
    if (tag.value != "?") {
      const auto trumps = ParseTrumpsName(absl::StripSuffix(tag.value, "/?"));
      const bool may_show = rules_.trump_discard != rules::TrumpDiscard::kFree &&
                            absl::EndsWith(tag.value, "/?") && trumps &&
                            trumps->Size() <= rules_.DogSize(players_) &&
                            (*trumps & CardSet::Bouts()).Empty();
      if (!may_show) return TagError(tag, "expected \"?\", or trumps that were shown and \"/?\"");
      shown = *trumps;
    }
    // Replaces the hidden cards of the écart by cards that an écart may always contain.
    CardSet stand_in;
    for (const rules::Card card :
         CardSet::All() - CardSet::AllTrumps() - CardSet::Kings() - CardSet::Bouts()) {
      const bool goes = card != deal_.called_card && stand_in.Size() < rules_.DogSize(players_);
      if (goes) stand_in.Insert(card);
    }
    deal_.hands[Slot(deal_.taker)] = stand_in;
    TAROT_RETURN_IF_ERROR(Do(tag, Action::Discard(stand_in)));
    deal_.discard = shown;
    return absl::OkStatus();
  }

  // Reads a handful such as "C:10:X,21,…". The text must list the cards, because the hand is
  // hidden.
  absl::Status Handful(const Token& tag, std::map<Seat, HandfulTag>& handfuls) const {
    const std::vector<std::string> parts = absl::StrSplit(tag.value, ':');
    if (parts.size() != 3) return TagError(tag, "expected a seat, a size and cards");
    const auto seat = ParseSeatName(parts[0], rules_.Playing(players_));
    const auto cards = ParseTrumpsName(parts[2]);
    if (!seat) return TagError(tag, "there is no such seat");
    if (!cards || cards->Size() != ParseCount(parts[1])) {
      return TagError(tag, "the cards are not trumps of that number");
    }
    const bool fresh = handfuls.emplace(*seat, HandfulTag{*cards, tag.line}).second;
    return fresh ? absl::OkStatus() : TagError(tag, "a second handful of this seat");
  }

  absl::Status Play() {
    const Token* tag = parts_.Find("Play");
    if (tag == nullptr) return absl::OkStatus();
    if (tag->value != SeatName(deal_.turn)) {
      return TagError(*tag, absl::StrCat("expected ", SeatName(deal_.turn)));
    }
    std::map<Seat, HandfulTag> handfuls;
    for (const Token& handful : parts_.handfuls) {
      TAROT_RETURN_IF_ERROR(Handful(handful, handfuls));
    }
    Document shown;
    TAROT_RETURN_IF_ERROR(
        ReadPlay(parts_.play, deal_.turn, deal_.playing, std::move(handfuls), shown));
    TAROT_RETURN_IF_ERROR(GiveHands(shown));
    for (std::size_t i = 0; i < shown.record.entries.size(); ++i) {
      const auto& [seat, action] = shown.record.entries[i];
      const rules::Verdict verdict = Apply(deal_, seat, action);
      if (verdict.ok()) continue;
      return LineError(shown.lines.entries[i],
                       absl::StrCat("by ", SeatName(seat), ": ",
                                    rules::RefusalStatus(action, verdict).message()),
                       shown.lines.entry_columns[i]);
    }
    for (std::size_t i = 0; i < shown.claims.winners.size(); ++i) {
      if (shown.claims.winners[i] == deal_.tricks[i].winner) continue;
      return LineError(shown.lines.winners[i],
                       absl::StrCat("expected =", SeatName(deal_.tricks[i].winner)));
    }
    return absl::OkStatus();
  }

  // Gives each hidden hand the cards that its seat shows. No card may be in two places.
  absl::Status GiveHands(const Document& shown) {
    std::array<CardSet, rules::kPlayersMax> hands;
    hands[Slot(viewer_)] = deal_.hands[Slot(viewer_)];
    for (const auto& [seat, action] : shown.record.entries) {
      if (seat == viewer_) continue;
      const bool plays = action.kind == Action::Kind::kPlay;
      CardSet& hand = hands[Slot(seat)];
      hand |= plays ? CardSet{action.card} : action.cards;
      if (seat == deal_.taker) hand -= deal_.discard;
    }
    CardSet placed = deal_.discard;
    for (Seat seat = 0; seat < players_; ++seat) {
      const CardSet hand = hands[Slot(seat)];
      const CardSet foreign = seat == deal_.taker ? placed : placed | deal_.dog;
      if (!(hand & foreign).Empty()) {
        return LineError(parts_.line,
                         absl::StrCat("a card of ", SeatName(seat), " is also in another place"));
      }
      placed |= hand;
      if (seat == deal_.taker || deal_.called_card == rules::kNoCard) continue;
      if (hand.Contains(deal_.called_card)) deal_.partner = seat;
    }
    deal_.hands = hands;
    return absl::OkStatus();
  }

  // Checks that the reader has used every tag about an event. Also checks that the tags Taker and
  // Contract agree with the replayed deal.
  absl::Status NothingLeft() const {
    if (bids_ < parts_.auction.size()) {
      return TokenError(parts_.auction[bids_], "the auction is over");
    }
    const bool first = rules_.slam_announce == rules::SlamAnnounce::kWithContract;
    const bool call_over = deal_.playing == 5 && deal_.phase > Phase::kCalling &&
                           !(first && deal_.phase == Phase::kSlam);
    const bool slam_over = rules_.slam_announce != rules::SlamAnnounce::kNever &&
                           deal_.phase != Phase::kBidding && deal_.phase != Phase::kSlam &&
                           (first || deal_.phase == Phase::kPlaying);
    const bool playing = deal_.phase == Phase::kPlaying;
    const std::pair<const char*, bool> uses[] = {
        {"Call", call_over && deal_.taker != rules::kNoSeat},
        {"Ecart", deal_.DogShown() && deal_.phase != Phase::kDiscarding},
        {"Chelem", slam_over && deal_.taker != rules::kNoSeat},
        {"Play", playing}};
    for (const auto& [name, used] : uses) {
      if (parts_.Find(name) != nullptr && !used)
        return TagError(*parts_.Find(name), "does not come yet");
    }
    if (!parts_.handfuls.empty() && parts_.Find("Play") == nullptr) {
      return TagError(parts_.handfuls[0], "there is no play");
    }
    const Token* taker = parts_.Find("Taker");
    if (taker != nullptr &&
        (deal_.taker == rules::kNoSeat || taker->value != SeatName(deal_.taker))) {
      return TagError(*taker, "not the taker");
    }
    const Token* contract = parts_.Find("Contract");
    if (contract != nullptr && contract->value != ContractName(deal_.contract)) {
      return TagError(*contract, "not the contract");
    }
    return absl::OkStatus();
  }

  // Sets the number of cards of every hand, because the hidden hands of the replay lack
  // cards.
  void CountHands(rules::View& view) const {
    for (Seat seat = 0; seat < players_; ++seat) {
      const bool out = seat == view.sits_out;
      view.hand_counts[Slot(seat)] = out ? 0 : rules_.HandSize(players_);
    }
    if (view.phase == Phase::kDiscarding) {
      view.hand_counts[Slot(view.taker)] += rules_.DogSize(players_);
    }
    for (int i = 0; i < view.trick_count; ++i) {
      const rules::Trick& trick = view.tricks[Slot(i)];
      for (int k = 0; k < trick.size; ++k) --view.hand_counts[Slot(view.After(trick.leader, k))];
    }
  }

  const TdnSections& parts_;
  const std::string& viewer_name_;
  rules::RuleSet rules_;
  int players_ = 4;
  Seat viewer_ = 0;
  std::size_t bids_ = 0;
  rules::Deal deal_;
};

// Returns the viewer's hand as it was dealt.
CardSet HandAsDealt(const View& view) {
  CardSet hand = view.hand;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[Slot(i)];
    for (int k = 0; k < trick.size; ++k) {
      if (view.After(trick.leader, k) == view.viewer) hand.Insert(trick.cards[Slot(k)]);
    }
  }
  if (view.viewer != view.taker) return hand;
  return (hand | view.discard) - view.dog;
}

class Writer {
 public:
  explicit Writer(const View& view)
      : view_(view), text_(absl::StrCat("VIEW ", SeatName(view.viewer))) {}

  std::string Run() {
    Header();
    if (view_.bid_count > 0) {
      text_.Auction(view_.SeatOfBid(0),
                    absl::MakeConstSpan(view_.bids).first(Slot(view_.bid_count)));
    }
    AfterAuction();
    if (view_.phase == Phase::kPlaying) {
      text_.Play(absl::MakeConstSpan(view_.tricks).first(Slot(view_.trick_count)));
    }
    return std::move(text_).End();
  }

 private:
  void Header() {
    text_.Tag("Players", absl::StrCat(view_.players));
    text_.Tag("Rules", rules::RuleSetText(view_.rules));
    text_.Tag("Dealer", SeatName(view_.dealer));
    std::string hands = "A:";
    for (Seat seat = 0; seat < view_.players; ++seat) {
      absl::StrAppend(&hands, seat == 0 ? "" : " ",
                      seat == view_.viewer     ? HandName(HandAsDealt(view_))
                      : seat == view_.sits_out ? HandName(CardSet())
                                               : "?");
    }
    text_.Tag("Deal", hands);
    text_.Tag("Dog", view_.dog.Empty() ? "?" : HandName(view_.dog));
  }

  void AfterAuction() {
    if (view_.taker == rules::kNoSeat) return;
    text_.Tag("Taker", SeatName(view_.taker));
    if (view_.contract == rules::Contract::kPass) return;
    text_.Tag("Contract", ContractName(view_.contract));
    const bool first = view_.rules.slam_announce == rules::SlamAnnounce::kWithContract;
    const bool called = view_.playing == 5 && view_.phase != Phase::kCalling &&
                        !(first && view_.phase == Phase::kSlam);
    if (called) text_.Call(view_.called_card);
    const bool put_away = !view_.dog.Empty() && view_.phase != Phase::kDiscarding;
    if (put_away) text_.Tag("Ecart", Discard());
    for (int i = 0; i < view_.handful_count; ++i) {
      text_.Handful(view_.handfuls[Slot(i)], true);
    }
    const bool untold = !called && !put_away && view_.phase != Phase::kPlaying;
    if (view_.slam_announced) {
      text_.Slam(view_.taker, true);
    } else if (first && untold && view_.phase != Phase::kSlam) {
      // Without the tag Chelem, the text would not show that the taker was asked about a slam.
      text_.Slam(view_.taker, false);
    }
  }

  // Seats other than the taker see only the trumps that had to go into the écart.
  std::string Discard() const {
    if (view_.viewer == view_.taker) return HandName(view_.discard);
    if (view_.discard_shown.Empty()) return "?";
    return TrumpsName(view_.discard_shown) + "/?";
  }

  const View& view_;
  TdnText text_;
};

}  // namespace

absl::StatusOr<rules::View> ReadTdnView(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Token> tokens, Tokenize(text));
  TdnSections parts("view");
  std::string viewer;
  TAROT_RETURN_IF_ERROR(Sort(tokens, parts, viewer));
  return Reader(parts, viewer).Run();
}

std::string WriteTdnView(const View& view) {
  TAROT_CHECK(view.dealer == view.players - 1 && view.phase != Phase::kDone);
  TAROT_CHECK(view.viewer != rules::kNoSeat && view.viewer != view.sits_out);
  return Writer(view).Run();
}

}  // namespace tarot::notation
