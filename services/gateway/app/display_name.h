// Checks the names that players choose. A name must be readable, must not hide characters, and must
// not look like another name. The rules are those of Unicode's security standard (UTS 39), which
// ICU implements.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::gateway_service {

// Returns `name` in Unicode's composed form (NFC) if it is a good name. Otherwise returns
// INVALID_ARGUMENT BAD_REQUEST for the field display_name, with the reason as description. A good
// name:
// - is UTF-8 of 1 to 32 characters;
// - has no space at either end, no two spaces in a row, and no other blank;
// - has no control, invisible, direction-changing, private or unassigned character;
// - does not begin with a combining mark, has at most four nonspacing marks on one letter, and no
//   mark that encloses or covers a letter;
// - has letters of one script, or Latin letters together with Chinese, Japanese or Korean ones
//   (UTS 39, level "highly restrictive");
// - has digits of one kind;
// - does not begin with the word "bot", or with a word that looks like it.
absl::StatusOr<std::string> ComposeDisplayName(absl::string_view name);

// The two keys of a name. Two names look alike if they have a key in common. `login` does not
// depend on upper and lower case, so a person may type the name either way.
struct NameKeys {
  std::string look;
  std::string login;
};
NameKeys KeysOfName(absl::string_view name);

// Names that players must not choose, because they belong to bots or other players. Thread-safe.
class ReservedNames {
 public:
  // Replaces all names.
  void Set(const std::vector<std::string>& names);

  // Returns true if `name` looks like a reserved name, that is, if the two names have a key in
  // common (NameKeys). `name` must come from ComposeDisplayName().
  bool Contains(absl::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> skeletons_;
};

}  // namespace tarot::gateway_service
