#include "tools/cli/analysis_report.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/notation/names.h"
#include "libs/wire/convert.h"
#include "tools/cli/card_face.h"
#include "tools/cli/text.h"

namespace tarot::cli {
namespace {

using bot::v1::DecisionAnalysis;
using notation::Slot;

constexpr std::uint32_t kWorthTelling = 50;  // In hundredths of a point.

// Formats hundredths: 1234 gives "12.34".
std::string Points(int hundredths) {
  return absl::StrFormat("%s%d.%02d", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100,
                         std::abs(hundredths) % 100);
}
std::string OpenCost(const DecisionAnalysis& decision, const char* unknown) {
  return decision.has_open_cost() ? Points(static_cast<int>(decision.open_cost())) : unknown;
}
int ExpectedCost(const DecisionAnalysis& decision) {
  return static_cast<int>(decision.expected_cost());
}

std::string MarginText(const DecisionAnalysis& decision, const char* unknown) {
  if (!decision.has_margin()) return unknown;
  return absl::StrFormat("%+.1f", decision.margin() / 2.0);
}

// Returns the seat of the decision. For a number that is out of range, returns a valid seat.
rules::Seat SeatOf(const DecisionAnalysis& decision) {
  return static_cast<rules::Seat>(decision.seat() % rules::kPlayersMax);
}

std::string NameOfSeat(const DealAnalysis& analysis, rules::Seat seat) {
  return absl::StrCat(notation::SeatName(seat), " ", Fit(analysis.record.names[Slot(seat)], 16));
}

// Decisions are counted from 1, both in text and in JSON.
int Number(std::uint32_t entry) { return static_cast<int>(entry) + 1; }

std::string Name(const rules::v1::Action& action) {
  const auto decoded = wire::DecodeAction(action, "action");
  return decoded.ok() ? notation::ActionName(*decoded) : "?";
}

std::string Faces(rules::CardSet cards) {
  std::vector<std::string> faces;
  for (const rules::Card card : SortedForHand(cards)) {
    faces.push_back(Face(static_cast<std::uint32_t>(rules::Index(card)), TextStyle(false)));
  }
  return absl::StrJoin(faces, " ");
}

// Returns the action in the words and cards that people read.
std::string Told(const rules::v1::Action& action) {
  const auto decoded = wire::DecodeAction(action, "action");
  if (!decoded.ok()) return "?";
  using Kind = rules::Action::Kind;
  switch (decoded->kind) {
    case Kind::kBid:
      return notation::ActionName(*decoded);
    case Kind::kCall:
      return decoded->card == rules::kNoCard ? "call no card" : "call " + Faces({decoded->card});
    case Kind::kDiscard:
      return "écart " + Faces(decoded->cards);
    case Kind::kSlam:
      return decoded->announce ? "announce a slam" : "announce no slam";
    case Kind::kHandful:
      return decoded->cards.Empty() ? "show no handful" : "handful " + Faces(decoded->cards);
    case Kind::kPlay:
      return "play " + Faces({decoded->card});
  }
  return "?";
}

// Returns the best action that was not played. The options are sorted, best first. Returns an empty
// text if there is no other option.
std::string Better(const DecisionAnalysis& decision) {
  const std::string played = Name(decision.played());
  for (const DecisionAnalysis::Option& option : decision.options()) {
    if (Name(option.action()) != played) return Told(option.action());
  }
  return "";
}

std::vector<std::string> Row(const DealAnalysis& analysis, const DecisionAnalysis& decision) {
  const bool paid = decision.expected_cost() > 0 || decision.open_cost() > 0;
  const std::string made = !decision.has_contract_made() ? ""
                           : decision.contract_made()    ? "made"
                                                         : "fails";
  return {absl::StrCat(Number(decision.entry())),
          NameOfSeat(analysis, SeatOf(decision)),
          Told(decision.played()),
          paid && decision.expected_cost() > 0 ? Better(decision) : "",
          decision.forced() ? "" : Points(ExpectedCost(decision)),
          decision.forced() ? "" : OpenCost(decision, "?"),
          MarginText(decision, ""),
          made};
}

bool WorthTelling(const DecisionAnalysis& decision) {
  return decision.expected_cost() >= kWorthTelling || decision.open_cost() >= kWorthTelling;
}

std::string TurningPoints(const DealAnalysis& analysis) {
  std::string out;
  for (const std::uint32_t entry : analysis.summary.turning_points()) {
    if (entry >= analysis.decisions.size()) continue;
    const DecisionAnalysis& decision = analysis.decisions[entry];
    absl::StrAppend(
        &out, "  ", Number(entry), ". ", NameOfSeat(analysis, SeatOf(decision)), ", ",
        Told(decision.played()), ": the contract ",
        decision.contract_made() ? "was made, and now fails" : "failed, and is now made", "\n");
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

bot::v1::DealAnalysis::Seat CostOf(const DealAnalysis& analysis, rules::Seat seat) {
  return seat < analysis.summary.seats_size() ? analysis.summary.seats(seat)
                                              : bot::v1::DealAnalysis::Seat();
}

std::string SeatJson(const DealAnalysis& analysis, rules::Seat seat) {
  const bot::v1::DealAnalysis::Seat cost = CostOf(analysis, seat);
  return absl::StrFormat(
      "{\"seat\": %s, \"name\": %s, \"score\": %d, \"decisions\": %d, \"expected_cost\": %s, "
      "\"open_cost\": %s}",
      Quoted(notation::SeatName(seat)), Quoted(analysis.record.names[Slot(seat)]),
      analysis.end.result.scores[Slot(seat)], cost.decisions(),
      Points(static_cast<int>(cost.expected_cost())), Points(static_cast<int>(cost.open_cost())));
}

std::string OptionJson(const DecisionAnalysis::Option& option) {
  return absl::StrFormat(
      "{\"action\": %s, \"expected\": %s, \"open_loss\": %s}", Quoted(Name(option.action())),
      option.has_expected() ? Points(option.expected()) : "null",
      option.has_open_loss() ? Points(static_cast<int>(option.open_loss())) : "null");
}

std::string Numbers(const google::protobuf::RepeatedField<std::uint32_t>& entries) {
  return absl::StrJoin(entries, ", ", [](std::string* out, std::uint32_t entry) {
    absl::StrAppend(out, Number(entry));
  });
}

std::string DecisionJson(const DecisionAnalysis& decision) {
  const auto option = [](std::string* out, const DecisionAnalysis::Option& o) {
    *out += OptionJson(o);
  };
  const char* const made = !decision.has_contract_made() ? "null"
                           : decision.contract_made()    ? "true"
                                                         : "false";
  return absl::StrFormat(
      "{\"number\": %d, \"seat\": %s, \"played\": %s, \"forced\": %s, \"worlds\": %d, "
      "\"expected_cost\": %s, \"open_cost\": %s, \"margin\": %s, \"contract_made\": %s, "
      "\"options\": [%s]}",
      Number(decision.entry()), Quoted(notation::SeatName(SeatOf(decision))),
      Quoted(Name(decision.played())), decision.forced() ? "true" : "false", decision.worlds(),
      Points(ExpectedCost(decision)), OpenCost(decision, "null"),
      decision.has_margin() ? absl::StrFormat("%.1f", decision.margin() / 2.0) : "null", made,
      absl::StrJoin(decision.options(), ", ", option));
}

}  // namespace

std::string RenderAnalysis(const DealAnalysis& analysis, bool all, const TextStyle& style) {
  std::vector<std::vector<std::string>> rows;
  for (const DecisionAnalysis& decision : analysis.decisions) {
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
    const bot::v1::DealAnalysis::Seat cost = CostOf(analysis, seat);
    seats.push_back({NameOfSeat(analysis, seat), absl::StrCat(cost.decisions()),
                     Points(static_cast<int>(cost.expected_cost())),
                     Points(static_cast<int>(cost.open_cost())),
                     absl::StrFormat("%+d", analysis.end.result.scores[Slot(seat)])});
  }
  return absl::StrCat(
      out, "\n", Columns(seats, {1, 2, 3, 4}),
      "\nCOST: the expected points that the decision lost, given what the seat knew. "
      "OPEN: the points lost\nwith every hand known, where the solver finished. "
      "MARGIN: the attack's points above its contract then.\n");
}

std::string AnalysisJson(const DealAnalysis& analysis) {
  std::vector<std::string> seats, decisions;
  for (rules::Seat seat = 0; seat < analysis.record.players; ++seat) {
    seats.push_back(SeatJson(analysis, seat));
  }
  for (const DecisionAnalysis& decision : analysis.decisions) {
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
      absl::StrJoin(decisions, ", "), Numbers(analysis.summary.turning_points()),
      Numbers(analysis.summary.mistakes()));
}

std::string AnalysisProgress(int done, int total) {
  if (done >= total) return "\r\x1b[K";
  const auto full = static_cast<std::size_t>(30 * done / total);
  return absl::StrCat("\r[", std::string(full, '#'), std::string(30 - full, '.'), "] ", done,
                      " of ", total, " decisions\x1b[K");
}

}  // namespace tarot::cli
