// Short texts about a table: names, contracts, points and times. Also finds the rule set of a
// message, and the order of the seats in it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "libs/rules/parameters/rule_set.h"
#include "libs/wire/rule_set.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::tarotctl {

// Returns the rule set of a message that has the fields `rules` and `rule_set`, for example of a
// DealView. Returns "fft" if this program does not know the rule set.
template <typename Message>
rules::RuleSet RulesOf(const Message& message) {
  return wire::RuleSetOf(message, "rules").value_or(rules::RuleSet());
}

// Returns the seat that sits out, or kNoSeat if there is none.
rules::Seat SitsOut(const rules::v1::DealView& deal);

// Returns the seat that comes `steps` steps after `seat` in the order of play. The seat that sits
// out is skipped.
std::uint32_t SeatAfter(const rules::v1::DealView& deal, std::uint32_t seat, int steps);

// Returns the seat that makes the bid with the number `bid`. Numbers begin at 0.
std::uint32_t SeatOfBid(const rules::v1::DealView& deal, int bid);

// The word that lists show before the name of a bot.
inline constexpr absl::string_view kBotMark = "bot ";

// Returns `name` without control characters, cut to 20 columns. The name of a bot gets kBotMark.
std::string MarkedName(const std::string& name, bool bot);

// Returns the name that a seat plays under, safe for a terminal and at most 20 columns wide.
std::string SeatName(const rules::v1::Table& table, std::uint32_t seat);

// Returns a text such as "garde sans" or "pass".
std::string ContractWord(rules::v1::Contract contract);

// Returns half points as points: 63 gives "31.5".
std::string HalfPointsText(std::uint32_t half_points);

// Returns a text such as "+120", "-40" or "0".
std::string Signed(long long points);

// Returns a text such as "1:05", and "0:00" for a negative time.
std::string ClockText(absl::Duration left);

absl::Time ToTime(const google::protobuf::Timestamp& time);
absl::Duration ToDuration(const google::protobuf::Duration& duration);

// Returns a text such as "2026-11-21 14:05", in the local time zone of the reader.
std::string DateText(const google::protobuf::Timestamp& time);

// Returns the part of a name after the last "/". For "tables/5f3c…" this is the table's id.
std::string IdOf(const std::string& name);

// Returns the last eight letters of the id in `name`, without control characters. An id begins with
// the time, so the first letters of two tables that began together are the same.
std::string ShortId(const std::string& name);

}  // namespace tarot::tarotctl
