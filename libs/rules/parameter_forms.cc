#include "libs/rules/parameter_forms.h"

#include <algorithm>

#include "libs/rules/card_text.h"
#include "libs/rules/parameter_kinds.h"

namespace tarot::rules::parameter_forms {
namespace {

using namespace parameter_kinds;

constexpr std::array<absl::string_view, 2> kEndModes{"deals", "agreed_rounds"};
// By the lowest rank: 14, 13, 12, 11; then any card.
constexpr std::array<absl::string_view, 5> kCallRanks{
    "[\"king\"]", "[\"king\",\"queen\"]", "[\"king\",\"queen\",\"knight\"]",
    "[\"king\",\"queen\",\"knight\",\"jack\"]", "[\"any\"]"};

// The values of {"a":1,"b":-2} in order of `keys`, all of which must be there.
std::optional<std::vector<std::string>> ReadMembers(absl::string_view bare,
                                                    std::initializer_list<absl::string_view> keys) {
  std::map<absl::string_view, absl::string_view> members;
  for (const absl::string_view part : absl::StrSplit(bare, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == absl::string_view::npos) return std::nullopt;
    members[part.substr(0, colon)] = part.substr(colon + 1);
  }
  std::vector<std::string> values;
  for (const absl::string_view key : keys) {
    if (members.count(key) == 0) return std::nullopt;
    values.emplace_back(members[key]);
  }
  if (members.size() != keys.size()) return std::nullopt;
  return values;
}

}  // namespace

Parameter Players() {
  return {"players", "For how many players.", "consecutive counts of 3, 4, 5",
          [](const RuleSet& r) {
            std::vector<int> counts;
            for (int n = r.players_min; n <= r.players_max; ++n) counts.push_back(n);
            return absl::StrCat("[", absl::StrJoin(counts, ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            const std::vector<absl::string_view> parts = absl::StrSplit(bare, ',');
            std::vector<std::uint8_t> counts(parts.size());
            for (std::size_t i = 0; i < parts.size(); ++i) {
              if (!ReadNumber(parts[i], counts[i])) return false;
              if (i > 0 && counts[i] != counts[i - 1] + 1) return false;
            }
            r.players_min = counts.front();
            r.players_max = counts.back();
            return true;
          }};
}

Parameter Bids() {
  return {"bids", "The bids that there are, from the lowest.",
          "some of prise, garde, garde_sans, garde_contre, in this order",
          [](const RuleSet& r) {
            std::vector<std::string> bids;
            for (int c = 1; c < 5; ++c) {
              const auto contract = static_cast<Contract>(c);
              if (r.AllowsBid(contract)) bids.push_back(Quoted(ContractText(contract)));
            }
            return absl::StrCat("[", absl::StrJoin(bids, ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            unsigned bids = 0;
            for (const absl::string_view part : absl::StrSplit(bare, ',', absl::SkipEmpty())) {
              const std::optional<Contract> contract = ParseContract(part);
              const unsigned bit = contract ? 1u << static_cast<int>(*contract) : 0;
              if (bit <= 1 || bit <= bids) return false;  // Unknown, a pass, or out of order.
              bids |= bit;
            }
            r.bids = static_cast<std::uint8_t>(bids);
            return true;
          }};
}

Parameter Mult() {
  return {"mult", "By what each bid multiplies: prise, garde, garde_sans, garde_contre.",
          "4 whole numbers",
          [](const RuleSet& r) {
            return absl::StrCat(
                "[", absl::StrJoin(r.multiplier.begin() + 1, r.multiplier.end(), ","), "]");
          },
          [](RuleSet& r, absl::string_view bare) {
            std::array<std::uint8_t, 4> read{};
            if (!ReadNumbers(bare, read)) return false;
            std::copy(read.begin(), read.end(), r.multiplier.begin() + 1);
            return true;
          }};
}

Parameter ImposedContract() {
  return {"imposed_contract", "The contract of every deal, without an auction.",
          "null, prise, garde, garde_sans, garde_contre",
          [](const RuleSet& r) {
            const bool none = r.imposed_contract == Contract::kPass;
            return none ? std::string("null") : Quoted(ContractText(r.imposed_contract));
          },
          [](RuleSet& r, absl::string_view bare) {
            const std::optional<Contract> contract =
                bare == "null" ? Contract::kPass : ParseContract(bare);
            if (!contract || bare == ContractText(Contract::kPass)) return false;
            r.imposed_contract = *contract;
            return true;
          }};
}

Parameter CallRanks() {
  return {"call5_ranks", "Five players: ranks that may be called.", absl::StrJoin(kCallRanks, "; "),
          [](const RuleSet& r) {
            const int at = r.call_rank_min >= 11 ? 14 - r.call_rank_min : 4;
            return std::string(kCallRanks[static_cast<std::size_t>(at)]);
          },
          [](RuleSet& r, absl::string_view bare) {
            for (std::size_t i = 0; i < kCallRanks.size(); ++i) {
              if (BareValue(kCallRanks[i]) != bare) continue;
              r.call_rank_min = static_cast<std::uint8_t>(i < 4 ? 14 - i : 1);
              return true;
            }
            return false;
          }};
}

Parameter SlamPoints() {
  return {"slam_points", "What each opponent pays for a slam of the taker.",
          "announced_made, unannounced_made and announced_failed, each a whole number",
          [](const RuleSet& r) {
            return absl::StrCat("{\"announced_made\":", r.slam_announced_points,
                                ",\"unannounced_made\":", r.slam_unannounced_points,
                                ",\"announced_failed\":", r.slam_failed_points, "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values =
                ReadMembers(bare, {"announced_made", "unannounced_made", "announced_failed"});
            RuleSet read = r;
            const bool ok = values && ReadNumber((*values)[0], read.slam_announced_points) &&
                            ReadNumber((*values)[1], read.slam_unannounced_points) &&
                            ReadNumber((*values)[2], read.slam_failed_points);
            if (ok) r = read;
            return ok;
          }};
}

Parameter End() {
  return {"end", "When a match ends: after so many deals, or as agreed.",
          "mode deals with a default of 1 or more, or mode agreed_rounds with default null",
          [](const RuleSet& r) {
            const std::string count = r.end_default == 0 ? "null" : absl::StrCat(r.end_default);
            return absl::StrCat(
                "{\"mode\":", Quoted(kEndModes[static_cast<std::size_t>(r.end_mode)]),
                ",\"default\":", count, "}");
          },
          [](RuleSet& r, absl::string_view bare) {
            const auto values = ReadMembers(bare, {"mode", "default"});
            if (!values) return false;
            const auto mode = std::find(kEndModes.begin(), kEndModes.end(), (*values)[0]);
            if (mode == kEndModes.end()) return false;
            std::uint8_t count = 0;
            if ((*values)[1] != "null" && (!ReadNumber((*values)[1], count) || count == 0)) {
              return false;
            }
            r.end_mode = static_cast<EndMode>(mode - kEndModes.begin());
            r.end_default = count;
            return true;
          }};
}

}  // namespace tarot::rules::parameter_forms
