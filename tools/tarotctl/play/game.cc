#include "tools/tarotctl/play/game.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "tools/cli/card_face.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/play/answer.h"
#include "tools/tarotctl/view/proposals.h"
#include "tools/tarotctl/view/score_sheet.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/talk.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::Proposal;
using rules::v1::Table;

constexpr absl::Duration kRatingWait = absl::Seconds(15);
constexpr absl::Duration kLongWait = absl::Seconds(30);
constexpr absl::Duration kRetryWait = absl::Seconds(2);  // The pause before --auto tries again.
// The time before the end of the clock at which the player is warned.
constexpr absl::Duration kWarnBefore = absl::Seconds(10);

// Returns whether `b` shows nothing new after `a`. The result of an action comes twice: in the
// answer and by the watch. The game uses this function to show it once.
bool SameMoment(const Table& a, const Table& b) {
  bool same = a.name() == b.name() && a.revision() == b.revision() && a.state() == b.state() &&
              a.deal_number() == b.deal_number() && a.seats_size() == b.seats_size() &&
              ToTime(a.turn_expire_time()) == ToTime(b.turn_expire_time());
  for (int i = 0; same && i < a.seats_size(); ++i) {
    same = a.seats(i).held_by_bot() == b.seats(i).held_by_bot();
  }
  return same;
}

// Returns whether `b` shows the same game as `a`. Phrases, mutes and nonces may differ.
bool SameGame(const Table& a, const Table& b) {
  return a.name() == b.name() && a.state() == b.state() && a.deal_number() == b.deal_number() &&
         ToTime(a.turn_expire_time()) == ToTime(b.turn_expire_time()) &&
         a.deal().SerializeAsString() == b.deal().SerializeAsString();
}

// Returns the error with other card names: the server uses the names of TDN ("HK"), but people see
// and type other names.
std::string WhyRefused(const absl::Status& status, const cli::TextStyle& style) {
  const std::string why = cli::Safe(status.message());
  const std::map<std::string, std::string> facts = GetErrorDetails(status).metadata;
  const auto named = facts.find("card");
  const auto card = named == facts.end() ? std::nullopt : notation::ParseCardName(named->second);
  if (!card) return why;
  const std::string face = cli::Face(static_cast<std::uint32_t>(*card), style);
  return absl::StrReplaceAll(why, {{named->second, face}});
}

// Returns whether at most the last trick is left, which the server plays for all seats.
bool InLastTrick(const Table& table) {
  return table.deal().phase() == rules::v1::PLAYING && table.deal().hand_size() <= 1;
}

}  // namespace

Game::Game(Context& context, Input& input, bool plays_alone, const std::string& table)
    : context_(context),
      name_(table),
      input_(input),
      auto_(plays_alone),
      screen_(context.out(), context.style(),
              context.environment().out_is_terminal && input.is_terminal()),
      tables_(context, input, OpenTable(context, table)) {}

cli::ExitCode Game::Play() {
  while (true) {
    if (const Over over = Step()) return *over;
  }
}

Game::Over Game::Step() {
  if (std::optional<rules::v1::WatchTableResponse> message = tables_.Take()) {
    Take(std::move(*message->mutable_table()));
    const bool shown = screen_.ShowConnections(message->disconnected_seats(), Now());
    if (shown && asked_ && MyTurn() && !auto_) Prompt();
    return std::nullopt;
  }
  if (table_.state() == Table::FINISHED) return Finish();
  const auto end = tables_.End();
  if (end && !end->ok()) {
    const cli::ExitCode code = context_.Fail("watch the table", *end);
    context_.err() << "Your seat stays. Come back with: tarotctl play --resume\n";
    return code;
  }
  if (end) {  // The match is over. Reads the table, because the watch perhaps did not show the last
              // view.
    rules::v1::GetTableRequest request;
    request.set_name(name_);
    auto response = context_.client().Call(&client::Tables::GetTable, request);
    if (!response.ok()) return context_.Fail("read the table", response.status());
    Take(std::move(*response->mutable_table()));
    return std::nullopt;
  }
  if (MyTurn() && asked_ != table_.revision()) {
    Decide();
    return std::nullopt;
  }
  if (auto_ && MustAnswer(table_) && asked_ != table_.revision()) {
    asked_ = table_.revision();
    Ask("agree");
    return std::nullopt;
  }
  if (held_line_ && MyTurn()) {
    const std::string held = *std::exchange(held_line_, std::nullopt);
    return OnLine(held);
  }
  std::string line;
  // Before the first view, the game reads no input. Later, it reads a terminal at any time. It
  // reads a script only in two cases: in the player's turn, and in a pause. In a pause, the next
  // line may answer a proposal or end a break.
  const bool may_act = MyTurn() || (Paused(table_) && !held_line_) || input_.is_terminal();
  const bool want_line = !auto_ && !table_.name().empty() && may_act;
  switch (input_.Wait(kLongWait, want_line, &line)) {
    case InputEvent::kLine:
      return OnLine(line);
    case InputEvent::kEnd:
      context_.err() << "The input ended before the match.\n";
      return Leave(cli::kFailed);
    case InputEvent::kInterrupt:
      return Leave(cli::kInterrupted);
    default:
      return std::nullopt;
  }
}

bool Game::MyTurn() const {
  if (InLastTrick(table_) || Paused(table_)) return false;
  return table_.state() == Table::PLAYING && table_.has_viewer() && table_.deal().has_turn() &&
         table_.deal().turn() == table_.viewer() && !HeldByBot();
}

bool Game::HeldByBot() const {
  const auto seat = static_cast<int>(table_.viewer());
  return table_.has_viewer() && seat < table_.seats_size() && table_.seats(seat).held_by_bot();
}

void Game::ShowDraw() {
  if (draw_shown_ || !table_.has_deal()) return;
  draw_shown_ = true;
  if (table_.deal_number() != 1) return;
  rules::v1::GetScoreSheetRequest request;
  request.set_name(table_.name());
  const auto response = context_.client().Call(&client::Records::GetScoreSheet, request);
  if (!response.ok() || !response->sheet().has_first_dealer()) return;
  screen_.Say(std::string(
      absl::StripTrailingAsciiWhitespace(RenderDraw(response->sheet(), context_.style()))));
}

void Game::Take(Table table) {
  // A view from the watch may be newer than the answer to an action, or older. The game ignores an
  // older view.
  if (table.revision() < table_.revision() || SameMoment(table_, table)) return;
  if (MyTurn() && SameGame(table_, table)) {
    const int before = table_.revision();
    screen_.Show(table, Now());
    table_ = std::move(table);
    for (std::optional<int>* done : {&asked_, &warned_, &submitted_}) {
      if (*done == before) *done = table_.revision();
    }
    if (asked_ && !auto_) Prompt();
    return;
  }
  // An operator may have cancelled the deal. The watch shows only the newest view, so this view may
  // already be of the next deal.
  const bool voided = table.deal().result().outcome() == rules::v1::DealResult::VOIDED ||
                      table.deal_number() != table_.deal_number();
  // The deal also changes when a card is taken back, which is no move of a bot. The previous view
  // perhaps did not show the proposal, because views may skip revisions.
  const bool moved = table.deal().SerializeAsString() != table_.deal().SerializeAsString() &&
                     !TookBack(table_, table);
  if (!auto_ && MyTurn() && submitted_ != table_.revision() &&
      table.revision() > table_.revision() && moved && !voided && !Paused(table)) {
    screen_.Say("Your time was up: a bot played this for you.");
  }
  screen_.Show(table, Now());
  table_ = std::move(table);
  ShowDraw();
  asked_.reset();
  if (!HeldByBot()) {
    seated_ = true;
  } else if (!seated_ || auto_ || !input_.is_terminal()) {
    ResumeSeat();
  } else if (table_.state() != Table::FINISHED) {
    // The person may have left this terminal. If this function took the seat back in that case, the
    // other players would wait at each move of the seat.
    context_.out() << "A bot plays for you. Enter takes your seat back.\n" << std::flush;
  }
}

absl::Duration Game::TimeToWait() const {
  if (!MyTurn()) return kLongWait;
  if (auto_) return kRetryWait;
  if (!table_.has_turn_expire_time() || warned_ == table_.revision()) return kLongWait;
  const absl::Duration left = ToTime(table_.turn_expire_time()) - Now() - kWarnBefore;
  return std::clamp(left, absl::ZeroDuration(), kLongWait);
}

void Game::OnTimeout() {
  if (!MyTurn()) return;
  if (auto_) {
    asked_.reset();
  } else if (warned_ != table_.revision() && table_.has_turn_expire_time() &&
             ToTime(table_.turn_expire_time()) - Now() <= kWarnBefore) {
    warned_ = table_.revision();
    context_.out() << "\nTen seconds left, then a bot plays this for you.\n";
    Prompt();
  }
}

void Game::Decide() {
  asked_ = table_.revision();
  if (!auto_) {
    screen_.ShowForDecision(Now());
    Prompt();
    return;
  }
  Submit(SimplestAction(table_.deal()));
}

void Game::Prompt() { context_.out() << PromptText(table_.deal(), context_.style()) << std::flush; }

Game::Over Game::OnLine(const std::string& line) {
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(line));
  if (word == "q" || word == "quit") return Leave(cli::kOk);
  if (Talk(std::string(absl::StripAsciiWhitespace(line))) || Ask(word)) return std::nullopt;
  if (HeldByBot()) {
    ResumeSeat();
    return std::nullopt;
  }
  if (!MyTurn()) {
    if (Paused(table_) && !input_.is_terminal()) {
      held_line_ = line;
      return std::nullopt;
    }
    const std::string hint = ProposalHint(table_);
    context_.out() << (Paused(table_) ? "The game is paused." : "It is not your turn.")
                   << " say speaks to the table, q leaves." << (hint.empty() ? "" : " ") << hint
                   << "\n"
                   << std::flush;
    return std::nullopt;
  }
  if (word == "?" || word == "help") {
    context_.out() << HelpText(table_.deal()) << ProposalHelp(table_.options());
    Prompt();
    return std::nullopt;
  }
  if (word == "claim" && table_.deal().phase() == rules::v1::PLAYING) {
    Claim();
    return std::nullopt;
  }
  const Typed typed = ParseTyped(table_.deal(), line);
  if (typed.action) {
    Submit(*typed.action);
  } else {
    context_.out() << cli::Safe(typed.problem) << "\n";
    Prompt();
  }
  return std::nullopt;
}

void Game::Submit(const rules::v1::Action& action) {
  rules::v1::SubmitActionRequest request;
  request.set_name(table_.name());
  request.set_expected_revision(table_.revision());
  *request.mutable_action() = action;
  request.set_request_id(context_.client().NewRequestId());
  submitted_ = table_.revision();
  TakeAnswer(context_.client().Call(&client::Tables::SubmitAction, request));
}

void Game::Claim() {
  rules::v1::ClaimTricksRequest request;
  request.set_name(table_.name());
  request.set_expected_revision(table_.revision());
  request.set_request_id(context_.client().NewRequestId());
  submitted_ = table_.revision();
  TakeAnswer(context_.client().Call(&client::Tables::ClaimTricks, request));
}

bool Game::Talk(const std::string& words) {
  const std::size_t space = std::min(words.find(' '), words.size());
  const std::string verb = absl::AsciiStrToLower(words.substr(0, space));
  const std::string rest(absl::StripAsciiWhitespace(words.substr(space)));
  if (verb == "say") {
    const auto phrase = ParsePhrase(rest);
    if (!phrase) {
      context_.out() << "The phrases: " << PhraseList() << ".\n";
      if (MyTurn()) Prompt();
      context_.out() << std::flush;
      return true;
    }
    rules::v1::SayPhraseRequest request;
    request.set_name(table_.name());
    request.set_phrase(*phrase);
    request.set_request_id(context_.client().NewRequestId());
    TakeTalk(context_.client().Call(&client::Tables::SayPhrase, request));
    return true;
  }
  if (verb != "mute" && verb != "unmute") return false;
  const auto seat = ParseSeat(table_, rest);
  if (!seat) {
    context_.out() << "Name a seat by its player, or by its number from 1.\n";
    if (MyTurn()) Prompt();
    context_.out() << std::flush;
    return true;
  }
  rules::v1::MuteSeatRequest request;
  request.set_name(table_.name());
  request.set_seat(*seat);
  request.set_muted(verb == "mute");
  request.set_request_id(context_.client().NewRequestId());
  auto response = context_.client().Call(&client::Tables::MuteSeat, request);
  if (response.ok()) {
    screen_.Say(absl::StrCat(SeatName(table_, *seat),
                             request.muted() ? " is muted." : " is not muted any more."));
  }
  TakeTalk(std::move(response));
  return true;
}

bool Game::Ask(const std::string& word) {
  if (word == "takeback" || word == "break") {
    rules::v1::ProposeRequest request;
    request.set_name(table_.name());
    request.set_kind(word == "break" ? Proposal::BREAK : Proposal::TAKE_BACK);
    request.set_expected_revision(table_.revision());
    request.set_request_id(context_.client().NewRequestId());
    TakeTalk(context_.client().Call(&client::Tables::Propose, request));
    return true;
  }
  if (word == "agree" || word == "refuse") {
    if (!table_.has_proposal()) {
      context_.out() << "No proposal is open.\n";
      if (MyTurn()) Prompt();
      context_.out() << std::flush;
      return true;
    }
    rules::v1::AnswerProposalRequest request;
    request.set_name(table_.name());
    request.set_proposal_revision(table_.proposal().revision());
    request.set_agree(word == "agree");
    request.set_request_id(context_.client().NewRequestId());
    TakeTalk(context_.client().Call(&client::Tables::AnswerProposal, request));
    return true;
  }
  if (!table_.has_break_expire_time() || word != "back") return false;
  rules::v1::EndBreakRequest request;
  request.set_name(table_.name());
  request.set_request_id(context_.client().NewRequestId());
  TakeTalk(context_.client().Call(&client::Tables::EndBreak, request));
  return true;
}

template <typename Response>
void Game::TakeTalk(absl::StatusOr<Response> response) {
  if (response.ok()) return Take(std::move(*response->mutable_table()));
  context_.out() << "Not allowed: " << cli::Safe(response.status().message()) << "\n";
  if (MyTurn()) Prompt();
  context_.out() << std::flush;
}

template <typename Response>
void Game::TakeAnswer(absl::StatusOr<Response> response) {
  if (response.ok()) {
    Take(std::move(*response->mutable_table()));
    return;
  }
  if (absl::IsAborted(
          response.status())) {  // The table has changed. The watch will bring its new state.
    context_.out() << "\nThe table has changed meanwhile.\n" << std::flush;
    return;
  }
  const bool refused =
      absl::IsFailedPrecondition(response.status()) || absl::IsInvalidArgument(response.status());
  if (refused) submitted_.reset();
  if (refused && !auto_) {
    context_.out() << "Not allowed: " << WhyRefused(response.status(), context_.style()) << "\n";
    Prompt();
    return;
  }
  context_.Fail("play", response.status());
  if (!auto_) Prompt();
}

void Game::ResumeSeat() {
  rules::v1::ResumeSeatRequest request;
  request.set_name(table_.name());
  request.set_request_id(context_.client().NewRequestId());
  auto response = context_.client().Call(&client::Tables::ResumeSeat, request);
  if (!response.ok()) {
    context_.Fail("take your seat back from the bot", response.status());
    return;
  }
  context_.err() << "You have your seat back from the bot.\n";
  Take(std::move(*response->mutable_table()));
}

cli::ExitCode Game::Leave(cli::ExitCode code) {
  // A player who joins a room during its match only watches the match.
  if (!table_.name().empty() && !table_.has_viewer()) return code;
  context_.err() << "\nYour seat stays; while you are away the clock runs, and then a bot plays.\n"
                    "Come back with: tarotctl play --resume\n";
  return code;
}

cli::ExitCode Game::Finish() {
  context_.out() << "\n"
                 << RenderMatchResult(table_,
                                      table_.ranked()
                                          ? WaitForRatings()
                                          : std::map<std::string, ratings::v1::RatingChange>(),
                                      context_.style())
                 << "To see a deal again: tarotctl record "
                 << cli::Safe(table_.name().substr(table_.name().rfind('/') + 1)) << "/1\n"
                 << std::flush;
  return cli::kOk;
}

// Waits for the ratings of the match, because a match is rated a moment after its end.
std::map<std::string, ratings::v1::RatingChange> Game::WaitForRatings() {
  context_.err() << "Waiting for the ratings…\n";
  std::map<std::string, ratings::v1::RatingChange> changes;
  const absl::Time until = Now() + kRatingWait;
  const auto size = static_cast<std::size_t>(table_.seats_size());
  while (changes.size() < size && Now() < until) {
    for (const rules::v1::Seat& seat : table_.seats()) {
      if (changes.count(seat.player()) > 0) continue;
      ratings::v1::ListRatingChangesRequest request;
      request.set_player(seat.player());
      request.set_player_count(static_cast<std::uint32_t>(size));
      request.set_page_size(5);
      const auto response = context_.client().Call(&client::Ratings::ListRatingChanges, request);
      if (!response.ok()) break;
      for (const ratings::v1::RatingChange& change : response->changes()) {
        if (change.table() == table_.name()) changes.emplace(seat.player(), change);
      }
    }
    std::string line;
    if (changes.size() < size &&
        input_.Wait(absl::Milliseconds(500), false, &line) == InputEvent::kInterrupt) {
      break;
    }
  }
  if (changes.empty()) context_.err() << "They are late; see them with: tarotctl player me\n";
  return changes;
}

}  // namespace tarot::tarotctl
