#include "tools/tarotctl/view/rooms.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/tarotctl/view/proposals.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;
using matchmaking::v1::RoomSeat;
using matchmaking::v1::RoomTerms;

// The width of the rule set's text. Texts of custom rule sets may be longer and are cut.
constexpr int kRuleSetWidth = 60;

std::string PlayerCounts(const rules::v1::RuleSetInfo& set) {
  return absl::StrJoin(set.player_counts(), ",");
}

std::string NameOf(const RoomSeat& seat) {
  return MarkedName(seat.display_name(), !seat.bot_level().empty());
}

// Returns the name of the seat's player, or "seat 3" for a seat without one.
std::string NameAt(const Room& room, std::uint32_t seat) {
  const bool known = seat < static_cast<std::uint32_t>(room.seats_size()) &&
                     !room.seats(static_cast<int>(seat)).player().empty();
  return known ? NameOf(room.seats(static_cast<int>(seat))) : absl::StrCat("seat ", seat + 1);
}

// Returns a text such as "pagat, 4 players, 2 deals, 0:30 a move, bank 1:00".
std::string TermsText(const RoomTerms& terms) {
  return absl::StrCat(
      cli::Fit(terms.rule_set(), kRuleSetWidth), ", ", terms.player_count(), " players, ",
      terms.deal_count(), terms.deal_count() == 1 ? " deal, " : " deals, ",
      ClockText(ToDuration(terms.move_limit())), " a move, ",
      terms.has_time_bank() ? absl::StrCat("bank ", ClockText(ToDuration(terms.time_bank())))
                            : "no bank",
      terms.has_options() ? absl::StrCat(", ", OptionsText(terms.options())) : "");
}

std::string StateText(const Room& room) {
  const int free = FreeSeats(room);
  switch (room.state()) {
    case Room::STARTING:
      return "The table is being made.";
    case Room::PLAYING:
      return absl::StrCat("The match runs at table ", cli::Safe(IdOf(room.table())), ".");
    case Room::ENDED:
      return "The room has ended.";
    default:
      if (free > 0) return absl::StrCat(free, free == 1 ? " seat is free." : " seats are free.");
      if (room.has_viewer() && room.viewer() == room.host_seat()) {
        return "All seats are taken. You can start the match: tarotctl start";
      }
      return absl::StrCat("All seats are taken. ", NameAt(room, room.host_seat()),
                          " can start the match.");
  }
}

// Returns the players of a room on one line, for example "Ada, bot Zoë, 2 free".
std::string Company(const Room& room) {
  std::vector<std::string> names;
  for (const RoomSeat& seat : room.seats()) {
    if (!seat.player().empty()) names.push_back(NameOf(seat));
  }
  const int free = FreeSeats(room);
  if (free > 0) names.push_back(absl::StrCat(free, " free"));
  return absl::StrJoin(names, ", ");
}

void AddRows(const std::string& list, const matchmaking::v1::ListRoomsResponse& rooms,
             std::vector<std::vector<std::string>>& rows) {
  for (const Room& room : rooms.rooms()) {
    rows.push_back({list, cli::Safe(IdOf(room.name())), cli::Fit(room.terms().rule_set(), 24),
                    absl::StrCat(room.terms().deal_count()),
                    ClockText(ToDuration(room.terms().move_limit())), Company(room)});
  }
}

}  // namespace

int FreeSeats(const Room& room) {
  return static_cast<int>(std::count_if(room.seats().begin(), room.seats().end(),
                                        [](const RoomSeat& s) { return s.player().empty(); }));
}

bool IsHost(const Room& room) { return room.has_viewer() && room.viewer() == room.host_seat(); }

std::string RenderRuleSets(const rules::v1::ListRuleSetsResponse& sets) {
  std::vector<std::vector<std::string>> rows = {{"rules", "players", "what"}};
  for (const rules::v1::RuleSetInfo& set : sets.rule_sets()) {
    rows.push_back({cli::Safe(set.name()), PlayerCounts(set), cli::Safe(set.description())});
  }
  return absl::StrCat(cli::Columns(rows, {}),
                      "\nWhat differs from fft: tarotctl rule-sets NAME. To open a table: tarotctl "
                      "open --rules NAME\n");
}

std::string RenderRuleSet(const rules::v1::RuleSetInfo& set, const cli::TextStyle& style) {
  std::string out =
      absl::StrCat(style.Paint(cli::Tone::kBold, cli::Safe(set.name())), "  ", PlayerCounts(set),
                   " players\n", cli::Safe(set.description()), "\n\n");
  if (set.differences_size() == 0) {
    return absl::StrCat(out, "No parameter differs from fft, the federation's rules.\n");
  }
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "in fft", "meaning"}};
  for (const rules::v1::ParameterDifference& differs : set.differences()) {
    rows.push_back({cli::Safe(differs.parameter()), cli::Safe(rules::BareValue(differs.value())),
                    cli::Safe(rules::BareValue(differs.fft_value())),
                    cli::Safe(differs.meaning())});
  }
  return absl::StrCat(out, cli::Columns(rows, {}));
}

std::string RenderRooms(const RoomLists& lists, const std::string& me) {
  std::vector<std::vector<std::string>> rows = {
      {"", "room", "rules", "deals", "a move", "players"}};
  AddRows("yours", lists.mine, rows);
  AddRows("invited", lists.invited, rows);
  AddRows("open", lists.open, rows);
  std::string out = rows.size() > 1
                        ? cli::Columns(rows, {3, 4})
                        : "No open room has a free seat. To open one: tarotctl open --open\n";
  if (!lists.open.next_page_token().empty()) {
    absl::StrAppend(&out, "\nMore: tarotctl rooms --page ", cli::Safe(lists.open.next_page_token()),
                    "\n");
  }
  return absl::StrCat(out, "\nOthers can invite you by your id: ", cli::Safe(IdOf(me)), "\n");
}

std::string RenderRoom(const Room& room, const cli::TextStyle& style) {
  std::string out = absl::StrCat(
      room.visibility() == Room::OPEN ? "Open room " : "Private room ",
      cli::Safe(IdOf(room.name())),
      room.code().empty()
          ? ""
          : absl::StrCat(", code ", style.Paint(cli::Tone::kBold, cli::Safe(room.code()))),
      "\n  ", TermsText(room.terms()), "\n");
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < room.seats_size(); ++i) {
    const RoomSeat& seat = room.seats(i);
    const auto number = static_cast<std::uint32_t>(i);
    std::vector<std::string> facts;
    if (!seat.bot_level().empty()) facts.push_back(cli::Fit(seat.bot_level(), 12));
    if (room.host_seat() == number && !seat.player().empty()) facts.push_back("host");
    if (room.has_viewer() && room.viewer() == number) facts.push_back("you");
    rows.push_back({"", absl::StrCat(number + 1),
                    seat.player().empty() ? style.Paint(cli::Tone::kDim, "free") : NameOf(seat),
                    absl::StrJoin(facts, ", ")});
  }
  absl::StrAppend(&out, cli::Columns(rows, {}));
  for (const std::string& player : room.invited()) {
    absl::StrAppend(&out, "  Invited: ", cli::Safe(IdOf(player)), "\n");
  }
  if (room.start_refused() && room.state() == Room::GATHERING) {
    absl::StrAppend(&out, "The last match could not be started. The host may try again.\n");
  }
  return absl::StrCat(out, StateText(room), "\n");
}

std::vector<std::string> DescribeRoomChanges(const Room& before, const Room& after) {
  std::vector<std::string> lines;
  for (int i = 0; i < after.seats_size() && i < before.seats_size(); ++i) {
    const RoomSeat& was = before.seats(i);
    const RoomSeat& is = after.seats(i);
    const auto seat = static_cast<std::uint32_t>(i);
    if (was.player() == is.player()) {
      if (was.bot_level() != is.bot_level()) {
        lines.push_back(absl::StrCat(NameAt(after, seat), " has the level ",
                                     cli::Fit(is.bot_level(), 12), " now."));
      }
      continue;
    }
    if (!was.player().empty()) lines.push_back(absl::StrCat(NameAt(before, seat), " leaves."));
    if (!is.player().empty()) {
      lines.push_back(absl::StrCat(NameAt(after, seat), " takes seat ", i + 1, "."));
    }
  }
  if (before.host_seat() != after.host_seat() && after.seats_size() > 0) {
    lines.push_back(absl::StrCat(NameAt(after, after.host_seat()), " is the host now."));
  }
  if (after.invited_size() > before.invited_size()) {
    lines.push_back(absl::StrCat("Invited: ", cli::Safe(IdOf(*after.invited().rbegin())), "."));
  }
  if (after.start_refused() && !before.start_refused()) {
    lines.push_back("The match could not be started. The host may try again.");
  }
  const bool seats_changed =
      after.state() == Room::GATHERING && FreeSeats(before) != FreeSeats(after);
  if (before.state() != after.state() || seats_changed) lines.push_back(StateText(after));
  return lines;
}

}  // namespace tarot::tarotctl
