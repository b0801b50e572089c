#include "tools/tarotctl/view/table_view.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/rules/deal.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "tools/cli/card_face.h"
#include "tools/cli/records.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/proposals.h"
#include "tools/tarotctl/view/talk.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::DealView;
using rules::v1::Phase;
using rules::v1::Table;

int TricksOf(const DealView& deal, std::uint32_t seat) {
  int tricks = 0;
  for (const rules::v1::Trick& trick : deal.tricks()) {
    tricks += trick.has_winner() && trick.winner() == seat ? 1 : 0;
  }
  return tricks;
}

// Returns the half points of each seat's tricks so far. The Excuse counts for the seat that played
// it. If the rule set requires it, this seat pays half a point to the winner of the trick, even if
// both seats are in one camp. So the points do not reveal the camps. Returns nothing in four cases:
// - The match is ranked. In ranked matches, the players must count the points themselves.
// - The game does not count card points.
// - The rule set does not let players look at old tricks.
// - The deal is not in the phase of play.
std::vector<std::uint32_t> LivePoints(const Table& table) {
  const DealView& deal = table.deal();
  const rules::RuleSet rules = RulesOf(deal);
  const bool counts = rules.scoring == rules::Scoring::kNormal ||
                      rules.scoring == rules::Scoring::kTakerCountsDifference;
  const bool open = rules.tricks_open == rules::TricksOpen::kAll;
  if (table.ranked() || !counts || !open || deal.phase() != Phase::PLAYING) return {};
  std::vector<std::uint32_t> points(static_cast<std::size_t>(table.seats_size()));
  for (const rules::v1::Trick& trick : deal.tricks()) {
    if (!trick.has_winner()) continue;
    if (trick.cards().empty() || trick.winner() >= points.size()) return {};
    for (int i = 0; i < trick.cards_size(); ++i) {
      const std::uint32_t card = trick.cards(i);
      if (card >= rules::kCardCount) return {};
      const std::uint32_t player = SeatAfter(deal, trick.leader(), i);
      const auto half_points =
          static_cast<std::uint32_t>(rules::HalfPoints(rules::CardAt(static_cast<int>(card))));
      const bool excuse = rules::CardAt(static_cast<int>(card)) == rules::kExcuse;
      if (!excuse || player == trick.winner() || player >= points.size()) {
        points[trick.winner()] += half_points;
        continue;
      }
      const bool paid = rules.ExcuseIsPaid(static_cast<int>(deal.player_count()));
      points[player] += half_points - (paid ? 1 : 0);
      points[trick.winner()] += paid ? 1 : 0;
    }
  }
  return points;
}

// `deal_number` counts all deals, but a deal without a score does not count for the match.
std::string Progress(const Table& table) {
  if (table.state() == Table::FINISHED) {
    return absl::StrCat("match over after ", table.deals_scored(), " deals");
  }
  const std::uint32_t deal =
      std::max(1u, table.deals_scored() + (table.state() == Table::DEALING ? 0 : 1));
  const std::string progress = absl::StrCat("deal ", deal, " of ", table.deal_count());
  if (table.state() != Table::PLAYING || table.deal_number() <= deal) return progress;
  const std::uint32_t without = table.deal_number() - deal;
  return absl::StrCat(progress, " (number ", table.deal_number(), ": ", without,
                      without == 1 ? " deal" : " deals", " had no score)");
}

std::string Title(const Table& table, const cli::TextStyle& style) {
  const std::string progress = Progress(table);
  return style.Paint(cli::Tone::kBold,
                     absl::StrCat("Table ", ShortId(table.name()), " · ",
                                  table.ranked() ? "ranked" : "casual", " · ", progress)) +
         "\n";
}

std::string Role(const DealView& deal, std::uint32_t seat) {
  if (SitsOut(deal) == static_cast<rules::Seat>(seat)) return "sits out";
  if (deal.has_taker() && deal.taker() == seat) return "taker";
  if (deal.has_partner() && deal.partner() == seat) return "partner";
  return deal.dealer() == seat ? "dealer" : "";
}

// Returns what the last column of the seats says: who plays for the seat, or why it does not play.
std::string SeatNote(const rules::v1::Seat& seat, bool disconnected) {
  if (!seat.bot_level().empty()) return absl::StrCat("level ", cli::Fit(seat.bot_level(), 12));
  if (seat.held_by_bot()) return "away, a bot plays";
  return disconnected ? "connection lost" : "";
}

std::string Seats(const Table& table, const cli::TextStyle& style,
                  const std::set<std::uint32_t>& disconnected) {
  const DealView& deal = table.deal();
  const std::vector<std::uint32_t> points = LivePoints(table);
  std::vector<std::vector<std::string>> rows = {
      {"", "", "", "cards", "tricks", points.empty() ? "" : "points", "total", ""}};
  for (int i = 0; i < table.seats_size(); ++i) {
    const auto seat = static_cast<std::uint32_t>(i);
    const bool turn = deal.has_turn() && deal.turn() == seat;
    const bool viewer = table.has_viewer() && table.viewer() == seat;
    const bool plays = SitsOut(deal) != i;
    rows.push_back({turn ? ">" : "",
                    style.Paint(turn ? cli::Tone::kBold : cli::Tone::kPlain, SeatName(table, seat)),
                    table.has_deal() ? Role(deal, seat) : "",
                    plays && i < deal.hand_counts_size() ? absl::StrCat(deal.hand_counts(i)) : "",
                    plays ? absl::StrCat(TricksOf(deal, seat)) : "",
                    plays && !points.empty() ? HalfPointsText(points[seat]) : "",
                    Signed(table.seats(i).total()),
                    viewer ? "you" : SeatNote(table.seats(i), disconnected.contains(seat))});
  }
  return cli::Columns(rows, {3, 4, 5, 6});
}

std::string Auction(const Table& table) {
  const DealView& deal = table.deal();
  std::string out = "Auction:";
  for (int i = 0; i < deal.bids_size(); ++i) {
    absl::StrAppend(&out, i > 0 ? "," : "", " ", SeatName(table, SeatOfBid(deal, i)), " ",
                    ContractWord(deal.bids(i)));
  }
  return absl::StrCat(out, deal.bids_size() == 0 ? " no bids yet" : "", "\n");
}

// Returns whether the taker may call a card in this deal and has called none.
bool CalledNoCard(const DealView& deal) {
  const bool called = deal.phase() == Phase::DISCARDING || deal.phase() == Phase::PLAYING ||
                      deal.phase() == Phase::DONE;
  return called && deal.has_taker() && !deal.has_called_card() &&
         RulesOf(deal).Playing(static_cast<int>(deal.player_count())) == rules::kPlayersMax;
}

// Returns a text such as "a double handful", and the cards while they are open.
std::string HandfulText(const rules::v1::Handful& handful, const cli::TextStyle& style) {
  static constexpr std::array<absl::string_view, 4> kLevels = {"", "single ", "double ", "triple "};
  const std::string text =
      absl::StrCat("a ", kLevels[handful.level() <= 3 ? handful.level() : 0], "handful");
  if (handful.cards().empty()) return text;
  return absl::StrCat(text, ": ", cli::Faces(handful.cards(), style));
}

// In a game without a taker, the cards of the dog are out of play.
absl::string_view NameOfDog(const rules::RuleSet& rules) {
  return rules.teams == rules::Teams::kEveryoneAlone ? "Out of play" : "Dog";
}

std::string Contract(const Table& table, const cli::TextStyle& style) {
  const DealView& deal = table.deal();
  if (!deal.has_taker()) return deal.phase() == Phase::BIDDING ? Auction(table) : "";
  std::string out = absl::StrCat("Contract: ", ContractWord(deal.contract()), " by ",
                                 SeatName(table, deal.taker()));
  if (deal.has_called_card()) {
    absl::StrAppend(&out, ", who calls ", cli::Face(deal.called_card(), style));
  } else if (CalledNoCard(deal)) {
    absl::StrAppend(&out, ", who calls no card");
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
    absl::StrAppend(&out, SeatName(table, handful.seat()), " showed ", HandfulText(handful, style),
                    ".\n");
  }
  return out;
}

// Returns a line such as "Ada ♥3  Zoë ♥R!". The "!" marks the winner's card.
std::string TrickLine(const Table& table, const rules::v1::Trick& trick,
                      const cli::TextStyle& style) {
  // With these widths, a full trick fits in a line.
  const int name_width = table.seats_size() > 4 ? 7 : 9;
  std::string out;
  for (int i = 0; i < trick.cards_size(); ++i) {
    const std::uint32_t seat = SeatAfter(table.deal(), trick.leader(), i);
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
  if (last != nullptr) {  // With tricks_open=none, a finished trick shows only its winner.
    absl::StrAppend(&out, style.Paint(cli::Tone::kDim, "Last trick:"), " ",
                    last->cards_size() > 0
                        ? TrickLine(table, *last, style)
                        : absl::StrCat("goes to ", SeatName(table, last->winner())),
                    "\n");
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
  if (Paused(table)) {
    const absl::Time end =
        ToTime(table.has_proposal() ? table.proposal().expire_time() : table.break_expire_time());
    return style.Paint(
               cli::Tone::kBold,
               absl::StrCat(table.has_proposal() ? "A proposal waits for answers" : "A break", ", ",
                            ClockText(end - now), " left.")) +
           "\n";
  }
  if (table.state() != Table::PLAYING || !deal.has_turn()) return "";
  const bool mine = table.has_viewer() && table.viewer() == deal.turn();
  std::string out = mine ? "Your turn" : absl::StrCat(SeatName(table, deal.turn()), " to act");
  if (table.has_turn_expire_time()) {
    absl::StrAppend(&out, ", ", ClockText(ToTime(table.turn_expire_time()) - now), " left");
  }
  return style.Paint(mine ? cli::Tone::kBold : cli::Tone::kPlain, out + ".") + "\n";
}

// Returns the legal cards of the hand.
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
  // The rows are in this order: spades, hearts, clubs, diamonds, trumps with the Excuse.
  std::array<std::string, 5> rows;
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

std::string RenderTable(const Table& table, absl::Time now, const cli::TextStyle& style,
                        const std::set<std::uint32_t>& disconnected) {
  std::string out = Title(table, style) + Seats(table, style, disconnected);
  if (!table.has_deal()) return out + "The first deal comes in a moment.\n";
  absl::StrAppend(&out, Contract(table, style), Tricks(table, style));
  if (table.deal().hand_size() > 0) {
    absl::StrAppend(&out, "Your hand:\n", RenderHand(table.deal(), style));
  }
  return out + Turn(table, now, style);
}

namespace {

using rules::v1::DealView;
using rules::v1::Table;

using Lines = std::vector<std::string>;

void Auction(const DealView& before, const Table& table, Lines& lines) {
  const DealView& deal = table.deal();
  for (int i = before.bids_size(); i < deal.bids_size(); ++i) {
    const std::uint32_t seat = SeatOfBid(deal, i);
    lines.push_back(
        deal.bids(i) == rules::v1::PASS
            ? absl::StrCat(SeatName(table, seat), " passes.")
            : absl::StrCat(SeatName(table, seat), " bids ", ContractWord(deal.bids(i)), "."));
  }
}

void Dog(const DealView& before, const Table& table, const cli::TextStyle& style, Lines& lines) {
  const DealView& deal = table.deal();
  // At a board the taker is known before the first bid.
  const auto taken = [](const DealView& view) {
    return view.has_taker() && view.contract() != rules::v1::PASS;
  };
  if (taken(deal) && !taken(before)) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()),
                                 " takes: ", ContractWord(deal.contract()), "."));
  }
  if (deal.has_called_card() && !before.has_called_card()) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()), " calls ",
                                 cli::Face(deal.called_card(), style), "."));
  } else if (CalledNoCard(deal) && !CalledNoCard(before)) {
    lines.push_back(absl::StrCat(SeatName(table, deal.taker()), " calls no card and plays alone."));
  }
  // With Garde sans and Garde contre the dog stays closed until the deal is over. With Prise and
  // Garde, the dog opens again if the first card is taken back. Players have seen this dog already.
  const bool takes_dog = deal.contract() == rules::v1::PRISE || deal.contract() == rules::v1::GARDE;
  if (takes_dog && deal.dog_size() > 0 && before.dog_size() == 0 &&
      before.phase() != rules::v1::PLAYING && deal.phase() != rules::v1::DONE) {
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
    lines.push_back(absl::StrCat(SeatName(table, deal.handfuls(i).seat()), " shows ",
                                 HandfulText(deal.handfuls(i), style), "."));
  }
  for (int i = 0; i < deal.tricks_size(); ++i) {
    const rules::v1::Trick& trick = deal.tricks(i);
    const rules::v1::Trick& old =
        i < before.tricks_size() ? before.tricks(i) : rules::v1::Trick::default_instance();
    // While a deal runs, the view may leave out the cards of old tricks. When the deal is over, it
    // has these cards again.
    if (old.has_winner()) continue;
    for (int k = old.cards_size(); k < trick.cards_size(); ++k) {
      const std::uint32_t seat = SeatAfter(deal, trick.leader(), k);
      lines.push_back(absl::StrCat(SeatName(table, seat), k == 0 ? " leads " : " plays ",
                                   cli::Face(trick.cards(k), style), "."));
    }
    if (trick.has_winner()) {
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

// Adds a line with the change of each seat's total, for a deal whose end the views skipped.
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
  for (std::string& line : DescribeTalk(before, after)) lines.push_back(std::move(line));
  for (std::string& line : DescribeProposals(before, after)) lines.push_back(std::move(line));
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

namespace {

using rules::v1::DealResult;
using rules::v1::Table;

std::string Capital(std::string text) {
  if (!text.empty()) text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  return text;
}

// Returns the line about a slam, or nothing if `points` is 0. `points` is what each defender pays
// the attack; it is negative for a slam of the defence.
std::string SlamText(int points) {
  if (points == 0) return "";
  return absl::StrCat("  Slam: ", Signed(points), " for the attack, from each defender.\n");
}

}  // namespace

std::string ResultText(const DealResult& result, const rules::RuleSet& rules) {
  if (result.outcome() == DealResult::ALL_PASSED) return "All players passed: no score.\n";
  if (result.outcome() == DealResult::PETIT_SEC) {
    return "Petit sec: a hand held the Petit as its only trump, without the Excuse. No score.\n";
  }
  if (result.outcome() == DealResult::VOIDED) {
    return absl::StrCat("The deal was cancelled: ", cli::Safe(result.void_reason()),
                        ". No score; the same player deals again.\n");
  }
  if (!result.has_taker()) {
    return "Each player plays alone, and scores a point for each court card and each bout.\n";
  }
  // Practice game 2 counts court cards and bouts. Records of old versions do not have their number.
  // There the unit gives it: the unit is the number times the multiplier.
  const bool honours = rules.scoring == rules::Scoring::kTakerCountsHonours;
  const int multiplier = std::max(
      1,
      rules.Multiplier(
          wire::DecodeContract(result.contract(), "contract").value_or(rules::Contract::kPrise)));
  const int honour_count = result.has_honours() ? static_cast<int>(result.honours())
                                                : std::abs(result.unit()) / multiplier;
  // Some rule sets add the Petit au bout to the card points, before the result is decided.
  const bool added = rules.petit_au_bout_mode == rules::PetitAuBoutMode::kAddedToCardPoints;
  const int petit = added ? result.petit_au_bout() * rules.petit_au_bout_points : 0;
  const std::string made =
      honours ? absl::StrCat(honour_count, " court cards and bouts")
              : absl::StrCat(HalfPointsText(result.attack_half_points()),
                             petit == 0  ? ""
                             : petit > 0 ? " + "
                                         : " - ",
                             petit == 0 ? "" : absl::StrCat(std::abs(petit)), " points");
  std::string out = absl::StrCat(
      Capital(ContractWord(result.contract())), result.won() ? " made" : " failed",
      result.difference() == 0 ? " exactly" : absl::StrCat(" by ", result.difference()), ": ", made,
      " with ", result.bouts(), result.bouts() == 1 ? " bout, " : " bouts, ",
      HalfPointsText(result.needed_half_points()), " needed.\n");
  if (honours || rules.scoring == rules::Scoring::kTakerCountsDifference) {
    absl::StrAppend(&out, "  Only the taker scores.\n");
  }
  // Practice games have no bonus for the Petit.
  const bool pays = rules.petit_au_bout_points > 0 && rules.scoring == rules::Scoring::kNormal;
  if (pays && result.petit_au_bout() != 0) {
    absl::StrAppend(&out, "  Petit au bout for the ",
                    result.petit_au_bout() > 0 ? "attack" : "defence", ".\n");
  }
  if (result.handful_points() != 0) {
    absl::StrAppend(&out, "  Handfuls: ", Signed(result.handful_points()), " for the attack.\n");
  }
  absl::StrAppend(&out, SlamText(result.slam_points()));
  return out;
}

namespace {

// Returns a line with the hand of a petit sec, or nothing for another result.
std::string PetitSecHand(const Table& table, const cli::TextStyle& style) {
  const DealResult& result = table.deal().result();
  if (!result.has_petit_sec_seat()) return "";
  return absl::StrCat("  ", SeatName(table, result.petit_sec_seat()), ": ",
                      cli::Faces(result.petit_sec_hand(), style), "\n");
}

// Returns a line about the claim that ended the deal, or nothing if there was none.
std::string ClaimText(const Table& table) {
  const DealResult& result = table.deal().result();
  if (!result.has_claim_seat()) return "";
  return absl::StrCat("  ", SeatName(table, result.claim_seat()), " claimed all tricks from trick ",
                      result.claim_trick(), " on.\n");
}

}  // namespace

std::string RenderDealResult(const Table& table, const cli::TextStyle& style) {
  const rules::v1::DealView& deal = table.deal();
  const DealResult& result = deal.result();
  std::string out =
      style.Paint(cli::Tone::kBold, absl::StrCat("Deal ", table.deal_number(), " is over. "));
  const rules::RuleSet rules = RulesOf(deal);
  if (result.outcome() != DealResult::SCORED) {
    return absl::StrCat(out, ResultText(result, rules), PetitSecHand(table, style));
  }
  if (result.has_taker()) {
    absl::StrAppend(&out, SeatName(table, result.taker()), " took");
    if (result.has_partner()) {
      absl::StrAppend(&out, " with ", SeatName(table, result.partner()));
    }
    absl::StrAppend(&out, ".\n");
  }
  absl::StrAppend(&out, ClaimText(table), ResultText(result, rules));
  if (deal.dog_size() > 0) {
    absl::StrAppend(&out, "  ", NameOfDog(rules), ": ", cli::Faces(deal.dog(), style), "\n");
  }
  if (deal.discard_size() > 0) {
    absl::StrAppend(&out, "  Écart: ", cli::Faces(deal.discard(), style), "\n");
  }
  std::vector<std::vector<std::string>> rows = {{"", "deal", "total"}};
  for (int i = 0; i < table.seats_size(); ++i) {
    rows.push_back(
        {SeatName(table, static_cast<std::uint32_t>(i)),
         i == SitsOut(deal) || i >= result.scores_size() ? "-" : Signed(result.scores(i)),
         Signed(table.seats(i).total())});
  }
  return out + cli::Columns(rows, {1, 2});
}

std::string LuckText(const ratings::v1::RatingChange& change) {
  if (!change.has_luck()) return "";
  return absl::StrFormat("luck %+.0f, without it %+.0f", change.luck(),
                         change.points() - change.luck());
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
      row.push_back(LuckText(c));
    }
    rows.push_back(std::move(row));
  }
  return absl::StrCat(style.Paint(cli::Tone::kBold, "The match is over."), "\n",
                      cli::Columns(rows, {2}));
}

namespace {

using rules::v1::DealRecord;
using rules::v1::Table;

absl::Status Contradiction(absl::string_view what) {
  return Error(absl::StatusCode::kFailedPrecondition, "BAD_RECORD",
               absl::StrCat("the record contradicts the rules: ", what));
}

absl::StatusOr<rules::Deal> Start(const DealRecord& record) {
  const absl::StatusOr<rules::RuleSet> rules = wire::RuleSetOf(record, "rules");
  if (absl::IsNotFound(rules.status())) {
    return Error(absl::StatusCode::kNotFound, "RULE_SET_NOT_FOUND",
                 absl::StrCat("this program does not know the rule set '", record.rule_set(), "'"));
  }
  TAROT_RETURN_IF_ERROR(rules.status());
  const int players = record.hands_size();
  if (players < rules->players_min || players > rules->players_max ||
      record.players_size() != players || record.dealer() >= static_cast<unsigned>(players)) {
    return Contradiction("its hands, players and dealer do not fit together");
  }
  const auto dealer = static_cast<rules::Seat>(record.dealer());
  const bool board = rules->taker_by == rules::TakerBy::kBoard;
  if (board != record.has_board_taker() || record.board_taker() >= static_cast<unsigned>(players)) {
    return Contradiction("a taker is given exactly where the rule set leaves that to the board");
  }
  const rules::Seat taker = board ? static_cast<rules::Seat>(record.board_taker()) : rules::kNoSeat;
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  TAROT_ASSIGN_OR_RETURN(const rules::CardSet dog, wire::DecodeCards(record.dog(), "dog"));
  rules::CardSet seen = dog;
  bool sizes_fit = dog.Size() == rules->DogSize(players);
  for (int seat = 0; seat < players; ++seat) {
    rules::CardSet& hand = hands[static_cast<std::size_t>(seat)];
    TAROT_ASSIGN_OR_RETURN(hand, wire::DecodeCards(record.hands(seat).cards(), "hands"));
    const bool sits_out = rules->Playing(players) < players && seat == dealer;
    sizes_fit = sizes_fit && hand.Size() == (sits_out ? 0 : rules->HandSize(players));
    seen |= hand;
  }
  if (!sizes_fit || seen != rules::CardSet::All()) {
    return Contradiction("hands and dog do not hold every card once");
  }
  return rules::StartDeal(*rules, players, dealer, hands, dog, taker);
}

absl::StatusOr<rules::Deal> Replay(const DealRecord& record) {
  TAROT_ASSIGN_OR_RETURN(rules::Deal deal, Start(record));
  for (const DealRecord::Entry& entry : record.entries()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Action action,
                           wire::DecodeAction(entry.action(), "entries.action"));
    const rules::Verdict verdict =
        rules::Apply(deal, static_cast<rules::Seat>(entry.seat()), action);
    if (!verdict.ok()) {
      return Contradiction(rules::RefusalStatus(action, verdict).message());
    }
  }
  const bool voided = record.result().outcome() == DealResult::VOIDED;
  if (voided && deal.phase != rules::Phase::kDone) rules::VoidDeal(deal);
  if (deal.phase != rules::Phase::kDone) return Contradiction("the deal does not end");
  return deal;
}

// Returns the record as the table that a watcher would see, for the functions that show tables.
Table AsTable(const DealRecord& record, const rules::Deal& deal) {
  Table table;
  // The name of a record ends with the number of the deal. An imported record has no name, so its
  // number is 1.
  std::uint32_t number = 1;
  const std::string& name = record.name();
  if (!absl::SimpleAtoi(name.substr(name.rfind('/') + 1), &number)) number = 1;
  table.set_deal_number(number);
  for (int seat = 0; seat < record.players_size(); ++seat) {
    auto* out = table.add_seats();
    out->set_display_name(record.players(seat).display_name());
    out->set_bot_level(record.players(seat).bot_level());
    out->set_total(deal.result.scores[static_cast<std::size_t>(seat)]);
  }
  wire::EncodeView(rules::MakeView(deal, rules::kNoSeat), record.rule_set(), table.mutable_deal());
  DealResult* const result = table.mutable_deal()->mutable_result();
  result->set_void_reason(record.result().void_reason());
  if (record.result().has_claim_seat()) {
    result->set_claim_seat(record.result().claim_seat());
    result->set_claim_trick(record.result().claim_trick());
  }
  return table;
}

// Says how many actions a bot made for the person in the seat; empty if there are none.
std::string StandIn(const DealRecord::Player& player) {
  const std::uint32_t actions = player.stand_in_actions();
  if (actions == 0) return "";
  return absl::StrCat(" (a bot made ", actions, actions == 1 ? " move" : " moves",
                      " for this player)");
}

std::string Hands(const DealRecord& record, const Table& table, const cli::TextStyle& style) {
  std::string out;
  for (int seat = 0; seat < record.hands_size(); ++seat) {
    if (SitsOut(table.deal()) == seat) continue;
    rules::v1::DealView hand;
    *hand.mutable_hand() = record.hands(seat).cards();
    absl::StrAppend(
        &out, style.Paint(cli::Tone::kBold, SeatName(table, static_cast<std::uint32_t>(seat))),
        static_cast<int>(record.dealer()) == seat ? " (dealer)" : "",
        seat < record.players_size() ? StandIn(record.players(seat)) : "", "\n",
        RenderHand(hand, style));
  }
  return absl::StrCat(out, style.Paint(cli::Tone::kBold, NameOfDog(RulesOf(record))), "  ",
                      cli::Faces(record.dog(), style), "\n");
}

std::string PlayedTricks(const Table& table, const cli::TextStyle& style) {
  std::vector<std::vector<std::string>> rows = {{"trick"}};
  std::vector<std::size_t> columns(static_cast<std::size_t>(table.seats_size()));
  for (int seat = 0; seat < table.seats_size(); ++seat) {
    if (SitsOut(table.deal()) == seat) continue;
    columns[static_cast<std::size_t>(seat)] = rows[0].size();
    rows[0].push_back(cli::Fit(SeatName(table, static_cast<std::uint32_t>(seat)), 12));
  }
  int number = 0;
  for (const rules::v1::Trick& trick : table.deal().tricks()) {
    std::vector<std::string> row(rows[0].size());
    row[0] = absl::StrCat(++number);
    for (int i = 0; i < trick.cards_size(); ++i) {
      const std::uint32_t seat = SeatAfter(table.deal(), trick.leader(), i);
      // Writes ">" before the leader's card and "!" after the winner's.
      row[columns[seat]] = absl::StrCat(i == 0 ? ">" : " ", cli::Face(trick.cards(i), style),
                                        trick.has_winner() && trick.winner() == seat ? "!" : "");
    }
    rows.push_back(std::move(row));
  }
  return cli::Columns(rows, {0});
}

}  // namespace

absl::StatusOr<std::string> RenderRecord(const DealRecord& record, const cli::TextStyle& style) {
  TAROT_ASSIGN_OR_RETURN(const rules::Deal deal, Replay(record));
  const Table table = AsTable(record, deal);
  std::string out = absl::StrCat(style.Paint(cli::Tone::kBold, cli::Safe(record.name())), "  ",
                                 cli::Safe(record.rule_set()), "  ", DateText(record.finish_time()),
                                 "\n\n", Hands(record, table, style), "\n");
  // Adds the events before the first card.
  Table before_play = table;
  before_play.mutable_deal()->clear_tricks();
  before_play.mutable_deal()->clear_partner();
  before_play.mutable_deal()->set_phase(rules::v1::PLAYING);
  for (const std::string& line : DescribeChanges(Table(), before_play, style)) {
    absl::StrAppend(&out, line, "\n");
  }
  if (!deal.discard.Empty()) {
    absl::StrAppend(&out, "Écart: ", cli::Faces(table.deal().discard(), style), "\n");
  }
  if (table.deal().tricks_size() > 0) {
    absl::StrAppend(&out, "\n", PlayedTricks(table, style), "(> leads, ! wins)\n");
  }
  absl::StrAppend(&out, "\n", ClaimText(table), ResultText(table.deal().result(), deal.rules),
                  PetitSecHand(table, style));
  if (deal.result.outcome == rules::Outcome::kScored) {
    std::vector<std::vector<std::string>> rows;
    for (int seat = 0; seat < table.seats_size(); ++seat) {
      if (SitsOut(table.deal()) == seat) continue;
      rows.push_back(
          {SeatName(table, static_cast<std::uint32_t>(seat)), Signed(table.seats(seat).total())});
    }
    absl::StrAppend(&out, cli::Columns(rows, {1}));
  }
  const std::string problem = SeedProblem(record);
  return absl::StrCat(out, "\n",
                      problem.empty() ? "Seed: fits its commitment and these cards."
                                      : absl::StrCat("Seed: ", problem),
                      "\n");
}

std::string SeedProblem(const DealRecord& record) {
  const absl::StatusOr<notation::Document> document = cli::ToDocument(record);
  if (!document.ok() || !document->record.seed) return "is missing, or the record is malformed.";
  for (const notation::Check& check : notation::Prove(*document)) {
    if (check.truth != notation::Truth::kFalse) continue;
    if (check.what == "commitment") {
      return "does not fit the commitment that was shown before the deal.";
    }
    if (check.what == "cards" || check.what == "seed") return "gives other cards than the record.";
  }
  return "";
}

}  // namespace tarot::tarotctl
