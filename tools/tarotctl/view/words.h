// Small pieces of text about a table: names, contracts, points, times.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "tarot/rules/v1/table.pb.h"

namespace tarot::tarotctl {

// Returns the name that a seat plays under, safe for a terminal and at most 20 columns wide.
std::string SeatName(const rules::v1::Table& table, std::uint32_t seat);

// "garde sans"; "pass".
std::string ContractWord(rules::v1::Contract contract);

// 63 half points: "31.5".
std::string HalfPointsText(std::uint32_t half_points);

// "+120", "-40", "0".
std::string Signed(long long points);

// "1:05"; "0:00" for anything negative.
std::string ClockText(absl::Duration left);

absl::Time ToTime(const google::protobuf::Timestamp& time);
absl::Duration ToDuration(const google::protobuf::Duration& duration);

// "2026-11-21 14:05", in the local time zone of the reader.
std::string DateText(const google::protobuf::Timestamp& time);

// "tables/5f3c…" without its first part.
std::string IdOf(const std::string& name);

}  // namespace tarot::tarotctl
