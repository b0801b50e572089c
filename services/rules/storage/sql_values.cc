#include "services/rules/storage/sql_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace

std::string SqlTime(absl::Time time) {
  if (time == absl::InfiniteFuture()) return "infinity";
  if (time == absl::InfinitePast()) return "-infinity";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S%Ez", time, absl::UTCTimeZone());
}

absl::Time TimeFromEpoch(const std::string& seconds) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(seconds, absl::MaxSplits('.', 1));
  std::int64_t whole = 0;
  std::int64_t micros = 0;
  std::string fraction(parts.second);
  fraction.resize(6, '0');
  (void)absl::SimpleAtoi(parts.first, &whole);
  (void)absl::SimpleAtoi(fraction, &micros);
  return absl::FromUnixMicros(whole * 1'000'000 + micros);
}

std::vector<int> IntsFromSql(const std::string& array) {
  std::vector<int> out;
  const absl::string_view inner = absl::StripSuffix(absl::StripPrefix(array, "{"), "}");
  for (const absl::string_view part : absl::StrSplit(inner, ',', absl::SkipEmpty())) {
    int value = 0;
    if (absl::SimpleAtoi(part, &value)) out.push_back(value);
  }
  return out;
}

void SqlArray::Separate() {
  if (text_.size() > 1) text_ += ',';
}

void SqlArray::AppendHex(const std::uint8_t* bytes, std::size_t size) {
  const std::size_t begin = text_.size();
  text_.resize(begin + 2 * size);
  char* to = text_.data() + begin;
  for (std::size_t i = 0; i < size; ++i) {
    *to++ = kHexDigits[bytes[i] >> 4];
    *to++ = kHexDigits[bytes[i] & 15];
  }
}

void SqlArray::AddNumber(std::int64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
}

void SqlArray::AddId(const Uuid& id) {
  Separate();
  // Postgres reads an id with and without dashes.
  AppendHex(id.bytes().data(), id.bytes().size());
}

void SqlArray::AddBytes(absl::string_view bytes) {
  Separate();
  // Inside the quotes of an array element, Postgres reads two backslashes as one backslash.
  text_ += "\"\\\\x";
  AppendHex(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  text_ += '"';
}

void SqlArray::AddText(absl::string_view text) {
  Separate();
  text_ += '"';
  for (const char c : text.substr(0, text.find('\0'))) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

std::string SqlArray::Finish() && {
  text_ += '}';
  return std::move(text_);
}

namespace {

// sealed_log.h defines the kinds 4 and 5.
enum Kind {
  kAction = 0,
  kDeal = 1,
  kResume = 2,
  kNonce = 3,
  kVoid = 6,
  kClaim = 7,
  kProposal = 8,
  kAnswer = 9,
  kBreakEnd = 10,
  kMatchEnd = 11,
  kPhrase = 20,
  kMute = 21
};

struct Encoder {
  StoredBody operator()(const DealStarted& dealt) const {
    return {kDeal, dealing::EncodeDealStart(*dealt.start)};
  }
  StoredBody operator()(const rules::Action& action) const {
    return {kAction, rules::EncodeAction(action)};
  }
  StoredBody operator()(const NonceAdded& added) const { return {kNonce, added.nonce}; }
  StoredBody operator()(const SeatResumed&) const { return {kResume, ""}; }
  StoredBody operator()(const DealVoided& voided) const {
    return {voided.ends_match ? kMatchEnd : kVoid, voided.reason};
  }
  StoredBody operator()(const TricksClaimed& claimed) const {
    std::string cards;
    for (const rules::Card card : claimed.cards) cards.push_back(static_cast<char>(Index(card)));
    return {kClaim, std::move(cards)};
  }
  StoredBody operator()(const PhraseSaid& said) const {
    return {kPhrase, std::string(1, static_cast<char>(said.phrase))};
  }
  StoredBody operator()(const SeatMuted& change) const {
    return {kMute, {static_cast<char>(change.seat), static_cast<char>(change.muted)}};
  }
  StoredBody operator()(const Proposed& proposed) const {
    std::string payload = {static_cast<char>(proposed.kind), static_cast<char>(proposed.granted)};
    if (proposed.asked) {
      for (const bool asked : *proposed.asked) payload += static_cast<char>(asked);
    }
    return {kProposal, payload};
  }
  StoredBody operator()(const ProposalAnswered& answered) const {
    return {kAnswer,
            {static_cast<char>(answered.kind), static_cast<char>(answered.agrees),
             static_cast<char>(answered.granted)}};
  }
  StoredBody operator()(const BreakEnded&) const { return {kBreakEnd, ""}; }
};

bool IsFlag(char byte) { return byte == 0 || byte == 1; }

std::optional<ProposalKind> ProposalKindFrom(char byte) {
  if (byte == static_cast<char>(ProposalKind::kTakeBack)) return ProposalKind::kTakeBack;
  if (byte == static_cast<char>(ProposalKind::kBreak)) return ProposalKind::kBreak;
  return std::nullopt;
}

}  // namespace

StoredBody EncodeBody(const EntryBody& body) { return std::visit(Encoder(), body); }

std::optional<EntryBody> DecodeBody(int kind, absl::string_view payload, int players,
                                    int deal_number) {
  switch (kind) {
    case kAction:
      return rules::DecodeAction(payload);
    case kDeal: {
      auto start = dealing::DecodeDealStart(payload, players, deal_number);
      if (!start) return std::nullopt;
      return DealStarted{std::make_shared<const dealing::DealStart>(*std::move(start))};
    }
    case kResume:
      return SeatResumed();
    case kNonce:
      return NonceAdded{std::string(payload)};
    case kVoid:
      return DealVoided{.reason = std::string(payload)};
    case kMatchEnd:
      return DealVoided{.reason = std::string(payload), .ends_match = true};
    case kClaim: {
      TricksClaimed claimed;
      for (const char byte : payload) {
        if (!rules::IsCard(static_cast<std::uint8_t>(byte))) return std::nullopt;
        claimed.cards.push_back(rules::CardAt(static_cast<std::uint8_t>(byte)));
      }
      return claimed;
    }
    case kPhrase: {
      if (payload.size() != 1) return std::nullopt;
      const auto number = static_cast<std::uint8_t>(payload[0]);
      if (number < 1 || number > static_cast<std::uint8_t>(kLastPhrase)) return std::nullopt;
      return PhraseSaid{static_cast<Phrase>(number)};
    }
    case kMute: {
      if (payload.size() != 2) return std::nullopt;
      const auto seat = static_cast<std::uint8_t>(payload[0]);
      const auto muted = static_cast<std::uint8_t>(payload[1]);
      if (seat >= players || muted > 1) return std::nullopt;
      return SeatMuted{.seat = static_cast<rules::Seat>(seat), .muted = muted == 1};
    }
    case kProposal: {
      if (payload.size() != 2 && payload.size() != 2 + rules::kPlayersMax) return std::nullopt;
      const std::optional<ProposalKind> wanted = ProposalKindFrom(payload[0]);
      const bool flags = std::all_of(payload.begin() + 1, payload.end(), IsFlag);
      if (!wanted || !flags) return std::nullopt;
      Proposed proposed{.kind = *wanted, .granted = payload[1] == 1};
      if (payload.size() == 2) return proposed;  // An older version stored this entry.
      std::array<bool, rules::kPlayersMax>& asked = proposed.asked.emplace();
      for (std::size_t seat = 0; seat < asked.size(); ++seat) asked[seat] = payload[2 + seat] == 1;
      return proposed;
    }
    case kAnswer: {
      if (payload.size() != 3) return std::nullopt;
      const std::optional<ProposalKind> answered = ProposalKindFrom(payload[0]);
      if (!answered || !IsFlag(payload[1]) || !IsFlag(payload[2])) return std::nullopt;
      return ProposalAnswered{
          .kind = *answered, .agrees = payload[1] == 1, .granted = payload[2] == 1};
    }
    case kBreakEnd:
      return BreakEnded();
    default:
      return std::nullopt;
  }
}

}  // namespace tarot::rules_service
