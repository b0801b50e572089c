#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
using rules::CardSet;
using rules::Outcome;
using rules::Seat;

bool IsHex(absl::string_view text) {
  return text.size() % 2 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c));
         });
}

// Reads a result such as "C:40/41 bouts=2" or "C:40.5/41 bouts=2".
absl::Status Result(const TdnSections& parts, int players, Claims& claims) {
  const Token* tag = parts.Find("Result");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, absl::ByAnyChar(":/ "));
  if (words.size() != 4 || !absl::StartsWith(words[3], "bouts=")) {
    return TagError(*tag, "expected the form \"C:40/41 bouts=2\"");
  }
  TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOfTag(*tag, words[0], players));
  if (claims.taker && *claims.taker != seat) return TagError(*tag, "not the taker");
  claims.taker = seat;
  const bool half = absl::EndsWith(words[1], ".5");
  const auto made = ParseCount(words[1].substr(0, words[1].size() - (half ? 2 : 0)));
  const auto needed = ParseCount(words[2]);
  const auto bouts = ParseCount(words[3].substr(6));
  if (!made || !needed || !bouts) return TagError(*tag, "a number was expected");
  claims.attack_half_points = 2 * *made + (half ? 1 : 0);
  claims.needed_half_points = 2 * *needed;
  claims.bouts = bouts;
  return absl::OkStatus();
}

absl::Status Scores(const TdnSections& parts, const rules::RuleSet& rules, int players,
                    Claims& claims) {
  const Token* tag = parts.Find("Score");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, ' ', absl::SkipEmpty());
  if (static_cast<int>(words.size()) != players)
    return TagError(*tag, "expected one score for each seat");
  claims.scores.emplace();
  int sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& part = words[i];
    if (!absl::StartsWith(part, SeatName(static_cast<Seat>(i)) + ":")) {
      return TagError(*tag, "expected the seats in order");
    }
    const bool sign = part.size() > 2 && (part[2] == '+' || part[2] == '-');
    const auto number = ParseCount(absl::string_view(part).substr(sign ? 3 : 2));
    if (!number) return TagError(*tag, "a number was expected");
    (*claims.scores)[i] = sign && part[2] == '-' ? -*number : *number;
    sum += (*claims.scores)[i];
  }
  const bool zero = rules.scoring == rules::Scoring::kNormal;
  return sum == 0 || !zero ? absl::OkStatus() : TagError(*tag, "the scores do not sum to zero");
}

absl::Status Termination(const TdnSections& parts, Document& document) {
  const Token* tag = parts.Find("Termination");
  if (tag == nullptr || tag->value == "normal") return absl::OkStatus();
  if (tag->value == "all-pass") {
    document.claims.outcome = Outcome::kAllPassed;
  } else if (tag->value == "petit-sec") {
    document.claims.outcome = Outcome::kPetitSec;
  } else if (absl::StartsWith(tag->value, "abandoned")) {
    document.claims.outcome = Outcome::kNone;
    if (tag->value == "abandoned") return absl::OkStatus();
    if (tag->value[9] != ' ') return TagError(*tag, "there is no such ending");
    TAROT_ASSIGN_OR_RETURN(document.record.abandoned_by,
                           SeatOfTag(*tag, tag->value.substr(10), document.record.players));
  } else {
    return TagError(*tag, "there is no such ending");
  }
  return absl::OkStatus();
}

template <std::size_t kSize>
absl::Status Bytes(const TdnSections& parts, const char* name,
                   std::optional<std::array<std::uint8_t, kSize>>& out) {
  const Token* tag = parts.Find(name);
  if (tag == nullptr) return absl::OkStatus();
  if (!IsHex(tag->value) || tag->value.size() != 2 * kSize) {
    return TagError(*tag, absl::StrCat("expected ", 2 * kSize, " hexadecimal digits"));
  }
  const std::string bytes = absl::HexStringToBytes(tag->value);
  std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
  return absl::OkStatus();
}

// Reads a text such as "2 C" or "3 C first": the procedure and the first seat of the table. The
// word "first" marks the first deal of a match.
absl::Status Dealing(const TdnSections& parts, Record& record) {
  const Token* tag = parts.Find("Dealing");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, ' ');
  const bool first = words.size() == 3 && words[2] == "first";
  const bool drawn = words[0] == "3";
  if ((!drawn && words[0] != "2") || (words.size() != 2 && !first)) {
    return TagError(*tag, "expected the form \"2 C\", \"2 C first\", \"3 C\" or \"3 C first\"");
  }
  record.procedure =
      drawn ? dealing::Procedure::kDrawnGathering : dealing::Procedure::kSeedAndNonces;
  TAROT_ASSIGN_OR_RETURN(record.first_chair, SeatOfTag(*tag, words[1], record.players));
  record.first_deal = first;
  return absl::OkStatus();
}

// Reads a nonce such as "B:00ff": a seat, and the bytes in hexadecimal.
absl::Status Nonce(const Token& tag, Record& record) {
  const std::vector<std::string> words = absl::StrSplit(tag.value, absl::MaxSplits(':', 1));
  TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOfTag(tag, words[0], record.players));
  std::string& nonce = record.nonces[Slot(seat)];
  if (!nonce.empty()) return TagError(tag, "a second nonce of this seat");
  if (words.size() == 2 && IsHex(words[1])) nonce = absl::HexStringToBytes(words[1]);
  if (!nonce.empty() && nonce.size() <= dealing::kNonceBytesMax) return absl::OkStatus();
  return TagError(
      tag, absl::StrCat("expected 1 to ", dealing::kNonceBytesMax, " bytes as hexadecimal digits"));
}

// Reads the gathered cards. With procedure 3, "|" stands between packets and "/" between piles.
absl::Status Gathered(const TdnSections& parts, Record& record) {
  const Token* tag = parts.Find("Gathered");
  if (tag == nullptr) return absl::OkStatus();
  const bool drawn = record.procedure == dealing::Procedure::kDrawnGathering;
  if (drawn) record.piles = {{0}};
  rules::PackOrder& pack = record.gathered.emplace();
  CardSet seen;
  std::size_t size = 0;
  for (const absl::string_view word : absl::StrSplit(tag->value, ' ')) {
    if (drawn && (word == "|" || word == "/")) {
      if (word == "/") record.piles.emplace_back();
      record.piles.back().push_back(0);
      continue;
    }
    const auto card = ParseCardName(word);
    if (!card || size == pack.size()) return TagError(*tag, "expected the 78 cards of the pack");
    pack[size++] = *card;
    seen.Insert(*card);
    if (drawn) ++record.piles.back().back();
  }
  if (drawn && !rules::HoldsWholePack(record.piles)) return TagError(*tag, "an empty packet");
  return seen == CardSet::All() ? absl::OkStatus() : TagError(*tag, "the pack lacks cards");
}

// Reads Result, Score and Termination into the claims of `document`. The record of `document` must
// already have its number of players. The errors are those of ParseTdn().
absl::Status ReadClaims(const TdnSections& parts, const rules::RuleSet& rules, Document& document) {
  TAROT_RETURN_IF_ERROR(Result(parts, document.record.players, document.claims));
  TAROT_RETURN_IF_ERROR(Scores(parts, rules, document.record.players, document.claims));
  return Termination(parts, document);
}

// Reads Seed, Commit, Dealing, Nonce and Gathered into `record`. The errors are those of
// ParseTdn().
absl::Status ReadProvenance(const TdnSections& parts, Record& record) {
  TAROT_RETURN_IF_ERROR(Bytes(parts, "Seed", record.seed));
  TAROT_RETURN_IF_ERROR(Bytes(parts, "Commit", record.commitment));
  TAROT_RETURN_IF_ERROR(Dealing(parts, record));
  const Token* more = parts.nonces.empty() ? parts.Find("Gathered") : &parts.nonces[0];
  if (more != nullptr && parts.Find("Dealing") == nullptr) {
    return TagError(*more, "the record has no Dealing");
  }
  for (const Token& tag : parts.nonces) {
    TAROT_RETURN_IF_ERROR(Nonce(tag, record));
  }
  return Gathered(parts, record);
}

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
  explicit Reader(const TdnSections& parts) : parts_(parts) {}

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

  // Checks a tag whose only possible value is `seat`.
  absl::Status Same(const Token& tag, Seat seat) const {
    if (tag.value == SeatName(seat)) return absl::OkStatus();
    return TagError(tag, absl::StrCat("expected ", SeatName(seat)));
  }

  void Append(Seat seat, const Action& action, int line) {
    doc_.record.entries.push_back({seat, action});
    doc_.lines.entries.push_back(line);
    // An error in this entry is reported for the whole line, so its column is 1.
    doc_.lines.entry_columns.push_back(1);
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
      return TagError(*count, absl::StrCat("the rule set ", record.rule_set,
                                           " is not for this number of players"));
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
      return TagError(*deal, "expected one hand for each seat");
    for (const std::string& text : hands) {
      const auto hand = ParseHandName(text);
      if (!hand) return TokenError(*deal, absl::StrCat("'", text, "' is not a hand"));
      doc_.record.hands[Slot(seat)] = *hand;
      seat = (seat + 1) % players();
    }
    const auto cards = ParseHandName(dog->value);
    if (!cards) return TagError(*dog, "these are not cards");
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

  // Reads the call and the écart. In a rule set where the taker announces a slam with the contract,
  // reads this announcement first.
  absl::Status AfterAuction() {
    const bool alone = rules_.teams == rules::Teams::kEveryoneAlone;
    for (const char* name : {"Taker", "Contract", "Call", "Ecart", "Chelem", "Play"}) {
      const Token* tag = parts_.Find(name);
      if (tag == nullptr || taker_ != rules::kNoSeat || (alone && tag->text == "Play")) continue;
      return TagError(*tag, "there is no taker");
    }
    if (!parts_.handfuls.empty() && parts_.Find("Play") == nullptr) {
      return TagError(parts_.handfuls[0], "there is no play");
    }
    if (rules_.slam_announce == rules::SlamAnnounce::kWithContract) {
      TAROT_RETURN_IF_ERROR(Slam({"Call", "Ecart", "Play"}));
    }
    if (const Token* tag = parts_.Find("Call")) {
      const auto card = ParseCardName(tag->value);
      if (!card && tag->value != "-") return TagError(*tag, "this is not a card");
      Append(taker_, Action::Call(card.value_or(rules::kNoCard)), tag->line);
    }
    if (const Token* tag = parts_.Find("Ecart")) {
      const auto cards = ParseHandName(tag->value);
      if (!cards) return TagError(*tag, "these are not cards");
      ecart_ = *cards;
      Append(taker_, Action::Discard(ecart_), tag->line);
    }
    return absl::OkStatus();
  }

  // Reads whether the taker announced a slam. If the record has no tag Chelem, the tags in `follow`
  // decide. If the record has one of these tags, the taker was asked and announced no slam. With
  // SlamAnnounce::kWithContract, the tag Chelem can also say that taker C announced no slam: its
  // value is then "C:-".
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
      return TagError(*slam, "the rule set has no announced slam");
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

  // Reads a handful such as "C:10" or "C:10:X,21,...".
  absl::Status Handful(const Token& tag, std::map<Seat, HandfulTag>& handfuls) const {
    const std::vector<std::string> parts = absl::StrSplit(tag.value, ':');
    if (parts.size() < 2 || parts.size() > 3) return TagError(tag, "expected a seat and a size");
    TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOf(tag, parts[0]));
    const auto count = ParseCount(parts[1]);
    if (!count) return TagError(tag, "expected the number of cards");
    std::optional<CardSet> cards;
    if (parts.size() == 3) {
      cards = ParseTrumpsName(parts[2]);
      if (!cards || cards->Size() != *count)
        return TagError(tag, "the cards are not trumps of that number");
    } else {
      CardSet hand = doc_.record.hands[Slot(seat)];
      CardSet exposed;
      if (seat == taker_ && !ecart_.Empty()) {
        hand = (hand | doc_.record.dog) - ecart_;
        const bool shown = rules_.trump_discard != rules::TrumpDiscard::kFree;
        if (shown) exposed = ecart_ & CardSet::AllTrumps();
      }
      cards = OnlyHandful(rules_, hand, exposed, *count);
      if (!cards) return TagError(tag, "several handfuls are possible: name the cards");
    }
    if (!handfuls.emplace(seat, HandfulTag{*cards, tag.line}).second) {
      return TagError(tag, "a second handful of this seat");
    }
    return absl::OkStatus();
  }

  const TdnSections& parts_;
  rules::RuleSet rules_;
  Seat taker_ = rules::kNoSeat;
  CardSet ecart_;
  Document doc_;
};

}  // namespace

absl::StatusOr<std::vector<Document>> ParseTdn(absl::string_view text) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<Token> tokens, Tokenize(text));
  std::vector<Document> documents;
  TdnSections parts("record");
  bool open = false;  // True between the first tag of a record and its "*".
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
    parts = TdnSections("record");
    open = false;
  }
  if (open) return LineError(tokens.back().line, "the record does not end with \"*\"");
  if (documents.empty()) return LineError(1, "there is no record");
  return documents;
}

// Returns the column of the first illegal entry, or 1 if it is unknown.
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
