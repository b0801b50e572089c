#include "tools/tarotctl/analysis/report.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/notation/action_name.h"
#include "libs/notation/card_names.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

using ai::DecisionReport;
using notation::Slot;

constexpr int kWorthTelling = 50;  // Hundredths of a point.

// 1234 hundredths: "12.34".
std::string Points(int hundredths) {
  return absl::StrFormat("%s%d.%02d", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100,
                         std::abs(hundredths) % 100);
}
std::string Points(const std::optional<int>& hundredths, const char* unknown) {
  return hundredths ? Points(*hundredths) : unknown;
}

std::string MarginText(const DecisionReport& decision, const char* unknown) {
  if (!decision.margin) return unknown;
  return absl::StrFormat("%+.1f", *decision.margin / 2.0);
}

std::string Who(const DealAnalysis& analysis, rules::Seat seat) {
  return absl::StrCat(notation::SeatName(seat), " ", Fit(analysis.record.names[Slot(seat)], 16));
}

// Decisions are counted from 1, in text and JSON alike.
int Number(int entry) { return entry + 1; }

std::string Name(const rules::Action& action) { return notation::ActionName(action); }

// The best option that is not what was played.
std::string Better(const DecisionReport& decision) {
  for (const ai::OptionReport& option : decision.options) {
    if (!(option.action == decision.played)) return Name(option.action);
  }
  return "";
}

std::vector<std::string> Row(const DealAnalysis& analysis, const DecisionReport& decision) {
  const bool paid = decision.expected_cost > 0 || decision.open_cost.value_or(0) > 0;
  const std::string made = !decision.contract_made   ? ""
                           : *decision.contract_made ? "made"
                                                     : "fails";
  return {absl::StrCat(Number(decision.entry)),
          Who(analysis, decision.seat),
          Name(decision.played),
          paid && decision.expected_cost > 0 ? Better(decision) : "",
          decision.forced ? "" : Points(decision.expected_cost),
          decision.forced ? "" : Points(decision.open_cost, "?"),
          MarginText(decision, ""),
          made};
}

bool WorthTelling(const DecisionReport& decision) {
  return decision.expected_cost >= kWorthTelling || decision.open_cost.value_or(0) >= kWorthTelling;
}

std::string TurningPoints(const DealAnalysis& analysis) {
  std::string out;
  for (const int entry : analysis.summary.turning_points) {
    const DecisionReport& decision = analysis.decisions[static_cast<std::size_t>(entry)];
    absl::StrAppend(&out, "  ", Number(entry), ". ", Who(analysis, decision.seat), ", ",
                    Name(decision.played), ": the contract ",
                    *decision.contract_made ? "was made, and now fails" : "failed, and is now made",
                    "\n");
  }
  return out;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string SeatJson(const DealAnalysis& analysis, rules::Seat seat) {
  const ai::DealReport::SeatCost& cost = analysis.summary.seats[Slot(seat)];
  return absl::StrFormat(
      "{\"seat\": %s, \"name\": %s, \"score\": %d, \"decisions\": %d, \"expected_cost\": %s, "
      "\"open_cost\": %s}",
      Quoted(notation::SeatName(seat)), Quoted(analysis.record.names[Slot(seat)]),
      analysis.end.result.scores[Slot(seat)], cost.decisions, Points(cost.expected_cost),
      Points(cost.open_cost));
}

std::string OptionJson(const ai::OptionReport& option) {
  return absl::StrFormat("{\"action\": %s, \"expected\": %s, \"open_loss\": %s}",
                         Quoted(Name(option.action)), Points(option.expected, "null"),
                         Points(option.open_loss, "null"));
}

std::string Numbers(const std::vector<int>& entries) {
  return absl::StrJoin(entries, ", ",
                       [](std::string* out, int entry) { absl::StrAppend(out, Number(entry)); });
}

std::string DecisionJson(const DecisionReport& decision) {
  const auto option = [](std::string* out, const ai::OptionReport& o) { *out += OptionJson(o); };
  const char* const made = !decision.contract_made   ? "null"
                           : *decision.contract_made ? "true"
                                                     : "false";
  return absl::StrFormat(
      "{\"number\": %d, \"seat\": %s, \"played\": %s, \"forced\": %s, \"worlds\": %d, "
      "\"expected_cost\": %s, \"open_cost\": %s, \"margin\": %s, \"contract_made\": %s, "
      "\"options\": [%s]}",
      Number(decision.entry), Quoted(notation::SeatName(decision.seat)),
      Quoted(Name(decision.played)), decision.forced ? "true" : "false", decision.worlds,
      Points(decision.expected_cost), Points(decision.open_cost, "null"),
      decision.margin ? absl::StrFormat("%.1f", *decision.margin / 2.0) : "null", made,
      absl::StrJoin(decision.options, ", ", option));
}

}  // namespace

std::string RenderAnalysis(const DealAnalysis& analysis, bool all, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const DecisionReport& decision : analysis.decisions) {
    if (all || WorthTelling(decision)) rows.push_back(Row(analysis, decision));
  }
  std::string out = absl::StrCat(style.Paint(Tone::kBold, Safe(analysis.record.site)), "  ",
                                 Safe(analysis.record.rule_set), ", judged by ", analysis.level,
                                 "; points of the game\n\n");
  if (rows.empty()) {
    absl::StrAppend(&out, "No decision cost half a point.\n");
  } else {
    rows.insert(rows.begin(), {"#", "SEAT", "DECISION", "BETTER", "COST", "OPEN", "MARGIN", ""});
    absl::StrAppend(&out, Columns(rows, {0, 4, 5, 6}));
  }
  const std::string turning = TurningPoints(analysis);
  if (!turning.empty()) absl::StrAppend(&out, "\nTurning points, with open hands:\n", turning);
  std::vector<std::vector<std::string>> seats = {{"SEAT", "DECISIONS", "COST", "OPEN", "SCORE"}};
  for (rules::Seat seat = 0; seat < analysis.record.players; ++seat) {
    const ai::DealReport::SeatCost& cost = analysis.summary.seats[Slot(seat)];
    seats.push_back({Who(analysis, seat), absl::StrCat(cost.decisions), Points(cost.expected_cost),
                     Points(cost.open_cost),
                     absl::StrFormat("%+d", analysis.end.result.scores[Slot(seat)])});
  }
  return absl::StrCat(out, "\n", Columns(seats, {1, 2, 3, 4}),
                      "\nCOST: what the decision cost in expectation, from what the seat knew. "
                      "OPEN: with every hand\nknown, where that could be computed. MARGIN: of the "
                      "attack's points over what it needs, then.\n");
}

std::string AnalysisJson(const DealAnalysis& analysis) {
  std::vector<std::string> seats, decisions;
  for (rules::Seat seat = 0; seat < analysis.record.players; ++seat) {
    seats.push_back(SeatJson(analysis, seat));
  }
  for (const DecisionReport& decision : analysis.decisions) {
    decisions.push_back(DecisionJson(decision));
  }
  const rules::Deal& end = analysis.end;
  const auto seat_or_null = [](rules::Seat seat) {
    return seat == rules::kNoSeat ? "null" : Quoted(notation::SeatName(seat));
  };
  return absl::StrFormat(
      "{\"site\": %s, \"rules\": %s, \"level\": %s, \"taker\": %s, \"partner\": %s, "
      "\"seats\": [%s], \"decisions\": [%s], \"turning_points\": [%s], \"mistakes\": [%s]}\n",
      Quoted(analysis.record.site), Quoted(analysis.record.rule_set), Quoted(analysis.level),
      seat_or_null(end.taker), seat_or_null(end.partner), absl::StrJoin(seats, ", "),
      absl::StrJoin(decisions, ", "), Numbers(analysis.summary.turning_points),
      Numbers(analysis.summary.mistakes));
}

}  // namespace tarot::tarotctl
