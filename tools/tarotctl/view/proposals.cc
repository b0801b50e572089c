#include "tools/tarotctl/view/proposals.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::ClosedProposal;
using rules::v1::Proposal;
using rules::v1::Table;

// Returns whether the same proposal is open in both tables.
bool SameProposal(const Table& a, const Table& b) {
  return a.has_proposal() && b.has_proposal() && a.proposal().revision() == b.proposal().revision();
}

// Returns the number of tricks and the number of cards in the last trick. During a deal, this pair
// becomes smaller only if a card is taken back.
std::pair<int, int> Progress(const Table& table) {
  const auto& tricks = table.deal().tricks();
  return {tricks.size(), tricks.empty() ? 0 : tricks.rbegin()->cards_size()};
}

std::string SeatNames(const Table& table,
                      const google::protobuf::RepeatedField<std::uint32_t>& seats) {
  std::vector<std::string> names;
  for (const std::uint32_t seat : seats) names.push_back(SeatName(table, seat));
  return absl::StrJoin(names, ", ");
}

// Says how the proposal that was open in `before` ended. Call this function only if the proposal
// was not granted.
std::string ProposalEnd(const Table& before, const Table& after) {
  const ClosedProposal& last = after.last_proposal();
  if (!after.has_last_proposal() || last.revision() != before.proposal().revision()) {
    return "The proposal is over.";  // An operator has cancelled the deal.
  }
  const std::string seats = SeatNames(after, last.seats());
  if (last.outcome() == ClosedProposal::LAPSED) {
    return absl::StrCat("The proposal is over. There was no answer from: ", seats, ".");
  }
  const bool own = last.seats_size() == 1 && last.seats(0) == last.seat();
  return absl::StrCat(seats, own ? " takes the proposal back." : " refuses the proposal.");
}

std::string BreakEnd(const Table& after) {
  if (!after.last_proposal().has_break_ended_by()) return "The break is over.";
  return absl::StrCat(SeatName(after, after.last_proposal().break_ended_by()), " ends the break.");
}

}  // namespace

bool Paused(const Table& table) { return table.has_proposal() || table.has_break_expire_time(); }

std::string ProposalHint(const Table& table) {
  if (!table.has_viewer()) return "";
  if (table.has_break_expire_time()) return "A break: back ends it.";
  if (!table.has_proposal()) {
    const bool mine = table.has_take_back_seat() && table.take_back_seat() == table.viewer();
    return mine ? "takeback takes your card back, if the others agree." : "";
  }
  if (table.proposal().seat() == table.viewer()) return "refuse takes your proposal back.";
  return MustAnswer(table) ? "Answer with agree or refuse." : "The others have not answered yet.";
}

bool MustAnswer(const Table& table) {
  const auto& pending = table.proposal().pending_seats();
  return table.has_viewer() &&
         std::find(pending.begin(), pending.end(), table.viewer()) != pending.end();
}

bool TookBack(const Table& before, const Table& after) {
  return before.deal_number() == after.deal_number() && Progress(after) < Progress(before);
}

std::vector<std::string> DescribeProposals(const Table& before, const Table& after) {
  std::vector<std::string> lines;
  if (after.has_proposal() && !SameProposal(before, after)) {
    const bool card = after.proposal().kind() == Proposal::TAKE_BACK;
    lines.push_back(absl::StrCat(SeatName(after, after.proposal().seat()),
                                 card ? " wants to take the last card back." : " wants a break."));
  }
  const bool begins = after.has_break_expire_time() && !before.has_break_expire_time();
  if (begins) lines.push_back("A break begins: no clock runs.");
  if (before.has_break_expire_time() && !after.has_break_expire_time()) {
    lines.push_back(BreakEnd(after));
  }
  if (TookBack(before, after)) {
    lines.push_back(absl::StrCat(SeatName(after, after.deal().turn()), " takes the card back."));
  } else if (before.has_proposal() && !begins && !SameProposal(before, after)) {
    lines.push_back(ProposalEnd(before, after));
  }
  // The hint is shown only while the game is paused. Outside a pause, a hint would come after each
  // card that the player plays.
  const std::string hint = Paused(after) ? ProposalHint(after) : "";
  if (!hint.empty() && hint != ProposalHint(before)) lines.push_back(hint);
  return lines;
}

std::string ProposalHelp(const rules::v1::TableOptions& options) {
  return absl::StrCat(
      options.take_back()
          ? "takeback asks the others for your last card, until the next one plays.\n"
          : "",
      options.breaks() ? "break proposes a break; back ends it.\n" : "");
}

std::string OptionsText(const rules::v1::TableOptions& options) {
  return absl::StrCat(options.take_back() ? "take back" : "",
                      options.take_back() && options.breaks() ? ", " : "",
                      options.breaks() ? "breaks" : "");
}

}  // namespace tarot::tarotctl
