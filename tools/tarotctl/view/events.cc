#include "tools/tarotctl/view/events.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cli/card_face.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealView;
using rules::v1::Table;

using Lines = std::vector<std::string>;

std::uint32_t Wrap(const Table& table, std::uint32_t seat) {
  return seat % static_cast<std::uint32_t>(std::max(1, table.seats_size()));
}

void Auction(const DealView& before, const Table& table, Lines& lines) {
  const DealView& deal = table.deal();
  for (int i = before.bids_size(); i < deal.bids_size(); ++i) {
    const auto seat = Wrap(table, deal.dealer() + 1 + static_cast<std::uint32_t>(i));
    lines.push_back(
        deal.bids(i) == rules::v1::PASS
            ? absl::StrCat(SeatName(table, seat), " passes.")
            : absl::StrCat(SeatName(table, seat), " bids ", ContractWord(deal.bids(i)), "."));
  }
}

void Dog(const DealView& before, const Table& table, const cli::TextStyle& style, Lines& lines) {
  const DealView& deal = table.deal();
  if (deal.has_taker() && !before.has_taker()) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()),
                                 " takes: ", ContractWord(deal.contract()), "."));
  }
  if (deal.has_called_card() && !before.has_called_card()) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()), " calls ",
                                 cli::Face(deal.called_card(), style), "."));
  }
  if (deal.dog_size() > 0 && before.dog_size() == 0 && deal.phase() != rules::v1::DONE) {
    lines.push_back(absl::StrCat("The dog: ", cli::Faces(deal.dog(), style), "."));
  }
  if (deal.discard_shown_size() > 0 && before.discard_shown_size() == 0) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()), " has to put trumps away: ",
                                 cli::Faces(deal.discard_shown(), style), "."));
  }
  if (deal.slam_announced() && !before.slam_announced()) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()), " announces a slam!"));
  }
  if (deal.has_partner() && !before.has_partner()) {
    lines.push_back(absl::StrCat(SeatName(table, deal.partner()), " plays with ",
                                 SeatName(table, deal.taker()), "."));
  }
}

void Play(const DealView& before, const Table& table, const cli::TextStyle& style, Lines& lines) {
  const DealView& deal = table.deal();
  for (int i = before.handfuls_size(); i < deal.handfuls_size(); ++i) {
    lines.push_back(absl::StrCat(SeatName(table, deal.handfuls(i).seat()), " shows a handful of ",
                                 deal.handfuls(i).cards_size(), ": ",
                                 cli::Faces(deal.handfuls(i).cards(), style), "."));
  }
  for (int i = 0; i < deal.tricks_size(); ++i) {
    const rules::v1::Trick& trick = deal.tricks(i);
    const rules::v1::Trick& old =
        i < before.tricks_size() ? before.tricks(i) : rules::v1::Trick::default_instance();
    for (int k = old.cards_size(); k < trick.cards_size(); ++k) {
      const auto seat = Wrap(table, trick.leader() + static_cast<std::uint32_t>(k));
      lines.push_back(absl::StrCat(SeatName(table, seat), k == 0 ? " leads " : " plays ",
                                   cli::Face(trick.cards(k), style), "."));
    }
    if (trick.has_winner() && !old.has_winner()) {
      lines.push_back(absl::StrCat(SeatName(table, trick.winner()), " wins trick ", i + 1, "."));
    }
  }
}

void Seats(const Table& before, const Table& after, Lines& lines) {
  for (int i = 0; i < after.seats_size() && i < before.seats_size(); ++i) {
    if (before.seats(i).held_by_bot() == after.seats(i).held_by_bot()) continue;
    lines.push_back(absl::StrCat(
        SeatName(after, static_cast<std::uint32_t>(i)),
        after.seats(i).held_by_bot() ? " ran out of time twice: a bot plays on." : " is back."));
  }
}

// A deal whose end was not seen: what it changed.
void MissedEnd(const Table& before, const Table& after, Lines& lines) {
  std::vector<std::string> scores;
  for (int i = 0; i < after.seats_size() && i < before.seats_size(); ++i) {
    const int points = after.seats(i).total() - before.seats(i).total();
    if (points != 0) {
      scores.push_back(
          absl::StrCat(SeatName(after, static_cast<std::uint32_t>(i)), " ", Signed(points)));
    }
  }
  lines.push_back(absl::StrCat("Deal ", before.deal_number(), " is over: ",
                               scores.empty() ? "no score" : absl::StrJoin(scores, ", "), "."));
}

}  // namespace

Lines DescribeChanges(const Table& before, const Table& after, const cli::TextStyle& style) {
  Lines lines;
  Seats(before, after, lines);
  if (!after.has_deal()) return lines;
  const bool new_deal = !before.has_deal() || before.deal_number() != after.deal_number();
  if (new_deal && before.has_deal() && !before.deal().has_result()) MissedEnd(before, after, lines);
  if (new_deal) {
    lines.push_back(absl::StrCat("Deal ", after.deal_number(), ": ",
                                 SeatName(after, after.deal().dealer()), " deals."));
  }
  const DealView& old = new_deal ? DealView::default_instance() : before.deal();
  Auction(old, after, lines);
  Dog(old, after, style, lines);
  Play(old, after, style, lines);
  return lines;
}

}  // namespace tarot::tarotctl
