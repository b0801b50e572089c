#include "tools/tarotctl/view/result_view.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cli/card_face.h"
#include "tools/cli/columns.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealResult;
using rules::v1::Table;

std::string Capital(std::string text) {
  if (!text.empty()) text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  return text;
}

// The points that the attack gets for a slam.
std::string SlamText(int points) {
  if (points == 0) return "";
  return absl::StrCat("  Slam: ", Signed(points), " for the attack, from each defender.\n");
}

}  // namespace

std::string ResultText(const DealResult& result) {
  if (result.outcome() == DealResult::ALL_PASSED) return "Everybody passed: no score.\n";
  if (result.outcome() == DealResult::PETIT_SEC) {
    return "Petit sec: a hand held the Petit as its only trump, without the Excuse. No score.\n";
  }
  std::string out = absl::StrCat(
      Capital(ContractWord(result.contract())), result.won() ? " made" : " failed",
      result.difference() == 0 ? " exactly" : absl::StrCat(" by ", result.difference()), ": ",
      HalfPointsText(result.attack_half_points()), " points with ", result.bouts(),
      result.bouts() == 1 ? " bout, " : " bouts, ", HalfPointsText(result.needed_half_points()),
      " needed.\n");
  if (result.petit_au_bout() != 0) {
    absl::StrAppend(&out, "  Petit au bout for the ",
                    result.petit_au_bout() > 0 ? "attack" : "defence", ".\n");
  }
  if (result.handful_points() != 0) {
    absl::StrAppend(&out, "  Handfuls: ", Signed(result.handful_points()), " for the attack.\n");
  }
  absl::StrAppend(&out, SlamText(result.slam_points()));
  return out;
}

std::string RenderDealResult(const Table& table, const cli::TextStyle& style) {
  const rules::v1::DealView& deal = table.deal();
  const DealResult& result = deal.result();
  std::string out =
      style.Paint(cli::Tone::kBold, absl::StrCat("Deal ", table.deal_number(), " is over. "));
  if (result.outcome() != DealResult::SCORED) return out + ResultText(result);
  absl::StrAppend(
      &out, SeatName(table, result.taker()), " took",
      result.has_partner() ? absl::StrCat(" with ", SeatName(table, result.partner())) : "", ".\n",
      ResultText(result));
  if (deal.dog_size() > 0) absl::StrAppend(&out, "  Dog: ", cli::Faces(deal.dog(), style), "\n");
  if (deal.discard_size() > 0) {
    absl::StrAppend(&out, "  Écart: ", cli::Faces(deal.discard(), style), "\n");
  }
  std::vector<std::vector<std::string>> rows = {{"", "deal", "total"}};
  for (int i = 0; i < table.seats_size(); ++i) {
    rows.push_back({SeatName(table, static_cast<std::uint32_t>(i)),
                    i < result.scores_size() ? Signed(result.scores(i)) : "",
                    Signed(table.seats(i).total())});
  }
  return out + cli::Columns(rows, {1, 2});
}

std::string RenderMatchResult(const Table& table,
                              const std::map<std::string, ratings::v1::RatingChange>& changes,
                              const cli::TextStyle& style) {
  std::vector<int> order(static_cast<std::size_t>(table.seats_size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return table.seats(a).total() > table.seats(b).total(); });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const rules::v1::Seat& seat = table.seats(order[place]);
    // Equal totals share a place.
    const bool shared = place > 0 && table.seats(order[place - 1]).total() == seat.total();
    std::vector<std::string> row = {shared ? "" : absl::StrCat(place + 1, "."),
                                    SeatName(table, static_cast<std::uint32_t>(order[place])),
                                    Signed(seat.total())};
    if (const auto change = changes.find(seat.player()); change != changes.end()) {
      const ratings::v1::RatingChange& c = change->second;
      row.push_back(absl::StrFormat("rating %.0f → %.0f (%+.0f)", c.rating_before(),
                                    c.rating_after(), c.rating_after() - c.rating_before()));
    }
    rows.push_back(std::move(row));
  }
  return absl::StrCat(style.Paint(cli::Tone::kBold, "The match is over."), "\n",
                      cli::Columns(rows, {2}));
}

}  // namespace tarot::tarotctl
