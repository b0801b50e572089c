#include "services/gateway/app/display_name.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <utility>

#include "absl/strings/match.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

absl::Status Refused(const char* why) { return BadRequest("display_name", why); }

// Returns ICU's checker. It does not change after it is opened, so all threads may use it.
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

// Returns true if `text` is valid UTF-8. Decode() replaces invalid bytes, so a text with such bytes
// is not the same after decoding and encoding.
bool WellFormed(absl::string_view text) {
  std::string again;
  return Decode(text).toUTF8String(again) == text;
}

bool Blank(UChar32 c) {
  constexpr UChar32 kBrailleBlank = 0x2800;
  return c != ' ' && (u_isUWhiteSpace(c) || c == kBrailleBlank);
}

bool Hidden(UChar32 c) {
  // Unicode uses these two characters in place of content that a text cannot show.
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
  constexpr int kOverlay = 1;  // The combining class of marks that cross a letter.
  return u_charType(c) == U_ENCLOSING_MARK || u_getCombiningClass(c) == kOverlay;
}

absl::Status CheckCharacters(const icu::UnicodeString& name) {
  for (int i = 0; i < name.length(); i = name.moveIndex32(i, 1)) {
    const UChar32 c = name.char32At(i);
    if (Blank(c)) return Refused("must not contain a blank other than the plain space");
    if (Hidden(c))
      return Refused("must not contain an invisible, unassigned or direction-changing character");
    if (Covering(c)) return Refused("must not contain a mark that covers or encloses a letter");
  }
  return absl::OkStatus();
}

// Refuses a name that begins with a mark or has too many marks on a letter. `name` must be
// decomposed, so that each mark is its own character. Spacing marks do not count, because they
// stand beside each other; Burmese and Hindi need several of them.
absl::Status CheckMarks(const icu::UnicodeString& name) {
  if (Mark(name.char32At(0))) return Refused("must not begin with a combining mark");
  int marks = 0;
  for (int i = 0; i < name.length(); i = name.moveIndex32(i, 1)) {
    const UChar32 c = name.char32At(i);
    if (!Mark(c)) marks = 0;
    if (u_charType(c) == U_NON_SPACING_MARK) ++marks;
    if (marks > kMarksPerLetterMax)
      return Refused("must have at most four combining marks on each letter");
  }
  return absl::OkStatus();
}

absl::Status CheckScripts(const icu::UnicodeString& name) {
  UErrorCode error = U_ZERO_ERROR;
  const int failed = uspoof_check2UnicodeString(Checker(), name, /*checkResult=*/nullptr, &error);
  TAROT_CHECK(U_SUCCESS(error));
  if ((failed & USPOOF_RESTRICTION_LEVEL) != 0)
    return Refused("must have letters of one script only");
  if ((failed & USPOOF_MIXED_NUMBERS) != 0) return Refused("must have digits of one kind only");
  if (failed != 0)
    return Refused("must not contain an invisible mark, or a mark twice on one letter");
  return absl::OkStatus();
}

icu::UnicodeString Skeleton(const icu::UnicodeString& name) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString skeleton;
  uspoof_getSkeletonUnicodeString(Checker(), 0, name, skeleton, &error);
  TAROT_CHECK(U_SUCCESS(error));
  return skeleton;
}

// Returns true if the first word of `name` looks like "bot". Every screen shows this word before
// the name of a bot.
bool MarkedAsBot(const icu::UnicodeString& name) {
  int end = 0;
  while (end < name.length() && u_isalnum(name.char32At(end))) end = name.moveIndex32(end, 1);
  std::string word;
  icu::UnicodeString(name, 0, end).toUTF8String(word);
  const NameKeys keys = KeysOfName(word);
  const NameKeys bot = KeysOfName("bot");
  return keys.look == bot.look || keys.login == bot.login;
}

}  // namespace

// The skeleton of a name (UTS 39) replaces characters that look alike by one of them. `login` folds
// the case first and then takes the skeleton. `look` takes the skeleton first. We need both keys,
// because a capital I looks like an l, but a small i does not.
NameKeys KeysOfName(absl::string_view name) {
  const icu::UnicodeString text = Decode(name);
  NameKeys keys;
  Skeleton(Skeleton(text).foldCase()).toUTF8String(keys.look);
  Skeleton(icu::UnicodeString(text).foldCase()).toUTF8String(keys.login);
  return keys;
}

absl::StatusOr<std::string> ComposeDisplayName(absl::string_view name) {
  if (name.empty()) return Refused("required");
  if (name.size() > kDisplayNameBytesMax) return Refused("must have at most 32 characters");
  if (!WellFormed(name)) return Refused("UTF-8 only");
  if (name.front() == ' ' || name.back() == ' ' || absl::StrContains(name, "  ")) {
    return Refused("must not begin or end with a space, or contain two spaces in a row");
  }
  const icu::UnicodeString text = Normalize(Decode(name), icu::Normalizer2::getNFCInstance);
  if (text.countChar32() > kDisplayNameCharactersMax)
    return Refused("must have at most 32 characters");
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
    NameKeys keys = KeysOfName(name);
    skeletons.insert(std::move(keys.look));
    skeletons.insert(std::move(keys.login));
  }
  const std::lock_guard lock(mutex_);
  skeletons_ = std::move(skeletons);
}

bool ReservedNames::Contains(absl::string_view name) const {
  const NameKeys keys = KeysOfName(name);
  const std::lock_guard lock(mutex_);
  return skeletons_.contains(keys.look) || skeletons_.contains(keys.login);
}

}  // namespace tarot::gateway_service
