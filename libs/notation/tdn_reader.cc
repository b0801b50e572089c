#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/card_names.h"
#include "libs/notation/only_handful.h"
#include "libs/notation/prove.h"
#include "libs/notation/tdn.h"
#include "libs/notation/tdn_lexer.h"
#include "libs/notation/tdn_play.h"
#include "libs/notation/tdn_tags.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Outcome;
using rules::Seat;

// The tokens of one record, sorted by what they are for.
struct Parts {
  std::map<std::string, Token> tags;
  std::vector<Token> handfuls;
  std::vector<Token> auction;
  std::vector<Token> play;
  int line = 1;  // Where the record ends.
};

absl::Status Sort(const Token& token, Parts& parts, std::vector<Token>*& section) {
  if (token.kind == Token::Kind::kDirective) {
    const bool version = absl::StartsWith(token.text, "TDN");
    if (version && token.text != "TDN 1" && !absl::StartsWith(token.text, "TDN 1.")) {
      return LineError(token.line, "this is not TDN 1");
    }
    if (absl::StartsWith(token.text, "VIEW")) {
      return LineError(token.line, "a view hides cards; only whole deals can be read");
    }
    return absl::OkStatus();
  }
  if (token.kind == Token::Kind::kWord) {
    if (section == nullptr) return LineError(token.line, "text outside a tag");
    section->push_back(token);
    return absl::OkStatus();
  }
  section = token.text == "Auction" ? &parts.auction : token.text == "Play" ? &parts.play : nullptr;
  if (token.text == "Poignee") {
    parts.handfuls.push_back(token);
  } else if (!parts.tags.emplace(token.text, token).second) {
    return LineError(token.line, absl::StrCat("a second tag ", token.text));
  }
  return absl::OkStatus();
}

class Reader {
 public:
  explicit Reader(const Parts& parts) : parts_(parts) {}

  absl::StatusOr<Document> Run() {
    TAROT_RETURN_IF_ERROR(Header());
    TAROT_RETURN_IF_ERROR(Cards());
    TAROT_RETURN_IF_ERROR(Auction());
    TAROT_RETURN_IF_ERROR(AfterAuction());
    TAROT_RETURN_IF_ERROR(Play());
    TAROT_RETURN_IF_ERROR(Result());
    TAROT_RETURN_IF_ERROR(Score());
    TAROT_RETURN_IF_ERROR(Fairness());
    TAROT_RETURN_IF_ERROR(Termination());
    return std::move(doc_);
  }

 private:
  const Token* Find(const std::string& name) const {
    const auto found = parts_.tags.find(name);
    return found == parts_.tags.end() ? nullptr : &found->second;
  }

  absl::StatusOr<const Token*> Need(const std::string& name) const {
    const Token* tag = Find(name);
    if (tag == nullptr) return LineError(parts_.line, absl::StrCat("the record has no ", name));
    return tag;
  }

  static absl::Status Wrong(const Token& tag, absl::string_view what) {
    return LineError(tag.line, absl::StrCat(tag.text, " \"", tag.value, "\": ", what));
  }

  int players() const { return doc_.record.players; }

  absl::StatusOr<Seat> SeatOf(const Token& tag, absl::string_view text) const {
    const auto seat = ParseSeatName(text, players());
    if (!seat) return Wrong(tag, "there is no such seat");
    return *seat;
  }

  // A tag that only names the one seat it can name.
  absl::Status Same(const Token& tag, Seat seat) const {
    if (tag.value == SeatName(seat)) return absl::OkStatus();
    return Wrong(tag, absl::StrCat("expected ", SeatName(seat)));
  }

  void Append(Seat seat, const Action& action, int line) {
    doc_.record.entries.push_back({seat, action});
    doc_.lines.entries.push_back(line);
  }

  absl::Status Header() {
    Record& record = doc_.record;
    TAROT_ASSIGN_OR_RETURN(const Token* rules, Need("Rules"));
    TAROT_ASSIGN_OR_RETURN(const Token* count, Need("Players"));
    TAROT_ASSIGN_OR_RETURN(const Token* dealer, Need("Dealer"));
    named_ = rules::FindRuleSet(rules->value);
    if (named_ == nullptr) return Wrong(*rules, "there is no such rule set");
    record.rule_set = rules->value;
    record.players = ParseCount(count->value).value_or(0);
    if (players() < named_->rules.players_min || players() > named_->rules.players_max) {
      return Wrong(*count, absl::StrCat("the rule set ", named_->name, " is not for so many"));
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
    TAROT_ASSIGN_OR_RETURN(const Token* deal, Need("Deal"));
    TAROT_ASSIGN_OR_RETURN(const Token* dog, Need("Dog"));
    const std::vector<std::string> start = absl::StrSplit(deal->value, absl::MaxSplits(':', 1));
    if (start.size() != 2) return Wrong(*deal, "expected a seat, ':' and hands");
    TAROT_ASSIGN_OR_RETURN(Seat seat, SeatOf(*deal, start[0]));
    const std::vector<std::string> hands = absl::StrSplit(start[1], ' ', absl::SkipEmpty());
    if (static_cast<int>(hands.size()) != players()) return Wrong(*deal, "expected a hand a seat");
    for (const std::string& text : hands) {
      const auto hand = ParseHandName(text);
      if (!hand) return LineError(deal->line, absl::StrCat("'", text, "' is no hand"));
      doc_.record.hands[Slot(seat)] = *hand;
      seat = (seat + 1) % players();
    }
    const auto cards = ParseHandName(dog->value);
    if (!cards) return Wrong(*dog, "these are no cards");
    doc_.record.dog = *cards;
    return absl::OkStatus();
  }

  absl::Status Auction() {
    if (const Token* tag = Find("Auction")) {
      TAROT_RETURN_IF_ERROR(Same(*tag, 0));
      TAROT_RETURN_IF_ERROR(ReadAuction(parts_.auction, doc_));
    }
    rules::Contract highest = rules::Contract::kPass;
    for (const Entry& bid : doc_.record.entries) {
      if (bid.action.contract <= highest) continue;
      highest = bid.action.contract;
      taker_ = bid.seat;
    }
    if (const Token* tag = Find("Taker")) {
      TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(*tag, tag->value));
      doc_.claims.taker = seat;
    }
    if (const Token* tag = Find("Contract")) {
      const auto contract = ParseContractName(tag->value);
      if (!contract || contract == rules::Contract::kPass) return Wrong(*tag, "no such contract");
      doc_.claims.contract = contract;
    }
    return absl::OkStatus();
  }

  // The call and the écart.
  absl::Status AfterAuction() {
    for (const char* name : {"Taker", "Contract", "Call", "Ecart", "Chelem", "Play"}) {
      const Token* tag = Find(name);
      if (tag != nullptr && taker_ == rules::kNoSeat) return Wrong(*tag, "nobody took");
    }
    if (!parts_.handfuls.empty() && Find("Play") == nullptr) {
      return Wrong(parts_.handfuls[0], "there is no play");
    }
    if (const Token* tag = Find("Call")) {
      const auto card = ParseCardName(tag->value);
      if (!card && tag->value != "-") return Wrong(*tag, "this is no card");
      Append(taker_, Action::Call(card.value_or(rules::kNoCard)), tag->line);
    }
    if (const Token* tag = Find("Ecart")) {
      const auto cards = ParseHandName(tag->value);
      if (!cards) return Wrong(*tag, "these are no cards");
      ecart_ = *cards;
      Append(taker_, Action::Discard(ecart_), tag->line);
    }
    return absl::OkStatus();
  }

  absl::Status Play() {
    const Token* play = Find("Play");
    const Token* slam = Find("Chelem");
    if (slam != nullptr && slam->value != SeatName(taker_) + ":announced") {
      return Wrong(*slam, absl::StrCat("expected \"", SeatName(taker_), ":announced\""));
    }
    if (slam != nullptr && named_->rules.slam_announce == rules::SlamAnnounce::kNever) {
      return Wrong(*slam, "the rule set knows no announced slam");
    }
    if (play == nullptr) {
      return slam == nullptr ? absl::OkStatus() : Wrong(*slam, "there is no play");
    }
    TAROT_ASSIGN_OR_RETURN(const Seat leader, SeatOf(*play, play->value));
    if (named_->rules.slam_announce != rules::SlamAnnounce::kNever) {
      Append(taker_, Action::Slam(slam != nullptr), (slam != nullptr ? slam : play)->line);
    }
    std::map<Seat, HandfulTag> handfuls;
    for (const Token& tag : parts_.handfuls) {
      TAROT_RETURN_IF_ERROR(Handful(tag, handfuls));
    }
    return ReadPlay(parts_.play, leader, std::move(handfuls), doc_);
  }

  // "C:10" or "C:10:X,21,..."
  absl::Status Handful(const Token& tag, std::map<Seat, HandfulTag>& handfuls) const {
    const std::vector<std::string> parts = absl::StrSplit(tag.value, ':');
    if (parts.size() < 2 || parts.size() > 3) return Wrong(tag, "expected a seat and a size");
    TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(tag, parts[0]));
    const auto count = ParseCount(parts[1]);
    if (!count) return Wrong(tag, "expected how many cards");
    std::optional<CardSet> cards;
    if (parts.size() == 3) {
      cards = ParseTrumpsName(parts[2]);
      if (!cards || cards->Size() != *count) return Wrong(tag, "these are not so many trumps");
    } else {
      CardSet hand = doc_.record.hands[Slot(seat)];
      CardSet exposed;
      if (seat == taker_ && !ecart_.Empty()) {
        hand = (hand | doc_.record.dog) - ecart_;
        const bool shown = named_->rules.trump_discard != rules::TrumpDiscard::kFree;
        if (shown) exposed = ecart_ & CardSet::AllTrumps();
      }
      cards = OnlyHandful(named_->rules, hand, exposed, *count);
      if (!cards) return Wrong(tag, "the hand does not tell which cards were shown");
    }
    if (!handfuls.emplace(seat, HandfulTag{*cards, tag.line}).second) {
      return Wrong(tag, "a second handful of this seat");
    }
    return absl::OkStatus();
  }

  // "C:40/41 bouts=2", halves as "40.5".
  absl::Status Result() {
    const Token* tag = Find("Result");
    if (tag == nullptr) return absl::OkStatus();
    const std::vector<std::string> parts = absl::StrSplit(tag->value, absl::ByAnyChar(":/ "));
    if (parts.size() != 4 || !absl::StartsWith(parts[3], "bouts=")) {
      return Wrong(*tag, "expected the form \"C:40/41 bouts=2\"");
    }
    TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(*tag, parts[0]));
    if (doc_.claims.taker && *doc_.claims.taker != seat) return Wrong(*tag, "not the taker");
    doc_.claims.taker = seat;
    const bool half = absl::EndsWith(parts[1], ".5");
    const auto made = ParseCount(parts[1].substr(0, parts[1].size() - (half ? 2 : 0)));
    const auto needed = ParseCount(parts[2]);
    const auto bouts = ParseCount(parts[3].substr(6));
    if (!made || !needed || !bouts) return Wrong(*tag, "a number was expected");
    doc_.claims.attack_half_points = 2 * *made + (half ? 1 : 0);
    doc_.claims.needed_half_points = 2 * *needed;
    doc_.claims.bouts = bouts;
    return absl::OkStatus();
  }

  absl::Status Score() {
    const Token* tag = Find("Score");
    if (tag == nullptr) return absl::OkStatus();
    const std::vector<std::string> parts = absl::StrSplit(tag->value, ' ', absl::SkipEmpty());
    if (static_cast<int>(parts.size()) != players()) return Wrong(*tag, "expected a score a seat");
    doc_.claims.scores.emplace();
    int sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string& part = parts[i];
      if (!absl::StartsWith(part, SeatName(static_cast<Seat>(i)) + ":")) {
        return Wrong(*tag, "expected the seats in order");
      }
      const bool sign = part.size() > 2 && (part[2] == '+' || part[2] == '-');
      const auto number = ParseCount(absl::string_view(part).substr(sign ? 3 : 2));
      if (!number) return Wrong(*tag, "a number was expected");
      (*doc_.claims.scores)[i] = sign && part[2] == '-' ? -*number : *number;
      sum += (*doc_.claims.scores)[i];
    }
    return sum == 0 ? absl::OkStatus() : Wrong(*tag, "the scores do not sum to zero");
  }

  template <std::size_t kSize>
  absl::Status Bytes(const char* name, std::optional<std::array<std::uint8_t, kSize>>& out) const {
    const Token* tag = Find(name);
    if (tag == nullptr) return absl::OkStatus();
    const bool digits = std::all_of(tag->value.begin(), tag->value.end(), [](char c) {
      return absl::ascii_isxdigit(static_cast<unsigned char>(c));
    });
    if (!digits || tag->value.size() != 2 * kSize) {
      return Wrong(*tag, absl::StrCat("expected ", 2 * kSize, " hexadecimal digits"));
    }
    const std::string bytes = absl::HexStringToBytes(tag->value);
    std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
    return absl::OkStatus();
  }

  absl::Status Fairness() {
    TAROT_RETURN_IF_ERROR(Bytes("Seed", doc_.record.seed));
    return Bytes("Commit", doc_.record.commitment);
  }

  absl::Status Termination() {
    const Token* tag = Find("Termination");
    if (tag == nullptr || tag->value == "normal") return absl::OkStatus();
    if (tag->value == "all-pass") {
      doc_.claims.outcome = Outcome::kAllPassed;
    } else if (tag->value == "petit-sec") {
      doc_.claims.outcome = Outcome::kPetitSec;
    } else if (absl::StartsWith(tag->value, "abandoned")) {
      doc_.claims.outcome = Outcome::kNone;
      if (tag->value == "abandoned") return absl::OkStatus();
      if (tag->value[9] != ' ') return Wrong(*tag, "no such end");
      TAROT_ASSIGN_OR_RETURN(doc_.record.abandoned_by, SeatOf(*tag, tag->value.substr(10)));
    } else {
      return Wrong(*tag, "no such end");
    }
    return absl::OkStatus();
  }

  const Parts& parts_;
  const rules::NamedRuleSet* named_ = nullptr;
  Seat taker_ = rules::kNoSeat;
  CardSet ecart_;
  Document doc_;
};

}  // namespace

absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Token> tokens, Tokenize(text));
  std::vector<Document> documents;
  Parts parts;
  std::vector<Token>* section = nullptr;
  bool open = false;  // Between the first tag of a record and its "*".
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kEnd) {
      TAROT_RETURN_IF_ERROR(Sort(token, parts, section));
      open = open || token.kind == Token::Kind::kTag;
      continue;
    }
    parts.line = token.line;
    TAROT_ASSIGN_OR_RETURN(Document document, Reader(parts).Run());
    documents.push_back(std::move(document));
    parts = Parts();
    section = nullptr;
    open = false;
  }
  if (open) return LineError(tokens.back().line, "the record does not end with \"*\"");
  if (documents.empty()) return LineError(1, "there is no record");
  return documents;
}

absl::StatusOr<std::vector<Record>> ReadTdn(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(std::vector<Document> documents, ParseTdn(text));
  std::vector<Record> records;
  for (Document& document : documents) {
    for (const Check& check : Prove(document)) {
      if (check.truth != Truth::kFalse) continue;
      return LineError(std::max(check.line, 1), absl::StrCat(check.what, ": ", check.text));
    }
    records.push_back(std::move(document.record));
  }
  return records;
}

}  // namespace tarot::notation
