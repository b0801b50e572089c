#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/card_names.h"
#include "libs/notation/only_handful.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/notation/tdn_parts.h"
#include "libs/notation/tdn_play.h"
#include "libs/notation/tdn_tags.h"
#include "libs/notation/tdn_trailer.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Seat;

absl::Status CheckDirective(const Token& token) {
  const bool version = absl::StartsWith(token.text, "TDN");
  if (version && token.text != "TDN 1" && !absl::StartsWith(token.text, "TDN 1.")) {
    return TokenError(token, "this is not TDN 1");
  }
  if (absl::StartsWith(token.text, "VIEW")) {
    return TokenError(token, "a view hides cards; only whole deals can be read");
  }
  return absl::OkStatus();
}

class Reader {
 public:
  explicit Reader(const TdnParts& parts) : parts_(parts) {}

  absl::StatusOr<Document> Run() {
    TAROT_RETURN_IF_ERROR(Header());
    TAROT_RETURN_IF_ERROR(Cards());
    TAROT_RETURN_IF_ERROR(Auction());
    TAROT_RETURN_IF_ERROR(AfterAuction());
    TAROT_RETURN_IF_ERROR(Play());
    TAROT_RETURN_IF_ERROR(ReadClaims(parts_, rules_, doc_));
    TAROT_RETURN_IF_ERROR(ReadProvenance(parts_, doc_.record));
    return std::move(doc_);
  }

 private:
  int players() const { return doc_.record.players; }
  int playing() const { return rules_.Playing(players()); }

  absl::StatusOr<Seat> SeatOf(const Token& tag, absl::string_view text) const {
    return SeatOfTag(tag, text, players());
  }

  // A tag that only names the one seat it can name.
  absl::Status Same(const Token& tag, Seat seat) const {
    if (tag.value == SeatName(seat)) return absl::OkStatus();
    return TagError(tag, absl::StrCat("expected ", SeatName(seat)));
  }

  void Append(Seat seat, const Action& action, int line) {
    doc_.record.entries.push_back({seat, action});
    doc_.lines.entries.push_back(line);
    doc_.lines.entry_columns.push_back(1);  // Of a tag.
  }

  absl::Status Header() {
    Record& record = doc_.record;
    TAROT_ASSIGN_OR_RETURN(const Token* rules, parts_.Need("Rules"));
    TAROT_ASSIGN_OR_RETURN(const Token* count, parts_.Need("Players"));
    TAROT_ASSIGN_OR_RETURN(const Token* dealer, parts_.Need("Dealer"));
    const auto parsed = rules::ParseRuleSet(rules->value);
    if (!parsed.ok()) return TagError(*rules, parsed.status().message());
    rules_ = *parsed;
    record.rule_set = rules::RuleSetText(rules_);
    record.players = ParseCount(count->value).value_or(0);
    if (players() < rules_.players_min || players() > rules_.players_max) {
      return TagError(*count,
                      absl::StrCat("the rule set ", record.rule_set, " is not for so many"));
    }
    TAROT_RETURN_IF_ERROR(Same(*dealer, record.Dealer()));
    for (const auto& [name, tag] : parts_.tags) {
      doc_.lines.tags[name] = tag.line;
      if (name == "Event") record.event = tag.value;
      if (name == "Site") record.site = tag.value;
      if (name == "Date") record.date = tag.value;
      if (name == "Round") record.round = tag.value;
      if (!IsKnownTag(name)) record.tags[name] = tag.value;
      if (name.size() != 5 || !absl::StartsWith(name, "Seat") || !IsKnownTag(name)) continue;
      TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(tag, name.substr(4)));
      record.names[Slot(seat)] = tag.value;
    }
    return absl::OkStatus();
  }

  absl::Status Cards() {
    TAROT_ASSIGN_OR_RETURN(const Token* deal, parts_.Need("Deal"));
    TAROT_ASSIGN_OR_RETURN(const Token* dog, parts_.Need("Dog"));
    const std::vector<std::string> start = absl::StrSplit(deal->value, absl::MaxSplits(':', 1));
    if (start.size() != 2) return TagError(*deal, "expected a seat, ':' and hands");
    TAROT_ASSIGN_OR_RETURN(Seat seat, SeatOf(*deal, start[0]));
    const std::vector<std::string> hands = absl::StrSplit(start[1], ' ', absl::SkipEmpty());
    if (static_cast<int>(hands.size()) != players())
      return TagError(*deal, "expected a hand a seat");
    for (const std::string& text : hands) {
      const auto hand = ParseHandName(text);
      if (!hand) return TokenError(*deal, absl::StrCat("'", text, "' is no hand"));
      doc_.record.hands[Slot(seat)] = *hand;
      seat = (seat + 1) % players();
    }
    const auto cards = ParseHandName(dog->value);
    if (!cards) return TagError(*dog, "these are no cards");
    doc_.record.dog = *cards;
    return absl::OkStatus();
  }

  absl::Status Auction() {
    const bool board = rules_.taker_by == rules::TakerBy::kBoard;
    if (board) {
      TAROT_ASSIGN_OR_RETURN(const Token* tag, parts_.Need("Taker"));
      TAROT_ASSIGN_OR_RETURN(doc_.record.board_taker, SeatOf(*tag, tag->value));
      taker_ = doc_.record.board_taker;
    }
    if (const Token* tag = parts_.Find("Auction")) {
      const Seat first = board ? taker_ : 0;
      TAROT_RETURN_IF_ERROR(Same(*tag, first));
      TAROT_RETURN_IF_ERROR(ReadAuction(parts_.auction, first, playing(), doc_));
    }
    rules::Contract highest = rules::Contract::kPass;
    for (const Entry& bid : doc_.record.entries) {
      if (bid.action.contract <= highest) continue;
      highest = bid.action.contract;
      taker_ = bid.seat;
    }
    if (const Token* tag = parts_.Find("Taker")) {
      TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(*tag, tag->value));
      doc_.claims.taker = seat;
    }
    if (const Token* tag = parts_.Find("Contract")) {
      const auto contract = ParseContractName(tag->value);
      if (!contract || contract == rules::Contract::kPass)
        return TagError(*tag, "no such contract");
      doc_.claims.contract = contract;
    }
    return absl::OkStatus();
  }

  // The slam where it is announced with the contract, the call and the écart.
  absl::Status AfterAuction() {
    const bool alone = rules_.teams == rules::Teams::kEveryoneAlone;
    for (const char* name : {"Taker", "Contract", "Call", "Ecart", "Chelem", "Play"}) {
      const Token* tag = parts_.Find(name);
      if (tag == nullptr || taker_ != rules::kNoSeat || (alone && tag->text == "Play")) continue;
      return TagError(*tag, "nobody took");
    }
    if (!parts_.handfuls.empty() && parts_.Find("Play") == nullptr) {
      return TagError(parts_.handfuls[0], "there is no play");
    }
    if (rules_.slam_announce == rules::SlamAnnounce::kWithContract) {
      TAROT_RETURN_IF_ERROR(Slam({"Call", "Ecart", "Play"}));
    }
    if (const Token* tag = parts_.Find("Call")) {
      const auto card = ParseCardName(tag->value);
      if (!card && tag->value != "-") return TagError(*tag, "this is no card");
      Append(taker_, Action::Call(card.value_or(rules::kNoCard)), tag->line);
    }
    if (const Token* tag = parts_.Find("Ecart")) {
      const auto cards = ParseHandName(tag->value);
      if (!cards) return TagError(*tag, "these are no cards");
      ecart_ = *cards;
      Append(taker_, Action::Discard(ecart_), tag->line);
    }
    return absl::OkStatus();
  }

  // Whether the taker announced a slam. Nothing is written of one who did not, where one of the
  // tags that `follow` tells that he was asked; otherwise "C:-" does.
  absl::Status Slam(const std::vector<std::string>& follow) {
    const Token* tag = parts_.Find("Chelem");
    const std::string seat = SeatName(taker_);
    const bool silent = tag != nullptr && tag->value == seat + ":-" &&
                        rules_.slam_announce == rules::SlamAnnounce::kWithContract;
    if (tag != nullptr && !silent && tag->value != seat + ":announced") {
      return TagError(*tag, absl::StrCat("expected \"", seat, ":announced\""));
    }
    for (const std::string& name : follow) {
      if (tag == nullptr) tag = parts_.Find(name);
    }
    if (tag == nullptr) return absl::OkStatus();
    Append(taker_, Action::Slam(tag->text == "Chelem" && !silent), tag->line);
    return absl::OkStatus();
  }

  absl::Status Play() {
    const Token* play = parts_.Find("Play");
    const Token* slam = parts_.Find("Chelem");
    if (slam != nullptr && rules_.slam_announce == rules::SlamAnnounce::kNever) {
      return TagError(*slam, "the rule set knows no announced slam");
    }
    if (rules_.slam_announce == rules::SlamAnnounce::kAfterDiscard) {
      if (play == nullptr && slam != nullptr) return TagError(*slam, "there is no play");
      TAROT_RETURN_IF_ERROR(Slam({"Play"}));
    }
    if (play == nullptr) return absl::OkStatus();
    TAROT_ASSIGN_OR_RETURN(const Seat leader, SeatOf(*play, play->value));
    std::map<Seat, HandfulTag> handfuls;
    for (const Token& tag : parts_.handfuls) {
      TAROT_RETURN_IF_ERROR(Handful(tag, handfuls));
    }
    return ReadPlay(parts_.play, leader, playing(), std::move(handfuls), doc_);
  }

  // "C:10" or "C:10:X,21,..."
  absl::Status Handful(const Token& tag, std::map<Seat, HandfulTag>& handfuls) const {
    const std::vector<std::string> parts = absl::StrSplit(tag.value, ':');
    if (parts.size() < 2 || parts.size() > 3) return TagError(tag, "expected a seat and a size");
    TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(tag, parts[0]));
    const auto count = ParseCount(parts[1]);
    if (!count) return TagError(tag, "expected how many cards");
    std::optional<CardSet> cards;
    if (parts.size() == 3) {
      cards = ParseTrumpsName(parts[2]);
      if (!cards || cards->Size() != *count) return TagError(tag, "these are not so many trumps");
    } else {
      CardSet hand = doc_.record.hands[Slot(seat)];
      CardSet exposed;
      if (seat == taker_ && !ecart_.Empty()) {
        hand = (hand | doc_.record.dog) - ecart_;
        const bool shown = rules_.trump_discard != rules::TrumpDiscard::kFree;
        if (shown) exposed = ecart_ & CardSet::AllTrumps();
      }
      cards = OnlyHandful(rules_, hand, exposed, *count);
      if (!cards) return TagError(tag, "the hand does not tell which cards were shown");
    }
    if (!handfuls.emplace(seat, HandfulTag{*cards, tag.line}).second) {
      return TagError(tag, "a second handful of this seat");
    }
    return absl::OkStatus();
  }

  const TdnParts& parts_;
  rules::RuleSet rules_;
  Seat taker_ = rules::kNoSeat;
  CardSet ecart_;
  Document doc_;
};

}  // namespace

absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Token> tokens, Tokenize(text));
  std::vector<Document> documents;
  TdnParts parts("record");
  bool open = false;  // Between the first tag of a record and its "*".
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kEnd) {
      if (token.kind == Token::Kind::kDirective) {
        TAROT_RETURN_IF_ERROR(CheckDirective(token));
        continue;
      }
      TAROT_RETURN_IF_ERROR(parts.Add(token));
      open = open || token.kind == Token::Kind::kTag;
      continue;
    }
    parts.line = token.line;
    TAROT_ASSIGN_OR_RETURN(Document document, Reader(parts).Run());
    documents.push_back(std::move(document));
    parts = TdnParts("record");
    open = false;
  }
  if (open) return LineError(tokens.back().line, "the record does not end with \"*\"");
  if (documents.empty()) return LineError(1, "there is no record");
  return documents;
}

// Where the first entry stands that the rules refuse.
static int ColumnOfRefused(const Document& document) {
  const auto replayed = Replay(document.record);
  const std::vector<int>& columns = document.lines.entry_columns;
  return replayed.ok() && replayed->legal < columns.size() ? columns[replayed->legal] : 1;
}

absl::StatusOr<std::vector<Record>> ReadTdn(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(std::vector<Document> documents, ParseTdn(text));
  std::vector<Record> records;
  for (Document& document : documents) {
    for (const Check& check : Prove(document)) {
      if (check.truth != Truth::kFalse) continue;
      return LineError(std::max(check.line, 1), absl::StrCat(check.what, ": ", check.text),
                       check.what == "moves" ? ColumnOfRefused(document) : 1);
    }
    records.push_back(std::move(document.record));
  }
  return records;
}

}  // namespace tarot::notation
