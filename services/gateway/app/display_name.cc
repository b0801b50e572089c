#include "services/gateway/app/display_name.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

absl::Status Refused(const char* why) { return BadRequest("display_name", why); }

// Returns ICU's checker. It is opened once and never changed afterwards, so that all threads may
// use it.
const USpoofChecker* Checker() {
  static const USpoofChecker* const checker = [] {
    UErrorCode error = U_ZERO_ERROR;
    USpoofChecker* const made = uspoof_open(&error);
    uspoof_setRestrictionLevel(made, USPOOF_HIGHLY_RESTRICTIVE);
    uspoof_setChecks(
        made,
        USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE | USPOOF_MIXED_NUMBERS | USPOOF_HIDDEN_OVERLAY,
        &error);
    TAROT_CHECK(U_SUCCESS(error));
    return made;
  }();
  return checker;
}

icu::UnicodeString Normalize(const icu::UnicodeString& text,
                             const icu::Normalizer2* (*form)(UErrorCode&)) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString normal = form(error)->normalize(text, error);
  TAROT_CHECK(U_SUCCESS(error));
  return normal;
}

icu::UnicodeString Decode(absl::string_view utf8) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(utf8.data(), static_cast<int>(utf8.size())));
}

// Returns true if `text` is valid UTF-8. Decode replaces overlong forms and surrogates, so such a
// text changes.
bool WellFormed(absl::string_view text) {
  std::string again;
  return Decode(text).toUTF8String(again) == text;
}

bool Blank(UChar32 c) {
  constexpr UChar32 kBrailleBlank = 0x2800;
  return c != ' ' && (u_isUWhiteSpace(c) || c == kBrailleBlank);
}

bool Hidden(UChar32 c) {
  // These characters stand for content that cannot be shown.
  constexpr UChar32 kObject = 0xFFFC, kReplacement = 0xFFFD;
  switch (u_charType(c)) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_PRIVATE_USE_CHAR:
    case U_SURROGATE:
    case U_UNASSIGNED:
      return true;
    default:
      return u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) || c == kObject ||
             c == kReplacement;
  }
}

bool Mark(UChar32 c) {
  const int type = u_charType(c);
  return type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK;
}

bool Covering(UChar32 c) {
  constexpr int kOverlay = 1;  // The combining class of strokes through a letter.
  return u_charType(c) == U_ENCLOSING_MARK || u_getCombiningClass(c) == kOverlay;
}

absl::Status CheckCharacters(const icu::UnicodeString& name) {
  for (int i = 0; i < name.length(); i = name.moveIndex32(i, 1)) {
    const UChar32 c = name.char32At(i);
    if (Blank(c)) return Refused("the plain space is the only blank");
    if (Hidden(c)) return Refused("no invisible, unassigned or direction-changing character");
    if (Covering(c)) return Refused("no mark that covers or encloses a letter");
  }
  return absl::OkStatus();
}

// `name` must be decomposed. Then each mark is a character of its own. Spacing marks do not count,
// because they do not stack; Burmese and Hindi need several of them.
absl::Status CheckMarks(const icu::UnicodeString& name) {
  if (Mark(name.char32At(0))) return Refused("must not begin with a combining mark");
  int marks = 0;
  for (int i = 0; i < name.length(); i = name.moveIndex32(i, 1)) {
    const UChar32 c = name.char32At(i);
    if (!Mark(c)) marks = 0;
    if (u_charType(c) == U_NON_SPACING_MARK) ++marks;
    if (marks > kMarksPerLetterMax) return Refused("at most four combining marks on a letter");
  }
  return absl::OkStatus();
}

absl::Status CheckScripts(const icu::UnicodeString& name) {
  UErrorCode error = U_ZERO_ERROR;
  const int failed = uspoof_check2UnicodeString(Checker(), name, /*checkResult=*/nullptr, &error);
  TAROT_CHECK(U_SUCCESS(error));
  if ((failed & USPOOF_RESTRICTION_LEVEL) != 0) return Refused("letters of one script only");
  if ((failed & USPOOF_MIXED_NUMBERS) != 0) return Refused("digits of one kind only");
  if (failed != 0) return Refused("no mark that hides in a letter, and none twice");
  return absl::OkStatus();
}

icu::UnicodeString Skeleton(const icu::UnicodeString& name) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString skeleton;
  uspoof_getSkeletonUnicodeString(Checker(), 0, name, skeleton, &error);
  TAROT_CHECK(U_SUCCESS(error));
  return skeleton;
}

// Returns the two keys of a name. Two names look alike if they share a key. A capital I looks like
// an l, but a small i does not. So the first key folds case after the skeleton is taken, and the
// second key folds case before it.
std::array<std::string, 2> KeysOf(absl::string_view name) {
  const icu::UnicodeString text = Decode(name);
  std::array<std::string, 2> keys;
  Skeleton(Skeleton(text).foldCase()).toUTF8String(keys[0]);
  Skeleton(icu::UnicodeString(text).foldCase()).toUTF8String(keys[1]);
  return keys;
}

// Returns true if the first word of `name` looks like the word "bot". Every screen marks bots with
// this word before their names.
bool MarkedAsBot(const icu::UnicodeString& name) {
  int end = 0;
  while (end < name.length() && u_isalnum(name.char32At(end))) end = name.moveIndex32(end, 1);
  std::string word;
  icu::UnicodeString(name, 0, end).toUTF8String(word);
  const std::array<std::string, 2> keys = KeysOf(word);
  const std::array<std::string, 2> bot = KeysOf("bot");
  return keys[0] == bot[0] || keys[1] == bot[1];
}

}  // namespace

absl::StatusOr<std::string> ComposeDisplayName(absl::string_view name) {
  if (name.empty()) return Refused("required");
  if (name.size() > kDisplayNameBytesMax) return Refused("at most 32 characters");
  if (!WellFormed(name)) return Refused("UTF-8 only");
  if (name.front() == ' ' || name.back() == ' ' || absl::StrContains(name, "  ")) {
    return Refused("no space at either end, no two together");
  }
  const icu::UnicodeString text = Normalize(Decode(name), icu::Normalizer2::getNFCInstance);
  if (text.countChar32() > kDisplayNameCharactersMax) return Refused("at most 32 characters");
  TAROT_RETURN_IF_ERROR(CheckCharacters(text));
  TAROT_RETURN_IF_ERROR(CheckMarks(Normalize(text, icu::Normalizer2::getNFDInstance)));
  TAROT_RETURN_IF_ERROR(CheckScripts(text));
  if (MarkedAsBot(text)) return Refused("must not begin with the word bot, which marks the bots");
  std::string composed;
  return text.toUTF8String(composed);
}

void ReservedNames::Set(const std::vector<std::string>& names) {
  std::set<std::string> skeletons;
  for (const std::string& name : names) {
    for (std::string& key : KeysOf(name)) skeletons.insert(std::move(key));
  }
  const std::lock_guard lock(mutex_);
  skeletons_ = std::move(skeletons);
}

bool ReservedNames::Contains(absl::string_view name) const {
  const std::array<std::string, 2> keys = KeysOf(name);
  const std::lock_guard lock(mutex_);
  return skeletons_.contains(keys[0]) || skeletons_.contains(keys[1]);
}

}  // namespace tarot::gateway_service
