#include "services/gateway/app/passphrase.h"

#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "services/gateway/app/display_name.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

icu::UnicodeString Decode(absl::string_view utf8) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(utf8.data(), static_cast<int>(utf8.size())));
}

int CountDifferent(const icu::UnicodeString& text) {
  std::set<UChar32> seen;
  for (int i = 0; i < text.length(); i = text.moveIndex32(i, 1)) seen.insert(text.char32At(i));
  return static_cast<int>(seen.size());
}

}  // namespace

absl::StatusOr<std::string> ComposePassphrase(absl::string_view passphrase,
                                              absl::string_view field) {
  if (passphrase.empty()) return BadRequest(field, "required");
  if (passphrase.size() <= kPassphraseBytesMax) {
    std::string again;
    const icu::UnicodeString text = Decode(passphrase);
    if (text.toUTF8String(again) != passphrase) return BadRequest(field, "UTF-8 only");
    UErrorCode error = U_ZERO_ERROR;
    const icu::UnicodeString normal =
        icu::Normalizer2::getNFCInstance(error)->normalize(text, error);
    TAROT_CHECK(U_SUCCESS(error));
    if (normal.countChar32() <= kPassphraseCharactersMax) {
      std::string composed;
      return normal.toUTF8String(composed);
    }
  }
  return BadRequest(field,
                    absl::StrCat("must have at most ", kPassphraseCharactersMax, " characters"));
}

absl::StatusOr<std::string> ComposeNewPassphrase(absl::string_view passphrase,
                                                 absl::string_view name, absl::string_view field) {
  TAROT_ASSIGN_OR_RETURN(std::string composed, ComposePassphrase(passphrase, field));
  const icu::UnicodeString text = Decode(composed);
  if (text.countChar32() < kPassphraseCharactersMin) {
    return BadRequest(field,
                      absl::StrCat("must have at least ", kPassphraseCharactersMin, " characters"));
  }
  if (CountDifferent(text) < kPassphraseDifferentMin) {
    return BadRequest(field, "must have more different characters");
  }
  if (KeysOfName(composed).login == KeysOfName(name).login) {
    return BadRequest(field, "must not be the name");
  }
  return composed;
}

}  // namespace tarot::gateway_service
