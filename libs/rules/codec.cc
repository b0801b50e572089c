#include "libs/rules/codec.h"

namespace tarot::rules {
namespace {

// An encoded action is one byte for the version, one byte for the kind, and then the value. The
// value is one byte or a set of cards. A set is 7 bytes for the suits and then 3 bytes for the
// trumps and the Excuse (the words of CardSet), low byte first.
constexpr char kVersion = 1;
constexpr int kSuitBytes = 7;
constexpr int kTrumpBytes = 3;

void AppendWord(std::string& out, std::uint64_t word, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(word >> (8 * i) & 0xFF);
}

std::uint64_t ReadWord(absl::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

std::optional<CardSet> ReadSet(absl::string_view bytes) {
  if (bytes.size() != kSuitBytes + kTrumpBytes) return std::nullopt;
  const CardSet set =
      CardSet::FromWords(ReadWord(bytes.substr(0, kSuitBytes)), ReadWord(bytes.substr(kSuitBytes)));
  if (!CardSet::All().ContainsAll(set)) return std::nullopt;
  return set;
}

// Decodes an action whose value is one byte. Returns nullopt if the value is out of range.
std::optional<Action> ReadByte(Action::Kind kind, int value) {
  switch (kind) {
    case Action::Kind::kBid:
      if (value > static_cast<int>(Contract::kGardeContre)) return std::nullopt;
      return Action::Bid(static_cast<Contract>(value));
    case Action::Kind::kSlam:
      if (value > 1) return std::nullopt;
      return Action::Slam(value == 1);
    case Action::Kind::kCall:
      if (!IsCard(value) && value != Index(kNoCard)) return std::nullopt;
      return Action::Call(CardAt(value));
    case Action::Kind::kPlay:
      if (!IsCard(value)) return std::nullopt;
      return Action::Play(CardAt(value));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string EncodeAction(const Action& action) {
  std::string out{kVersion, static_cast<char>(action.kind)};
  switch (action.kind) {
    case Action::Kind::kBid:
      out += static_cast<char>(action.contract);
      break;
    case Action::Kind::kSlam:
      out += static_cast<char>(action.announce ? 1 : 0);
      break;
    case Action::Kind::kCall:
    case Action::Kind::kPlay:
      out += static_cast<char>(action.card);
      break;
    case Action::Kind::kDiscard:
    case Action::Kind::kHandful:
      AppendWord(out, action.cards.suits(), kSuitBytes);
      AppendWord(out, action.cards.trumps(), kTrumpBytes);
      break;
  }
  return out;
}

std::optional<Action> DecodeAction(absl::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != kVersion) return std::nullopt;
  if (bytes[1] < 0 || bytes[1] > static_cast<char>(Action::Kind::kPlay)) return std::nullopt;
  const auto kind = static_cast<Action::Kind>(bytes[1]);
  const absl::string_view rest = bytes.substr(2);
  if (kind == Action::Kind::kDiscard || kind == Action::Kind::kHandful) {
    const std::optional<CardSet> set = ReadSet(rest);
    if (!set) return std::nullopt;
    return kind == Action::Kind::kDiscard ? Action::Discard(*set) : Action::Handful(*set);
  }
  if (rest.size() != 1) return std::nullopt;
  return ReadByte(kind, static_cast<unsigned char>(rest[0]));
}

}  // namespace tarot::rules
