#include "tools/tarotctl/view/table_view.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/rules/cards.h"
#include "tools/cli/card_face.h"
#include "tools/cli/columns.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealView;
using rules::v1::Phase;
using rules::v1::Table;

struct Won {
  int tricks = 0;
  std::uint32_t half_points = 0;
};

// The points that a seat has won so far. Every player can count them; they do not reveal the camps.
Won WonBy(const DealView& deal, std::uint32_t seat) {
  Won won;
  for (const rules::v1::Trick& trick : deal.tricks()) {
    if (!trick.has_winner() || trick.winner() != seat) continue;
    ++won.tricks;
    for (const rules::Card card : cli::ToSet(trick.cards())) {
      won.half_points += static_cast<std::uint32_t>(rules::HalfPoints(card));
    }
  }
  return won;
}

// Numbers count all deals, but a deal that all players pass does not count for the match.
std::string Progress(const Table& table) {
  if (table.state() == Table::FINISHED) {
    return absl::StrCat("match over after ", table.deals_scored(), " deals");
  }
  const std::uint32_t deal =
      std::max(1u, table.deals_scored() + (table.state() == Table::DEALING ? 0 : 1));
  return absl::StrCat("deal ", deal, " of ", table.deal_count(),
                      table.state() == Table::PLAYING && table.deal_number() > deal
                          ? absl::StrCat(" (number ", table.deal_number(), " with redeals)")
                          : "");
}

std::string Title(const Table& table, const cli::TextStyle& style) {
  const std::string progress = Progress(table);
  return style.Paint(cli::Tone::kBold,
                     absl::StrCat("Table ", cli::Safe(IdOf(table.name())).substr(0, 8), " · ",
                                  table.ranked() ? "ranked" : "casual", " · ", progress)) +
         "\n";
}

std::string Role(const DealView& deal, std::uint32_t seat) {
  if (deal.has_taker() && deal.taker() == seat) return "taker";
  if (deal.has_partner() && deal.partner() == seat) return "partner";
  return deal.dealer() == seat ? "dealer" : "";
}

std::string BotNote(const rules::v1::Seat& seat) {
  if (!seat.bot_level().empty()) return absl::StrCat("bot ", cli::Fit(seat.bot_level(), 12));
  return seat.held_by_bot() ? "away, a bot plays" : "";
}

std::string Seats(const Table& table, const cli::TextStyle& style) {
  const DealView& deal = table.deal();
  std::vector<std::vector<std::string>> rows = {
      {"", "", "", "cards", "tricks", "points", "total", ""}};
  for (int i = 0; i < table.seats_size(); ++i) {
    const auto seat = static_cast<std::uint32_t>(i);
    const bool turn = deal.has_turn() && deal.turn() == seat;
    const bool viewer = table.has_viewer() && table.viewer() == seat;
    const Won won = WonBy(deal, seat);
    rows.push_back({turn ? ">" : "",
                    style.Paint(turn ? cli::Tone::kBold : cli::Tone::kPlain, SeatName(table, seat)),
                    Role(deal, seat),
                    i < deal.hand_counts_size() ? absl::StrCat(deal.hand_counts(i)) : "",
                    absl::StrCat(won.tricks), HalfPointsText(won.half_points),
                    Signed(table.seats(i).total()), viewer ? "you" : BotNote(table.seats(i))});
  }
  return cli::Columns(rows, {3, 4, 5, 6});
}

std::string Auction(const Table& table) {
  const DealView& deal = table.deal();
  std::string out = "Auction:";
  for (int i = 0; i < deal.bids_size(); ++i) {
    const auto seat = (deal.dealer() + 1 + static_cast<std::uint32_t>(i)) %
                      static_cast<std::uint32_t>(table.seats_size());
    absl::StrAppend(&out, i > 0 ? "," : "", " ", SeatName(table, seat), " ",
                    ContractWord(deal.bids(i)));
  }
  return absl::StrCat(out, deal.bids_size() == 0 ? " no bids yet" : "", "\n");
}

std::string Contract(const Table& table, const cli::TextStyle& style) {
  const DealView& deal = table.deal();
  if (!deal.has_taker()) return deal.phase() == Phase::BIDDING ? Auction(table) : "";
  std::string out = absl::StrCat("Contract: ", ContractWord(deal.contract()), " by ",
                                 SeatName(table, deal.taker()));
  if (deal.has_called_card()) {
    absl::StrAppend(&out, ", who calls ", cli::Face(deal.called_card(), style));
  }
  if (deal.slam_announced()) absl::StrAppend(&out, ", slam announced");
  absl::StrAppend(&out, "\n");
  if (deal.dog_size() > 0) absl::StrAppend(&out, "Dog: ", cli::Faces(deal.dog(), style), "\n");
  if (deal.discard_size() > 0) {
    absl::StrAppend(&out, "Écart: ", cli::Faces(deal.discard(), style), "\n");
  } else if (deal.discard_shown_size() > 0) {
    absl::StrAppend(&out, "Trumps in the écart: ", cli::Faces(deal.discard_shown(), style), "\n");
  }
  for (const rules::v1::Handful& handful : deal.handfuls()) {
    absl::StrAppend(&out, "Handful of ", handful.cards_size(), " by ",
                    SeatName(table, handful.seat()), ": ", cli::Faces(handful.cards(), style),
                    "\n");
  }
  return out;
}

// "Ada ♥3  Zoë ♥R!": the winner's card before "!".
std::string TrickLine(const Table& table, const rules::v1::Trick& trick,
                      const cli::TextStyle& style) {
  const int name_width = table.seats_size() > 4 ? 7 : 9;  // A full trick fits in a line.
  std::string out;
  for (int i = 0; i < trick.cards_size(); ++i) {
    const auto seat = (trick.leader() + static_cast<std::uint32_t>(i)) %
                      static_cast<std::uint32_t>(table.seats_size());
    absl::StrAppend(&out, i > 0 ? "  " : "", cli::Fit(SeatName(table, seat), name_width), " ",
                    cli::Face(trick.cards(i), style),
                    trick.has_winner() && trick.winner() == seat ? "!" : "");
  }
  return out;
}

std::string Tricks(const Table& table, const cli::TextStyle& style) {
  const DealView& deal = table.deal();
  const rules::v1::Trick* last = nullptr;
  const rules::v1::Trick* current = nullptr;
  for (const rules::v1::Trick& trick : deal.tricks())
    (trick.has_winner() ? last : current) = &trick;
  std::string out;
  if (last != nullptr) {
    absl::StrAppend(&out, style.Paint(cli::Tone::kDim, "Last trick:"), " ",
                    TrickLine(table, *last, style), "\n");
  }
  if (current != nullptr) {
    absl::StrAppend(
        &out, style.Paint(cli::Tone::kBold, absl::StrCat("Trick ", deal.tricks_size(), ":")), " ",
        current->cards_size() > 0 ? TrickLine(table, *current, style)
                                  : absl::StrCat(SeatName(table, current->leader()), " leads"),
        "\n");
  }
  return out;
}

std::string Turn(const Table& table, absl::Time now, const cli::TextStyle& style) {
  const DealView& deal = table.deal();
  if (table.state() != Table::PLAYING || !deal.has_turn()) return "";
  const bool mine = table.has_viewer() && table.viewer() == deal.turn();
  std::string out = mine ? "Your turn" : absl::StrCat(SeatName(table, deal.turn()), " to act");
  if (table.has_turn_expire_time()) {
    absl::StrAppend(&out, ", ", ClockText(ToTime(table.turn_expire_time()) - now), " left");
  }
  return style.Paint(mine ? cli::Tone::kBold : cli::Tone::kPlain, out + ".") + "\n";
}

// The legal cards of the hand.
rules::CardSet Marked(const DealView& deal) {
  switch (deal.phase()) {
    case Phase::DISCARDING:
      return cli::ToSet(deal.legal().discards());
    case Phase::PLAYING:
      return cli::ToSet(deal.legal().cards());
    default:
      return rules::CardSet();
  }
}

}  // namespace

std::string RenderHand(const DealView& deal, const cli::TextStyle& style) {
  const rules::CardSet marked = Marked(deal);
  std::array<std::string, 5> rows;  // Spades, hearts, clubs, diamonds, trumps with the Excuse.
  constexpr std::array<std::size_t, 6> kRowOfSuit = {0, 1, 3, 2, 4, 4};
  for (const rules::Card card : cli::SortedForHand(cli::ToSet(deal.hand()))) {
    const bool may_go = marked.Contains(card);
    const std::string face = style.Paint(
        marked.Empty() || may_go ? cli::SuitTone(card) : cli::Tone::kDim, cli::RankFace(card));
    absl::StrAppend(&rows[kRowOfSuit[static_cast<std::size_t>(rules::SuitOf(card))]],
                    may_go ? absl::StrCat("[", face, "]") : absl::StrCat(" ", face, " "));
  }
  constexpr std::array<absl::string_view, 5> kHeads = {"♠", "♥", "♣", "♦", "T"};
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].empty()) {
      absl::StrAppend(&out, "  ", kHeads[i], " ", absl::StripTrailingAsciiWhitespace(rows[i]),
                      "\n");
    }
  }
  return out;
}

std::string RenderTable(const Table& table, absl::Time now, const cli::TextStyle& style) {
  std::string out = Title(table, style) + Seats(table, style);
  if (!table.has_deal()) return out + "The first deal comes in a moment.\n";
  absl::StrAppend(&out, Contract(table, style), Tricks(table, style));
  if (table.deal().hand_size() > 0) {
    absl::StrAppend(&out, "Your hand:\n", RenderHand(table.deal(), style));
  }
  return out + Turn(table, now, style);
}

}  // namespace tarot::tarotctl
