#include "tools/tarotctl/view/record_view.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/action.h"
#include "libs/rules/deal.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "tools/cli/card_face.h"
#include "tools/cli/records.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
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
  if (deal.phase != rules::Phase::kDone) return Contradiction("the deal does not end");
  return deal;
}

// Returns the record as the table that a watcher would see, for the functions that show tables.
Table AsTable(const DealRecord& record, const rules::Deal& deal) {
  Table table;
  table.set_deal_number(1);
  for (int seat = 0; seat < record.players_size(); ++seat) {
    auto* out = table.add_seats();
    out->set_display_name(record.players(seat).display_name());
    out->set_total(deal.result.scores[static_cast<std::size_t>(seat)]);
  }
  wire::EncodeView(rules::MakeView(deal, rules::kNoSeat), record.rule_set(), table.mutable_deal());
  return table;
}

std::string Hands(const DealRecord& record, const Table& table, const cli::TextStyle& style) {
  std::string out;
  for (int seat = 0; seat < record.hands_size(); ++seat) {
    rules::v1::DealView hand;
    *hand.mutable_hand() = record.hands(seat).cards();
    absl::StrAppend(
        &out, style.Paint(cli::Tone::kBold, SeatName(table, static_cast<std::uint32_t>(seat))),
        static_cast<int>(record.dealer()) == seat ? " (dealer)" : "", "\n",
        RenderHand(hand, style));
  }
  return absl::StrCat(out, style.Paint(cli::Tone::kBold, "Dog"), "  ",
                      cli::Faces(record.dog(), style), "\n");
}

std::string Tricks(const Table& table, const cli::TextStyle& style) {
  std::vector<std::vector<std::string>> rows = {{"trick"}};
  for (int seat = 0; seat < table.seats_size(); ++seat) {
    rows[0].push_back(cli::Fit(SeatName(table, static_cast<std::uint32_t>(seat)), 12));
  }
  int number = 0;
  for (const rules::v1::Trick& trick : table.deal().tricks()) {
    std::vector<std::string> row(static_cast<std::size_t>(table.seats_size()) + 1);
    row[0] = absl::StrCat(++number);
    for (int i = 0; i < trick.cards_size(); ++i) {
      const auto seat = (trick.leader() + static_cast<std::uint32_t>(i)) %
                        static_cast<std::uint32_t>(table.seats_size());
      // Writes ">" before the leader's card and "!" after the winner's.
      row[seat + 1] = absl::StrCat(i == 0 ? ">" : " ", cli::Face(trick.cards(i), style),
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
  // The events before the first card.
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
    absl::StrAppend(&out, "\n", Tricks(table, style), "(> leads, ! wins)\n");
  }
  absl::StrAppend(&out, "\n", ResultText(table.deal().result()));
  if (deal.result.outcome == rules::Outcome::kScored) {
    std::vector<std::vector<std::string>> rows;
    for (int seat = 0; seat < table.seats_size(); ++seat) {
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
