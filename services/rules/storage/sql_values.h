// Declares functions that write and read values in the form that Postgres stores: times, arrays and
// the bodies of log entries. libpqxx 6.4 has no array parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "services/rules/app/log_entry.h"

namespace tarot::rules_service {

// Returns a text such as "2026-11-21T01:02:03.000004+00:00", or "infinity". Postgres keeps
// microseconds, so smaller parts of a second are cut off.
std::string SqlTime(absl::Time time);
absl::Time TimeFromEpoch(const std::string& seconds);  // Reads a text such as "1795222923.000004".

std::vector<int> IntsFromSql(const std::string& array);  // Reads an array such as "{1,2}".

// Builds an array parameter such as "{1,2}", with elements of one kind. A value never becomes two
// elements: only the Add* functions write characters, and they escape each character that could end
// an element.
class SqlArray {
 public:
  void AddNumber(std::int64_t value);
  void AddId(const Uuid& id);
  template <typename Tag>
  void AddId(const Id<Tag>& id) {
    AddId(id.uuid);
  }
  // Adds a bytea, in Postgres's hexadecimal form.
  void AddBytes(absl::string_view bytes);
  // Adds a text, or adds an array as a text. Cuts the text before its first zero byte, because
  // Postgres accepts no zero byte.
  void AddText(absl::string_view text);

  // Ends the array. After this call, add no elements.
  std::string Finish() &&;

 private:
  void Separate();
  void AppendHex(const std::uint8_t* bytes, std::size_t size);

  std::string text_ = "{";
};

// The body of a log entry as rules.table_actions stores it: a kind and bytes. Every later version
// of the service must be able to read the bodies that are stored now.
struct StoredBody {
  int kind = 0;  // The value of the column `kind`. The numbers must not change.
  std::string payload;
};

StoredBody EncodeBody(const EntryBody& body);

// Decodes a body. `players` is the number of seats at the table. If the body starts a deal,
// `deal_number` is the number of this deal in its match. Numbers begin at 1, and passed-out and
// cancelled deals count too. If `kind` is unknown or `payload` does not have the form of this kind,
// returns nullopt.
std::optional<EntryBody> DecodeBody(int kind, absl::string_view payload, int players,
                                    int deal_number);

}  // namespace tarot::rules_service
