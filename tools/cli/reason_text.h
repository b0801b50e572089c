// Writes the reasons of an analysis and the facts of a hand as sentences, in English or French
// (docs/analysis.md). The functions are pure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tarot/bot/v1/analysis_service.pb.h"

namespace tarot::cli {

enum class Language { kEnglish, kFrench };

// Reads "en" or "fr".
std::optional<Language> ParseLanguage(absl::string_view text);

// A sentence with placeholders such as "{card}", in both languages.
struct ReasonSentence {
  absl::string_view name;  // The name of the kind, or the name, a slash and the variant.
  absl::string_view english;
  absl::string_view french;
};
// Returns all sentences, in the order of docs/analysis.md.
absl::Span<const ReasonSentence> ReasonSentences();

// Returns the reason as a sentence. `bid` says whether the decision was a bid. `name` returns the
// name of a seat. For a kind that this program does not know, returns an empty text.
std::string ReasonText(const bot::v1::Reason& reason, bool bid,
                       const std::function<std::string(std::uint32_t)>& name, Language language);

// Returns for example "9 trumps, 2 bouts (21, Excuse), 1 King, 5 hearts, no clubs".
std::string HandText(const bot::v1::Hand& hand, Language language);

// Returns a number of hundredths with one decimal: "12.3" or "-0.5" in English, "12,3" in French.
std::string DecimalText(int hundredths, Language language);
// Returns a share of thousandths: "62 %".
std::string ShareText(std::uint32_t thousandths);

}  // namespace tarot::cli
