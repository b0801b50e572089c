#include "tools/tarotctl/view/talk.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::SaidPhrase;
using rules::v1::Table;

struct PhraseWords {
  SaidPhrase::Phrase phrase;
  absl::string_view typed;
  absl::string_view shown;
};

constexpr std::array<PhraseWords, 6> kPhrases = {{
    {SaidPhrase::HELLO, "hello", "Hello!"},
    {SaidPhrase::WELL_PLAYED, "well played", "Well played!"},
    {SaidPhrase::SORRY, "sorry", "Sorry!"},
    {SaidPhrase::THANKS, "thanks", "Thanks!"},
    {SaidPhrase::ONE_MOMENT, "one moment", "One moment, please."},
    {SaidPhrase::GOOD_GAME, "good game", "Good game!"},
}};

}  // namespace

std::optional<SaidPhrase::Phrase> ParsePhrase(absl::string_view typed) {
  const std::string words =
      absl::StrReplaceAll(absl::StripAsciiWhitespace(typed), {{"-", " "}, {"_", " "}});
  for (const PhraseWords& each : kPhrases) {
    if (words == absl::StrCat(static_cast<int>(each.phrase))) return each.phrase;
    if (absl::EqualsIgnoreCase(words, each.typed)) return each.phrase;
  }
  return std::nullopt;
}

std::string PhraseList() {
  std::string list;
  for (const PhraseWords& each : kPhrases) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", static_cast<int>(each.phrase), " ",
                    each.typed);
  }
  return list;
}

std::optional<std::uint32_t> ParseSeat(const Table& table, absl::string_view typed) {
  const absl::string_view text = absl::StripAsciiWhitespace(typed);
  const auto size = static_cast<std::uint32_t>(table.seats_size());
  for (std::uint32_t seat = 0; seat < size; ++seat) {
    if (absl::EqualsIgnoreCase(text, SeatName(table, seat))) return seat;
  }
  std::uint32_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= 1 && number <= size) return number - 1;
  return std::nullopt;
}

std::vector<std::string> DescribeTalk(const Table& before, const Table& after) {
  std::vector<std::string> lines;
  if (before.name() != after.name()) return lines;  // All phrases in a first view are old.
  for (std::uint32_t seat = 0; seat < static_cast<std::uint32_t>(after.seats_size()); ++seat) {
    const auto said = after.phrases().find(seat);
    if (said == after.phrases().end()) continue;
    const auto old = before.phrases().find(seat);
    const bool fresh = old == before.phrases().end() ||
                       ToTime(old->second.say_time()) != ToTime(said->second.say_time());
    for (const PhraseWords& each : kPhrases) {
      if (fresh && each.phrase == said->second.phrase()) {
        lines.push_back(absl::StrCat(SeatName(after, seat), ": ", each.shown));
      }
    }
  }
  return lines;
}

}  // namespace tarot::tarotctl
