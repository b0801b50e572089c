#include "tools/cli/analysis_report.h"

#include <array>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/notation/names.h"
#include "libs/wire/convert.h"
#include "tools/cli/card_face.h"
#include "tools/cli/reason_text.h"
#include "tools/cli/text.h"

namespace tarot::cli {
namespace {

using bot::v1::DecisionAnalysis;
using notation::Slot;

constexpr std::uint32_t kWorthTelling = 50;  // In hundredths of a point.

// The fixed texts of the report.
struct Words {
  const char* judged_by;
  const char* points;
  const char* nothing;
  const char* heads[9];
  const char* seat_heads[5];
  const char* made;
  const char* fails;
  const char* turning;
  const char* now_fails;
  const char* now_made;
  const char* faults;
  const char* cost;
  const char* to;
  const char* bids;
  const char* expected;
  const char* chance;
  const char* range;
  const char* footnote;
  const char* play;
  const char* call;
  const char* no_call;
  const char* slam;
  const char* no_slam;
  const char* handful;
  const char* no_handful;
};

constexpr Words kEnglish = {
    .judged_by = "judged by",
    .points = "points of the game",
    .nothing = "No decision cost half a point.",
    .heads = {"#", "SEAT", "DECISION", "BETTER", "COST", "INTERVAL", "OPEN", "MARGIN", ""},
    .seat_heads = {"SEAT", "DECISIONS", "COST", "OPEN", "SCORE"},
    .made = "made",
    .fails = "fails",
    .turning = "Turning points, with open hands:",
    .now_fails = ": the contract was made, and now fails",
    .now_made = ": the contract failed, and is now made",
    .faults = "Faults:",
    .cost = "cost",
    .to = "to",
    .bids = "Bids, judged by the hand:",
    .expected = "expected",
    .chance = "made in",
    .range = "eight of ten results from",
    .footnote =
        "COST: the expected points that the decision lost, given what the seat knew. OPEN: the "
        "points lost\nwith every hand known, where the solver finished. MARGIN: the attack's "
        "points above its contract then.\nINTERVAL: the cost is in this range. A decision is a "
        "fault only if the range is above 0.\n",
    .play = "play ",
    .call = "call ",
    .no_call = "call no card",
    .slam = "announce a slam",
    .no_slam = "announce no slam",
    .handful = "handful ",
    .no_handful = "show no handful"};

constexpr Words kFrench = {
    .judged_by = "jugé par",
    .points = "en points du jeu",
    .nothing = "Aucune décision n’a coûté un demi-point.",
    .heads = {"#", "PLACE", "DÉCISION", "MIEUX", "COÛT", "INTERVALLE", "OUVERT", "MARGE", ""},
    .seat_heads = {"PLACE", "DÉCISIONS", "COÛT", "OUVERT", "SCORE"},
    .made = "passe",
    .fails = "chute",
    .turning = "La donne bascule, à jeu ouvert :",
    .now_fails = " : le contrat passait, et chute maintenant",
    .now_made = " : le contrat chutait, et passe maintenant",
    .faults = "Fautes :",
    .cost = "coût",
    .to = "à",
    .bids = "Enchères, d’après la main :",
    .expected = "espérance",
    .chance = "réussit dans",
    .range = "huit résultats sur dix de",
    .footnote =
        "COÛT : les points que la décision perd en espérance, d’après ce que la place savait. "
        "OUVERT : les points\nperdus quand toutes les mains sont connues, si le solveur a fini. "
        "MARGE : les points de l’attaque au-dessus\ndu contrat, à jeu ouvert. INTERVALLE : le "
        "coût est dans cet intervalle. Une décision n’est une faute que si\nl’intervalle est "
        "au-dessus de 0.\n",
    .play = "jouer ",
    .call = "appeler ",
    .no_call = "n’appeler aucune carte",
    .slam = "annoncer un chelem",
    .no_slam = "n’annoncer aucun chelem",
    .handful = "poignée ",
    .no_handful = "ne montrer aucune poignée"};

const Words& WordsOf(Language language) {
  return language == Language::kFrench ? kFrench : kEnglish;
}

// Formats hundredths: 1234 gives "12.34".
std::string Points(int hundredths) {
  return absl::StrFormat("%s%d.%02d", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100,
                         std::abs(hundredths) % 100);
}
// Formats hundredths as people of the language write them.
std::string Points(int hundredths, Language language) {
  const std::string text = Points(hundredths);
  return language == Language::kFrench ? absl::StrReplaceAll(text, {{".", ","}}) : text;
}
std::string OpenCost(const DecisionAnalysis& decision) {
  return decision.has_open_cost() ? Points(static_cast<int>(decision.open_cost())) : "null";
}
int ExpectedCost(const DecisionAnalysis& decision) {
  return static_cast<int>(decision.expected_cost());
}

std::string MarginText(const DecisionAnalysis& decision, Language language) {
  if (!decision.has_margin()) return "";
  const std::string text = absl::StrFormat("%+.1f", decision.margin() / 2.0);
  return language == Language::kFrench ? absl::StrReplaceAll(text, {{".", ","}}) : text;
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

std::string BidText(rules::Contract contract) {
  constexpr std::array<const char*, 5> kNames{"Passe", "Prise", "Garde", "Garde sans",
                                              "Garde contre"};
  return kNames[static_cast<std::size_t>(contract)];
}

// Returns the action in the words and cards that people read.
std::string Told(const rules::v1::Action& action, const Words& words) {
  const auto decoded = wire::DecodeAction(action, "action");
  if (!decoded.ok()) return "?";
  using Kind = rules::Action::Kind;
  switch (decoded->kind) {
    case Kind::kBid:
      return BidText(decoded->contract);
    case Kind::kCall:
      return decoded->card == rules::kNoCard ? words.no_call : words.call + Faces({decoded->card});
    case Kind::kDiscard:
      return "écart " + Faces(decoded->cards);
    case Kind::kSlam:
      return decoded->announce ? words.slam : words.no_slam;
    case Kind::kHandful:
      return decoded->cards.Empty() ? words.no_handful : words.handful + Faces(decoded->cards);
    case Kind::kPlay:
      return words.play + Faces({decoded->card});
  }
  return "?";
}

// Returns the action that the level would choose. If the decision is no fault, returns the best
// option that was not played; the options are sorted, best first. Returns an empty text if there is
// no other option.
std::string Better(const DecisionAnalysis& decision, const Words& words) {
  if (decision.has_better()) return Told(decision.better(), words);
  const std::string played = Name(decision.played());
  for (const DecisionAnalysis::Option& option : decision.options()) {
    if (Name(option.action()) != played) return Told(option.action(), words);
  }
  return "";
}

// Returns the interval of the cost, or an empty text if it is unknown.
std::string Interval(const DecisionAnalysis& decision, Language language) {
  if (!decision.has_cost_low() || !decision.has_cost_high()) return "";
  return absl::StrCat(DecimalText(decision.cost_low(), language), " ", WordsOf(language).to, " ",
                      DecimalText(decision.cost_high(), language));
}

std::vector<std::string> Row(const DealAnalysis& analysis, const DecisionAnalysis& decision,
                             Language language) {
  const Words& words = WordsOf(language);
  const std::string made = !decision.has_contract_made() ? ""
                           : decision.contract_made()    ? words.made
                                                         : words.fails;
  const std::string open =
      decision.has_open_cost() ? Points(static_cast<int>(decision.open_cost()), language) : "?";
  return {absl::StrCat(Number(decision.entry())),
          NameOfSeat(analysis, SeatOf(decision)),
          Told(decision.played(), words),
          decision.expected_cost() > 0 ? Better(decision, words) : "",
          decision.forced() ? "" : Points(ExpectedCost(decision), language),
          Interval(decision, language),
          decision.forced() ? "" : open,
          MarginText(decision, language),
          made};
}

bool WorthTelling(const DecisionAnalysis& decision) {
  return decision.expected_cost() >= kWorthTelling || decision.open_cost() >= kWorthTelling;
}

std::string TurningPoints(const DealAnalysis& analysis, const Words& words) {
  std::string out;
  for (const std::uint32_t entry : analysis.summary.turning_points()) {
    if (entry >= analysis.decisions.size()) continue;
    const DecisionAnalysis& decision = analysis.decisions[entry];
    absl::StrAppend(&out, "  ", Number(entry), ". ", NameOfSeat(analysis, SeatOf(decision)), ", ",
                    Told(decision.played(), words),
                    decision.contract_made() ? words.now_fails : words.now_made, "\n");
  }
  return out;
}

// Returns the faults that cost at least half a point, with their reasons.
std::string Faults(const DealAnalysis& analysis, Language language) {
  const Words& words = WordsOf(language);
  const auto name = [&](std::uint32_t seat) {
    return NameOfSeat(analysis, static_cast<rules::Seat>(seat % rules::kPlayersMax));
  };
  std::string out;
  for (const DecisionAnalysis& decision : analysis.decisions) {
    if (!decision.has_better() || decision.expected_cost() < kWorthTelling) continue;
    absl::StrAppend(&out, "  ", Number(decision.entry()), ". ",
                    NameOfSeat(analysis, SeatOf(decision)), ", ", Told(decision.played(), words),
                    ": ", words.cost, " ", DecimalText(ExpectedCost(decision), language), " (",
                    Interval(decision, language), ")\n");
    for (const bot::v1::Reason& reason : decision.reasons()) {
      const std::string text = ReasonText(reason, decision.played().has_bid(), name, language);
      if (!text.empty()) absl::StrAppend(&out, "       ", text, "\n");
    }
  }
  return out;
}

// Returns the hand of each seat that had to bid, with the expected score of each possible bid.
std::string Bids(const DealAnalysis& analysis, Language language) {
  const Words& words = WordsOf(language);
  std::string out;
  for (const DecisionAnalysis& decision : analysis.decisions) {
    if (!decision.has_hand()) continue;
    absl::StrAppend(&out, "  ", Number(decision.entry()), ". ",
                    NameOfSeat(analysis, SeatOf(decision)), ", ", Told(decision.played(), words),
                    ": ", HandText(decision.hand(), language), "\n", BidLines(decision, language));
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
      "{\"action\": %s, \"expected\": %s, \"open_loss\": %s, \"contract_chance\": %s, \"low\": %s, "
      "\"high\": %s}",
      Quoted(Name(option.action())), option.has_expected() ? Points(option.expected()) : "null",
      option.has_open_loss() ? Points(static_cast<int>(option.open_loss())) : "null",
      option.has_contract_chance() ? absl::StrFormat("%.3f", option.contract_chance() / 1000.0)
                                   : "null",
      option.has_low() ? Points(option.low()) : "null",
      option.has_high() ? Points(option.high()) : "null");
}

std::string Numbers(const google::protobuf::RepeatedField<std::uint32_t>& entries) {
  return absl::StrJoin(entries, ", ", [](std::string* out, std::uint32_t entry) {
    absl::StrAppend(out, Number(entry));
  });
}

std::string DecisionJson(const DealAnalysis& analysis, const DecisionAnalysis& decision,
                         Language language) {
  const auto name = [&](std::uint32_t seat) {
    return analysis.record.names[seat % rules::kPlayersMax];
  };
  const auto reason = [&](std::string* out, const bot::v1::Reason& one) {
    absl::StrAppend(
        out, "{\"kind\": ", Quoted(bot::v1::Reason::Kind_Name(one.kind())),
        ", \"text\": ", Quoted(ReasonText(one, decision.played().has_bid(), name, language)), "}");
  };
  const auto option = [](std::string* out, const DecisionAnalysis::Option& o) {
    *out += OptionJson(o);
  };
  const char* const made = !decision.has_contract_made() ? "null"
                           : decision.contract_made()    ? "true"
                                                         : "false";
  return absl::StrFormat(
      "{\"number\": %d, \"seat\": %s, \"played\": %s, \"forced\": %s, \"worlds\": %d, "
      "\"expected_cost\": %s, \"cost_low\": %s, \"cost_high\": %s, \"better\": %s, "
      "\"open_cost\": %s, \"margin\": %s, \"contract_made\": %s, \"reasons\": [%s], "
      "\"options\": [%s]}",
      Number(decision.entry()), Quoted(notation::SeatName(SeatOf(decision))),
      Quoted(Name(decision.played())), decision.forced() ? "true" : "false", decision.worlds(),
      Points(ExpectedCost(decision)),
      decision.has_cost_low() ? Points(decision.cost_low()) : "null",
      decision.has_cost_high() ? Points(decision.cost_high()) : "null",
      decision.has_better() ? Quoted(Name(decision.better())) : "null", OpenCost(decision),
      decision.has_margin() ? absl::StrFormat("%.1f", decision.margin() / 2.0) : "null", made,
      absl::StrJoin(decision.reasons(), ", ", reason),
      absl::StrJoin(decision.options(), ", ", option));
}

}  // namespace

std::string RenderAnalysis(const DealAnalysis& analysis, bool all, Language language,
                           const TextStyle& style) {
  const Words& words = WordsOf(language);
  std::vector<std::vector<std::string>> rows;
  for (const DecisionAnalysis& decision : analysis.decisions) {
    if (all || WorthTelling(decision)) rows.push_back(Row(analysis, decision, language));
  }
  std::string out = absl::StrCat(style.Paint(Tone::kBold, Safe(analysis.record.site)), "  ",
                                 Safe(analysis.record.rule_set), ", ", words.judged_by, " ",
                                 analysis.level, "; ", words.points, "\n\n");
  if (rows.empty()) {
    absl::StrAppend(&out, words.nothing, "\n");
  } else {
    rows.insert(rows.begin(),
                std::vector<std::string>(std::begin(words.heads), std::end(words.heads)));
    absl::StrAppend(&out, Columns(rows, {0, 4, 5, 6, 7}));
  }
  const std::pair<const char*, std::string> parts[] = {
      {words.faults, Faults(analysis, language)},
      {words.bids, Bids(analysis, language)},
      {words.turning, TurningPoints(analysis, words)}};
  for (const auto& [title, text] : parts) {
    if (!text.empty()) absl::StrAppend(&out, "\n", title, "\n", text);
  }
  std::vector<std::vector<std::string>> seats;
  seats.emplace_back(std::begin(words.seat_heads), std::end(words.seat_heads));
  for (rules::Seat seat = 0; seat < analysis.record.players; ++seat) {
    const bot::v1::DealAnalysis::Seat cost = CostOf(analysis, seat);
    seats.push_back({NameOfSeat(analysis, seat), absl::StrCat(cost.decisions()),
                     Points(static_cast<int>(cost.expected_cost()), language),
                     Points(static_cast<int>(cost.open_cost()), language),
                     absl::StrFormat("%+d", analysis.end.result.scores[Slot(seat)])});
  }
  return absl::StrCat(out, "\n", Columns(seats, {1, 2, 3, 4}), "\n", words.footnote);
}

std::string BidLines(const DecisionAnalysis& decision, Language language) {
  const Words& words = WordsOf(language);
  std::string out;
  for (const DecisionAnalysis::Option& option : decision.options()) {
    if (!option.has_expected()) continue;
    absl::StrAppend(&out, "       ", Told(option.action(), words), ": ", words.expected, " ",
                    DecimalText(option.expected(), language));
    if (option.has_contract_chance()) {
      absl::StrAppend(&out, ", ", words.chance, " ", ShareText(option.contract_chance()));
    }
    if (option.has_low() && option.has_high()) {
      absl::StrAppend(&out, ", ", words.range, " ", option.low() / 100, " ", words.to, " ",
                      option.high() / 100);
    }
    out += "\n";
  }
  return out;
}

std::string AnalysisJson(const DealAnalysis& analysis, Language language) {
  std::vector<std::string> seats, decisions;
  for (rules::Seat seat = 0; seat < analysis.record.players; ++seat) {
    seats.push_back(SeatJson(analysis, seat));
  }
  for (const DecisionAnalysis& decision : analysis.decisions) {
    decisions.push_back(DecisionJson(analysis, decision, language));
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
