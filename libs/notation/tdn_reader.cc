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
#include "libs/rules/parameters.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Outcome;
using rules::Seat;

bool IsHex(absl::string_view text) {
  return text.size() % 2 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c));
         });
}

// The tokens of one record, sorted by what they are for.
struct Parts {
  std::map<std::string, Token> tags;
  std::vector<Token> handfuls;
  std::vector<Token> nonces;
  std::vector<Token> auction;
  std::vector<Token> play;
  int line = 1;  // Where the record ends.
};

absl::Status Sort(const Token& token, Parts& parts, std::vector<Token>*& section) {
  if (token.kind == Token::Kind::kDirective) {
    const bool version = absl::StartsWith(token.text, "TDN");
    if (version && token.text != "TDN 1" && !absl::StartsWith(token.text, "TDN 1.")) {
      return TokenError(token, "this is not TDN 1");
    }
    if (absl::StartsWith(token.text, "VIEW")) {
      return TokenError(token, "a view hides cards; only whole deals can be read");
    }
    return absl::OkStatus();
  }
  if (token.kind == Token::Kind::kWord) {
    if (section == nullptr) return TokenError(token, "text outside a tag");
    section->push_back(token);
    return absl::OkStatus();
  }
  section = token.text == "Auction" ? &parts.auction : token.text == "Play" ? &parts.play : nullptr;
  if (token.text == "Poignee") {
    parts.handfuls.push_back(token);
  } else if (token.text == "Nonce") {
    parts.nonces.push_back(token);
  } else if (!parts.tags.emplace(token.text, token).second) {
    return TokenError(token, absl::StrCat("a second tag ", token.text));
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
    return TokenError(tag, absl::StrCat(tag.text, " \"", tag.value, "\": ", what));
  }

  int players() const { return doc_.record.players; }
  int playing() const { return rules_.Playing(players()); }

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
    doc_.lines.entry_columns.push_back(1);  // Of a tag.
  }

  absl::Status Header() {
    Record& record = doc_.record;
    TAROT_ASSIGN_OR_RETURN(const Token* rules, Need("Rules"));
    TAROT_ASSIGN_OR_RETURN(const Token* count, Need("Players"));
    TAROT_ASSIGN_OR_RETURN(const Token* dealer, Need("Dealer"));
    const auto parsed = rules::ParseRuleSet(rules->value);
    if (!parsed.ok()) return Wrong(*rules, parsed.status().message());
    rules_ = *parsed;
    record.rule_set = rules::RuleSetText(rules_);
    record.players = ParseCount(count->value).value_or(0);
    if (players() < rules_.players_min || players() > rules_.players_max) {
      return Wrong(*count, absl::StrCat("the rule set ", record.rule_set, " is not for so many"));
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
      if (!hand) return TokenError(*deal, absl::StrCat("'", text, "' is no hand"));
      doc_.record.hands[Slot(seat)] = *hand;
      seat = (seat + 1) % players();
    }
    const auto cards = ParseHandName(dog->value);
    if (!cards) return Wrong(*dog, "these are no cards");
    doc_.record.dog = *cards;
    return absl::OkStatus();
  }

  absl::Status Auction() {
    const bool board = rules_.taker_by == rules::TakerBy::kBoard;
    if (board) {
      TAROT_ASSIGN_OR_RETURN(const Token* tag, Need("Taker"));
      TAROT_ASSIGN_OR_RETURN(doc_.record.board_taker, SeatOf(*tag, tag->value));
      taker_ = doc_.record.board_taker;
    }
    if (const Token* tag = Find("Auction")) {
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

  // The slam where it is announced with the contract, the call and the écart.
  absl::Status AfterAuction() {
    const bool alone = rules_.teams == rules::Teams::kEveryoneAlone;
    for (const char* name : {"Taker", "Contract", "Call", "Ecart", "Chelem", "Play"}) {
      const Token* tag = Find(name);
      if (tag == nullptr || taker_ != rules::kNoSeat || (alone && tag->text == "Play")) continue;
      return Wrong(*tag, "nobody took");
    }
    if (!parts_.handfuls.empty() && Find("Play") == nullptr) {
      return Wrong(parts_.handfuls[0], "there is no play");
    }
    if (rules_.slam_announce == rules::SlamAnnounce::kWithContract) {
      TAROT_RETURN_IF_ERROR(Slam({"Call", "Ecart", "Play"}));
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

  // Whether the taker announced a slam. Nothing is written of one who did not, where one of the
  // tags that `follow` tells that he was asked; otherwise "C:-" does.
  absl::Status Slam(const std::vector<std::string>& follow) {
    const Token* tag = Find("Chelem");
    const std::string seat = SeatName(taker_);
    const bool silent = tag != nullptr && tag->value == seat + ":-" &&
                        rules_.slam_announce == rules::SlamAnnounce::kWithContract;
    if (tag != nullptr && !silent && tag->value != seat + ":announced") {
      return Wrong(*tag, absl::StrCat("expected \"", seat, ":announced\""));
    }
    for (const std::string& name : follow) {
      if (tag == nullptr) tag = Find(name);
    }
    if (tag == nullptr) return absl::OkStatus();
    Append(taker_, Action::Slam(tag->text == "Chelem" && !silent), tag->line);
    return absl::OkStatus();
  }

  absl::Status Play() {
    const Token* play = Find("Play");
    const Token* slam = Find("Chelem");
    if (slam != nullptr && rules_.slam_announce == rules::SlamAnnounce::kNever) {
      return Wrong(*slam, "the rule set knows no announced slam");
    }
    if (rules_.slam_announce == rules::SlamAnnounce::kAfterDiscard) {
      if (play == nullptr && slam != nullptr) return Wrong(*slam, "there is no play");
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
        const bool shown = rules_.trump_discard != rules::TrumpDiscard::kFree;
        if (shown) exposed = ecart_ & CardSet::AllTrumps();
      }
      cards = OnlyHandful(rules_, hand, exposed, *count);
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
    const bool zero = rules_.scoring == rules::Scoring::kNormal;
    return sum == 0 || !zero ? absl::OkStatus() : Wrong(*tag, "the scores do not sum to zero");
  }

  template <std::size_t kSize>
  absl::Status Bytes(const char* name, std::optional<std::array<std::uint8_t, kSize>>& out) const {
    const Token* tag = Find(name);
    if (tag == nullptr) return absl::OkStatus();
    if (!IsHex(tag->value) || tag->value.size() != 2 * kSize) {
      return Wrong(*tag, absl::StrCat("expected ", 2 * kSize, " hexadecimal digits"));
    }
    const std::string bytes = absl::HexStringToBytes(tag->value);
    std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
    return absl::OkStatus();
  }

  absl::Status Fairness() {
    TAROT_RETURN_IF_ERROR(Bytes("Seed", doc_.record.seed));
    TAROT_RETURN_IF_ERROR(Bytes("Commit", doc_.record.commitment));
    TAROT_RETURN_IF_ERROR(Dealing());
    const Token* more = parts_.nonces.empty() ? Find("Gathered") : &parts_.nonces[0];
    if (more != nullptr && Find("Dealing") == nullptr) {
      return Wrong(*more, "the record has no Dealing");
    }
    for (const Token& tag : parts_.nonces) {
      TAROT_RETURN_IF_ERROR(Nonce(tag));
    }
    return Gathered();
  }

  // "2 C" or "2 C first": the procedure, the table's first seat, and whether the dealer was drawn.
  absl::Status Dealing() {
    const Token* tag = Find("Dealing");
    if (tag == nullptr) return absl::OkStatus();
    const std::vector<std::string> words = absl::StrSplit(tag->value, ' ');
    const bool first = words.size() == 3 && words[2] == "first";
    if (words[0] != "2" || (words.size() != 2 && !first)) {
      return Wrong(*tag, "expected the form \"2 C\" or \"2 C first\"");
    }
    doc_.record.procedure = dealing::Procedure::kSeedAndNonces;
    TAROT_ASSIGN_OR_RETURN(doc_.record.first_chair, SeatOf(*tag, words[1]));
    doc_.record.first_deal = first;
    return absl::OkStatus();
  }

  // "A:" and the bytes in hexadecimal.
  absl::Status Nonce(const Token& tag) {
    const std::vector<std::string> parts = absl::StrSplit(tag.value, absl::MaxSplits(':', 1));
    TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(tag, parts[0]));
    std::string& nonce = doc_.record.nonces[Slot(seat)];
    if (!nonce.empty()) return Wrong(tag, "a second nonce of this seat");
    if (parts.size() == 2 && IsHex(parts[1])) nonce = absl::HexStringToBytes(parts[1]);
    if (!nonce.empty() && nonce.size() <= dealing::kNonceBytesMax) return absl::OkStatus();
    return Wrong(tag, absl::StrCat("expected 1 to ", dealing::kNonceBytesMax,
                                   " bytes as hexadecimal digits"));
  }

  absl::Status Gathered() {
    const Token* tag = Find("Gathered");
    if (tag == nullptr) return absl::OkStatus();
    rules::PackOrder& pack = doc_.record.gathered.emplace();
    CardSet seen;
    std::size_t size = 0;
    for (const absl::string_view word : absl::StrSplit(tag->value, ' ')) {
      const auto card = ParseCardName(word);
      if (!card || size == pack.size()) return Wrong(*tag, "expected the 78 cards of the pack");
      pack[size++] = *card;
      seen.Insert(*card);
    }
    return seen == CardSet::All() ? absl::OkStatus() : Wrong(*tag, "the pack lacks cards");
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
  rules::RuleSet rules_;
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
