#include "tools/tarotctl/view/score_sheet.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cli/card_face.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealResult;
using rules::v1::ScoreSheet;

std::string NameOf(const ScoreSheet& sheet, std::uint32_t seat) {
  if (seat >= static_cast<std::uint32_t>(sheet.players_size()))
    return absl::StrCat("seat ", seat + 1);
  const ScoreSheet::Player& player = sheet.players(static_cast<int>(seat));
  return MarkedName(player.display_name(), !player.bot_level().empty());
}

}  // namespace

std::string RenderDraw(const ScoreSheet& sheet, const cli::TextStyle& style) {
  if (!sheet.has_first_dealer()) return "The first deal comes in a moment.\n";
  const std::string dealer = NameOf(sheet, sheet.first_dealer());
  if (sheet.first_dealer_draw().empty()) return absl::StrCat("First dealer: ", dealer, ".\n");
  std::string out = "Draw for the first dealer: ";
  std::uint32_t round = 1;
  bool begins = true;
  for (const ScoreSheet::DrawnCard& drawn : sheet.first_dealer_draw()) {
    if (drawn.round() != round) absl::StrAppend(&out, "; equal, so again: ");
    absl::StrAppend(&out, begins || drawn.round() != round ? "" : ", ", NameOf(sheet, drawn.seat()),
                    " ", cli::Face(drawn.card(), style), drawn.put_aside() ? " (put aside)" : "");
    round = drawn.round();
    begins = false;
  }
  return absl::StrCat(out, ". ", dealer, " has the lowest card and deals.\n");
}

namespace {

std::string AloneText(ScoreSheet::Alone alone) {
  switch (alone) {
    case ScoreSheet::CALLED_OWN_CARD:
      return ", alone: the called card was in the taker's own hand";
    case ScoreSheet::CALLED_CARD_IN_DOG:
      return ", alone: the called card was in the dog";
    case ScoreSheet::CALLED_NO_CARD:
      return ", alone: the taker called no card";
    default:
      return "";
  }
}

std::string DealText(const ScoreSheet& sheet, const ScoreSheet::Deal& deal,
                     const rules::RuleSet& rules, const cli::TextStyle& style) {
  const DealResult& result = deal.result();
  std::string out =
      absl::StrCat(style.Paint(cli::Tone::kBold, absl::StrCat("Deal ", deal.number())), ", dealer ",
                   NameOf(sheet, deal.dealer()), deal.has_sits_out() ? " (sits out)" : "");
  if (result.outcome() == DealResult::SCORED && result.has_taker()) {
    absl::StrAppend(&out, ": ", NameOf(sheet, result.taker()), " takes");
    if (deal.has_called_card()) {
      absl::StrAppend(&out, ", calls ", cli::Face(deal.called_card(), style));
    }
    if (result.has_partner())
      absl::StrAppend(&out, ", plays with ", NameOf(sheet, result.partner()));
    absl::StrAppend(&out, AloneText(deal.alone()));
    if (deal.slam_announced()) absl::StrAppend(&out, "; slam announced");
  }
  absl::StrAppend(&out, "\n  ", ResultText(result, rules));
  if (result.has_petit_sec_seat()) {
    absl::StrAppend(&out, "  ", NameOf(sheet, result.petit_sec_seat()), ": ",
                    cli::Faces(result.petit_sec_hand(), style), "\n");
  }
  if (result.has_claim_seat()) {
    absl::StrAppend(&out, "  ", NameOf(sheet, result.claim_seat()),
                    " claimed all tricks from trick ", result.claim_trick(), " on.\n");
  }
  for (const rules::v1::Handful& handful : deal.handfuls()) {
    // The server hides the cards of a deal without a score until the match is over.
    const std::string what = handful.cards().empty()
                                 ? absl::StrCat("Handful of level ", handful.level())
                                 : absl::StrCat("Handful of ", handful.cards_size());
    absl::StrAppend(&out, "  ", what, " by ", NameOf(sheet, handful.seat()), ".\n");
  }
  if (!deal.arithmetic().empty()) {
    absl::StrAppend(&out, "  ", cli::Safe(deal.arithmetic()),
                    rules.scoring != rules::Scoring::kNormal ? ""
                    : result.unit() < 0                      ? ": the attack pays each defender"
                                                             : ": each defender pays the attack",
                    "\n");
  }
  return out;
}

}  // namespace

std::string RenderScoreSheet(const ScoreSheet& sheet, const cli::TextStyle& style) {
  const rules::RuleSet rules = RulesOf(sheet);
  std::string out =
      absl::StrCat(style.Paint(cli::Tone::kBold, absl::StrCat("Table ", ShortId(sheet.table()))),
                   " · ", cli::Safe(sheet.rule_set()), " · ", sheet.deal_count(),
                   sheet.deal_count() == 1 ? " deal" : " deals", sheet.finished() ? ", over" : "",
                   "\n", RenderDraw(sheet, style));
  std::vector<std::vector<std::string>> rows = {{"deal"}};
  std::vector<int> right = {0};
  for (int seat = 0; seat < sheet.players_size(); ++seat) {
    rows[0].push_back(cli::Fit(NameOf(sheet, static_cast<std::uint32_t>(seat)), 12));
    right.push_back(seat + 1);
  }
  for (const ScoreSheet::Deal& deal : sheet.deals()) {
    absl::StrAppend(&out, "\n", DealText(sheet, deal, rules, style));
    std::vector<std::string> row = {absl::StrCat(deal.number())};
    for (int seat = 0; seat < deal.totals_size(); ++seat) {
      const bool plays =
          !deal.has_sits_out() || deal.sits_out() != static_cast<std::uint32_t>(seat);
      const bool scored = plays && seat < deal.result().scores_size();
      row.push_back(absl::StrCat(scored ? Signed(deal.result().scores(seat)) : "-", " (",
                                 Signed(deal.totals(seat)), ")"));
    }
    rows.push_back(std::move(row));
  }
  if (sheet.deals().empty()) return absl::StrCat(out, "\nNo deal is finished yet.\n");
  return absl::StrCat(out, "\nEach deal's score, and the total after it:\n",
                      cli::Columns(rows, right));
}

}  // namespace tarot::tarotctl
