// How the values of parameters are printed and read, kind by kind: for the parameter_*.cc alone.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/rules/parameters.h"

namespace tarot::rules::parameter_kinds {

inline std::string Quoted(absl::string_view text) { return absl::StrCat("\"", text, "\""); }

// A whole number in the range of T.
template <typename T>
bool ReadNumber(absl::string_view text, T& out) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) return false;
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return false;
  out = static_cast<T>(value);
  return true;
}

template <typename T, std::size_t kSize>
bool ReadNumbers(absl::string_view bare, std::array<T, kSize>& out) {
  const std::vector<absl::string_view> parts = absl::StrSplit(bare, ',');
  if (parts.size() != kSize) return false;
  std::array<T, kSize> read{};
  for (std::size_t i = 0; i < kSize; ++i) {
    if (!ReadNumber(parts[i], read[i])) return false;
  }
  out = read;
  return true;
}

template <auto kMember>
using TypeOf = std::decay_t<decltype(std::declval<RuleSet>().*kMember)>;

// One word of several: the enum's values in order.
template <auto kMember, const auto& kTexts>
Parameter Word(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, absl::StrJoin(kTexts, ", "),
          [](const RuleSet& r) { return Quoted(kTexts[static_cast<std::size_t>(r.*kMember)]); },
          [](RuleSet& r, absl::string_view bare) {
            for (std::size_t i = 0; i < kTexts.size(); ++i) {
              if (BareValue(kTexts[i]) != bare) continue;
              r.*kMember = static_cast<TypeOf<kMember>>(i);
              return true;
            }
            return false;
          }};
}

// A value of which there is one, as JSON.
template <auto kMember, const absl::string_view& kJson>
Parameter Only(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, std::string(kJson), [](const RuleSet&) { return std::string(kJson); },
          [](RuleSet&, absl::string_view bare) { return bare == BareValue(kJson); }};
}

template <auto kMember>
Parameter Flag(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "true, false",
          [](const RuleSet& r) { return std::string(r.*kMember ? "true" : "false"); },
          [](RuleSet& r, absl::string_view bare) {
            if (bare != "true" && bare != "false") return false;
            r.*kMember = bare == "true";
            return true;
          }};
}

template <auto kMember>
Parameter Number(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "a whole number", [](const RuleSet& r) { return absl::StrCat(r.*kMember); },
          [](RuleSet& r, absl::string_view bare) { return ReadNumber(bare, r.*kMember); }};
}

template <auto kMember>
Parameter Numbers(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, absl::StrCat(std::tuple_size_v<TypeOf<kMember>>, " whole numbers"),
          [](const RuleSet& r) { return absl::StrCat("[", absl::StrJoin(r.*kMember, ","), "]"); },
          [](RuleSet& r, absl::string_view bare) { return ReadNumbers(bare, r.*kMember); }};
}

// "3:a,4:b": what stands behind each player count, commas and all.
inline std::optional<std::map<int, std::string>> ReadByPlayers(absl::string_view bare) {
  std::map<int, std::string> values;
  std::string* value = nullptr;
  for (const absl::string_view part : absl::StrSplit(bare, ',')) {
    absl::string_view rest = part;
    if (const std::size_t colon = part.find(':'); colon != absl::string_view::npos) {
      int players = 0;
      if (!ReadNumber(part.substr(0, colon), players)) return std::nullopt;
      if (players < kPlayersMin || players > kPlayersMax) return std::nullopt;
      value = &values[players];
      rest = part.substr(colon + 1);
    }
    if (value == nullptr) return std::nullopt;
    absl::StrAppend(value, value->empty() ? "" : ",", rest);
  }
  return values;
}

template <typename T>
std::string ValueJson(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(value);
  } else {
    return absl::StrCat("[", absl::StrJoin(value, ","), "]");
  }
}

template <typename T>
bool ReadValue(absl::string_view bare, T& out) {
  if constexpr (std::is_integral_v<T>) {
    return ReadNumber(bare, out);
  } else {
    return ReadNumbers(bare, out);
  }
}

template <auto kMember>
Parameter ByPlayers(absl::string_view key, absl::string_view meaning) {
  return {key, meaning, "values by player count",
          [](const RuleSet& r) {
            const auto& v = r.*kMember;
            return absl::StrCat("{\"3\":", ValueJson(v[0]), ",\"4\":", ValueJson(v[1]),
                                ",\"5\":", ValueJson(v[2]), "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values = ReadByPlayers(bare);
            if (!values) return false;
            auto read = r.*kMember;
            for (const auto& [players, value] : *values) {
              if (!ReadValue(value, read[static_cast<std::size_t>(players - kPlayersMin)])) {
                return false;
              }
            }
            r.*kMember = read;
            return true;
          }};
}

}  // namespace tarot::rules::parameter_kinds
