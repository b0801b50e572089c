#include "tools/tarotctl/testing/fake_platform.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "tools/cli/testing/sample_deal.h"
#include "tools/cli/testing/sample_record.h"

namespace tarot::tarotctl {
namespace {

constexpr char kTables[] = "tables/5f3c2a10-0000-4000-8000-00000000000";
constexpr char kTicket[] = "tickets/5f3c2a10-0000-4000-8000-000000000002";
constexpr char kPlayer[] = "players/5f3c2a10-0000-4000-8000-000000000003";
constexpr rules::Seat kPlayerSeat = 0;

using matchmaking::v1::Ticket;

// Returns OK if the call carries the token of CreateGuestSession.
grpc::Status CheckToken(const grpc::ServerContext& context) {
  const auto found = context.client_metadata().find("authorization");
  if (found != context.client_metadata().end() && found->second == "Bearer token") {
    return grpc::Status::OK;
  }
  return status::ToGrpc(Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN", "no token"));
}

// The first deal is the sample deal. Later deals have other cards. If later deals had the same
// cards, the bots would pass each deal again, without end.
void Deal(rules::Match& match) {
  dealing::DealSeed seed = cli::SampleSeed();
  seed[1] = static_cast<std::uint8_t>(match.deals_dealt);
  rules::StartNextDeal(match, dealing::ShuffledPack(seed));
}

}  // namespace

FakePlatform::FakePlatform()
    : match_(rules::StartMatch(rules::FindRuleSet("fft")->rules, 4, 1)),
      rooms_(kPlayer, [this] { return StartMatchOfRoom(); }) {
  Deal(match_);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(static_cast<gateway::v1::SessionService::Service*>(this));
  builder.RegisterService(static_cast<matchmaking::v1::MatchmakingService::Service*>(this));
  builder.RegisterService(static_cast<rules::v1::TableService::Service*>(this));
  builder.RegisterService(static_cast<rules::v1::RecordService::Service*>(this));
  builder.RegisterService(static_cast<matchmaking::v1::RoomService::Service*>(&rooms_));
  builder.RegisterService(static_cast<rules::v1::RuleSetService::Service*>(&rooms_));
  server_ = builder.BuildAndStart();
  TAROT_CHECK(server_ != nullptr);
}

FakePlatform::~FakePlatform() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  rooms_.Stop();
  server_->Shutdown();
}

std::string FakePlatform::StartMatchOfRoom() {
  std::lock_guard lock(mutex_);
  if (match_.Finished()) {
    match_ = rules::StartMatch(rules::FindRuleSet("fft")->rules, 4, 1);
    Deal(match_);
    ++matches_;
    Changed();
  }
  seated_ = true;
  return TableName();
}

std::string FakePlatform::TableName() const { return absl::StrCat(kTables, matches_); }

std::string FakePlatform::address() const { return absl::StrCat("127.0.0.1:", port_); }

void FakePlatform::HoldSeat() {
  std::lock_guard lock(mutex_);
  seat_held_ = true;
}

void FakePlatform::HoldSeatAfterNextAction() {
  std::lock_guard lock(mutex_);
  hold_after_action_ = true;
}

void FakePlatform::CancelDealAtNextPhrase() {
  std::lock_guard lock(mutex_);
  cancel_at_phrase_ = true;
}

void FakePlatform::EndBreaksAtOnce() {
  std::lock_guard lock(mutex_);
  ends_breaks_ = true;
}

void FakePlatform::Unseat() {
  std::lock_guard lock(mutex_);
  unseated_ = true;
}

void FakePlatform::LoseConnection(std::uint32_t seat) {
  std::lock_guard lock(mutex_);
  disconnected_.push_back(seat);
}

void FakePlatform::KeepWaiting() {
  std::lock_guard lock(mutex_);
  keep_waiting_ = true;
}

void FakePlatform::WaitAlone() {
  std::lock_guard lock(mutex_);
  waits_alone_ = true;
}

bool FakePlatform::seat_held() const {
  std::lock_guard lock(mutex_);
  return seat_held_;
}

std::optional<std::uint32_t> FakePlatform::muted() const {
  std::lock_guard lock(mutex_);
  return muted_;
}

std::string FakePlatform::nonce() const {
  std::lock_guard lock(mutex_);
  return nonce_;
}

bool FakePlatform::ticket_deleted() const {
  std::lock_guard lock(mutex_);
  return ticket_deleted_;
}

grpc::Status FakePlatform::CreateGuestSession(Context*,
                                              const gateway::v1::CreateGuestSessionRequest* request,
                                              gateway::v1::CreateGuestSessionResponse* response) {
  gateway::v1::Session* session = response->mutable_session();
  session->set_player(kPlayer);
  session->set_display_name(request->display_name());
  session->set_token("token");
  session->mutable_expire_time()->set_seconds(4'000'000'000);
  return grpc::Status::OK;
}

grpc::Status FakePlatform::CreateTicket(Context* context,
                                        const matchmaking::v1::CreateTicketRequest* request,
                                        matchmaking::v1::CreateTicketResponse* response) {
  if (request->queue() != "queues/casual4") {
    return status::ToGrpc(
        Error(absl::StatusCode::kNotFound, "QUEUE_NOT_FOUND", "there is no such queue"));
  }
  std::lock_guard lock(mutex_);
  if (waits_alone_ && !ticket_deleted_) {
    return status::ToGrpc(Error(absl::StatusCode::kAlreadyExists, "TICKET_EXISTS",
                                "the player has a ticket", {{"ticket", kTicket}}));
  }
  response->mutable_ticket()->set_name(kTicket);
  response->mutable_ticket()->set_state(Ticket::WAITING);
  return CheckToken(*context);
}

grpc::Status FakePlatform::DeleteTicket(Context* context,
                                        const matchmaking::v1::DeleteTicketRequest*,
                                        matchmaking::v1::DeleteTicketResponse*) {
  std::lock_guard lock(mutex_);
  ticket_deleted_ = true;
  changed_.notify_all();
  return CheckToken(*context);
}

grpc::Status FakePlatform::WatchTicket(Context*, const matchmaking::v1::WatchTicketRequest*,
                                       Writer<matchmaking::v1::WatchTicketResponse>* writer) {
  std::unique_lock lock(mutex_);
  matchmaking::v1::WatchTicketResponse response;
  Ticket* ticket = response.mutable_ticket();
  ticket->set_name(kTicket);
  ticket->set_state(Ticket::WAITING);
  ticket->set_position(1);
  ticket->set_waiting_count(1);
  ticket->set_wait_reason(Ticket::TOO_FEW_PLAYERS);
  writer->Write(response);
  changed_.wait(lock, [this] { return !keep_waiting_ || stopping_ || ticket_deleted_; });
  if (keep_waiting_) return grpc::Status::OK;
  ticket->set_state(Ticket::MATCHED);
  ticket->set_table(TableName());
  seated_ = true;
  writer->Write(response);
  return grpc::Status::OK;
}

grpc::Status FakePlatform::ListTables(Context* context, const rules::v1::ListTablesRequest*,
                                      rules::v1::ListTablesResponse* response) {
  std::lock_guard lock(mutex_);
  if (seated_) response->add_tables()->set_name(TableName());
  return CheckToken(*context);
}

grpc::Status FakePlatform::GetTable(Context*, const rules::v1::GetTableRequest*,
                                    rules::v1::GetTableResponse* response) {
  std::lock_guard lock(mutex_);
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

grpc::Status FakePlatform::AddNonce(Context*, const rules::v1::AddNonceRequest* request,
                                    rules::v1::AddNonceResponse* response) {
  std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(match_.deals_dealt + 1);
  if (request->deal_number() != next || !nonce_.empty()) {
    return status::ToGrpc(
        Error(absl::StatusCode::kFailedPrecondition, "NONCE_REFUSED", "the nonce stays"));
  }
  nonce_ = request->nonce();
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

grpc::Status FakePlatform::SubmitAction(Context*, const rules::v1::SubmitActionRequest* request,
                                        rules::v1::SubmitActionResponse* response) {
  std::lock_guard lock(mutex_);
  if (request->expected_revision() != revision_) {
    return status::ToGrpc(Error(absl::StatusCode::kAborted, "REVISION_MISMATCH", "moved on"));
  }
  const auto action = wire::DecodeAction(request->action(), "action");
  if (!action.ok()) return status::ToGrpc(action.status());
  const rules::Verdict verdict = rules::Apply(match_, kPlayerSeat, *action);
  if (!verdict.ok()) return status::ToGrpc(rules::RefusalStatus(*action, verdict));
  if (std::exchange(hold_after_action_, false)) seat_held_ = true;
  Changed();
  LetNovicesPlay();
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

// This platform refuses every claim.
grpc::Status FakePlatform::ClaimTricks(Context*, const rules::v1::ClaimTricksRequest* request,
                                       rules::v1::ClaimTricksResponse*) {
  std::lock_guard lock(mutex_);
  if (request->expected_revision() != revision_) {
    return status::ToGrpc(Error(absl::StatusCode::kAborted, "REVISION_MISMATCH", "moved on"));
  }
  return status::ToGrpc(Error(absl::StatusCode::kFailedPrecondition, "CLAIM_REFUSED",
                              "It is not proven that you win trick 4.",
                              {{"why", "TRICK_COULD_BE_LOST"}, {"trick", "4"}}));
}

// The player may say one phrase only.
grpc::Status FakePlatform::SayPhrase(Context*, const rules::v1::SayPhraseRequest* request,
                                     rules::v1::SayPhraseResponse* response) {
  std::lock_guard lock(mutex_);
  if (said_) {
    return status::ToGrpc(
        Error(absl::StatusCode::kResourceExhausted, "TALK_LIMITED", "one phrase is enough"));
  }
  said_ = request->phrase();
  if (cancel_at_phrase_) TAROT_CHECK(rules::VoidDeal(match_));
  Changed();
  *response->mutable_table() = ViewOfPlayer();
  if (std::exchange(cancel_at_phrase_, false)) LetNovicesPlay();
  return grpc::Status::OK;
}

grpc::Status FakePlatform::MuteSeat(Context*, const rules::v1::MuteSeatRequest* request,
                                    rules::v1::MuteSeatResponse* response) {
  std::lock_guard lock(mutex_);
  muted_.reset();
  if (request->muted()) muted_ = request->seat();
  Changed();
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

// This table allows breaks only, and its bots agree at once.
grpc::Status FakePlatform::Propose(Context*, const rules::v1::ProposeRequest* request,
                                   rules::v1::ProposeResponse* response) {
  std::lock_guard lock(mutex_);
  if (request->kind() != rules::v1::Proposal::BREAK) {
    return status::ToGrpc(Error(absl::StatusCode::kFailedPrecondition, "PROPOSAL_REFUSED",
                                "the table does not allow it"));
  }
  in_break_ = true;
  Changed();
  *response->mutable_table() = ViewOfPlayer();
  if (!ends_breaks_) return grpc::Status::OK;
  in_break_ = false;
  Changed();
  return grpc::Status::OK;
}

grpc::Status FakePlatform::EndBreak(Context*, const rules::v1::EndBreakRequest*,
                                    rules::v1::EndBreakResponse* response) {
  std::lock_guard lock(mutex_);
  in_break_ = false;
  Changed();
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

// In every record of this platform, all players passed, and the rules do not shuffle the pack
// between deals. The platform refuses the record of deal 7, as if its match were not over.
grpc::Status FakePlatform::GetRecord(Context*, const rules::v1::GetRecordRequest* request,
                                     rules::v1::GetRecordResponse* response) {
  if (absl::EndsWith(request->name(), "/deals/7")) {
    return status::ToGrpc(
        Error(absl::StatusCode::kFailedPrecondition, "RECORD_CLOSED", "the record is closed"));
  }
  rules::v1::DealRecord& record = *response->mutable_record();
  record = cli::SampleRecord();
  record.set_name(request->name());
  record.set_rule_set("booklet_customs");
  record.clear_seed();
  record.clear_seed_commitment();
  record.clear_entries();
  for (std::uint32_t seat = 0; seat < 4; ++seat) {
    rules::v1::DealRecord::Entry& entry = *record.add_entries();
    entry.set_seat(seat);
    wire::EncodeAction(rules::Action::Bid(rules::Contract::kPass), entry.mutable_action());
  }
  record.clear_result();
  record.mutable_result()->set_outcome(rules::v1::DealResult::ALL_PASSED);
  return grpc::Status::OK;
}

// Returns the score sheet of a match whose first deal is not over.
grpc::Status FakePlatform::GetScoreSheet(Context*, const rules::v1::GetScoreSheetRequest* request,
                                         rules::v1::GetScoreSheetResponse* response) {
  rules::v1::ScoreSheet& sheet = *response->mutable_sheet();
  sheet.set_table(request->name());
  sheet.set_rule_set("fft");
  for (const char* name : {"Ada", "Zoë", "Blaise", "Émilie"}) {
    sheet.add_players()->set_display_name(name);
  }
  sheet.set_first_dealer(3);
  for (std::uint32_t seat = 0; seat < 4; ++seat) {
    rules::v1::ScoreSheet::DrawnCard& drawn = *sheet.add_first_dealer_draw();
    drawn.set_seat(seat);
    drawn.set_card(50 - seat);
    drawn.set_round(1);
  }
  return grpc::Status::OK;
}

grpc::Status FakePlatform::ResumeSeat(Context*, const rules::v1::ResumeSeatRequest*,
                                      rules::v1::ResumeSeatResponse* response) {
  std::lock_guard lock(mutex_);
  seat_held_ = false;
  Changed();
  *response->mutable_table() = ViewOfPlayer();
  return grpc::Status::OK;
}

grpc::Status FakePlatform::WatchTable(Context* context, const rules::v1::WatchTableRequest*,
                                      Writer<rules::v1::WatchTableResponse>* writer) {
  if (const grpc::Status status = CheckToken(*context); !status.ok()) return status;
  std::unique_lock lock(mutex_);
  LetNovicesPlay();
  for (int sent = -1; !stopping_;) {
    rules::v1::WatchTableResponse response;
    *response.mutable_table() = ViewOfPlayer();
    for (const std::uint32_t seat : disconnected_) response.add_disconnected_seats(seat);
    sent = revision_;
    const bool over = match_.Finished();
    if (!writer->Write(response) || over) {
      lock.unlock();
      if (over) rooms_.FinishMatch();
      return grpc::Status::OK;
    }
    changed_.wait(lock, [&] { return revision_ != sent || stopping_; });
  }
  return grpc::Status::OK;
}

void FakePlatform::LetNovicesPlay() {
  const ai::Policy* novice = ai::FindPolicy("novice");
  // The server plays the last trick of a deal for all seats.
  const auto last_trick = [this] {
    return match_.deal.phase == rules::Phase::kPlaying &&
           match_.deal.trick_count == match_.rules.HandSize(match_.players);
  };
  while (match_.DealRunning() && (match_.deal.turn != kPlayerSeat || last_trick())) {
    const rules::Seat seat = match_.deal.turn;
    const rules::View view = rules::RememberedView(match_.deal, seat);
    TAROT_CHECK(rules::Apply(match_, seat, novice->Choose(view, Rng(1), {}).action).ok());
    Changed();
  }
  if (!match_.DealRunning() && !match_.Finished()) {  // All players passed.
    Deal(match_);
    Changed();
    LetNovicesPlay();
  }
}

void FakePlatform::Changed() {
  ++revision_;
  changed_.notify_all();
}

rules::v1::Table FakePlatform::ViewOfPlayer() const {
  rules::v1::Table table = cli::SampleTable(match_.deal, unseated_ ? rules::kNoSeat : kPlayerSeat);
  table.set_name(TableName());
  table.set_revision(revision_);
  table.set_state(match_.Finished() ? rules::v1::Table::FINISHED : rules::v1::Table::PLAYING);
  table.set_deal_number(static_cast<std::uint32_t>(match_.deals_dealt));
  table.set_deal_count(1);
  table.clear_turn_expire_time();
  if (said_) {
    rules::v1::SaidPhrase& said = (*table.mutable_phrases())[kPlayerSeat];
    said.set_phrase(*said_);
    said.mutable_say_time()->set_seconds(1);
  }
  if (muted_) table.add_muted_seats(*muted_);
  if (in_break_) table.mutable_break_expire_time()->set_seconds(4'000'000'000);
  rules::v1::NextDeal& next = *table.mutable_next_deal();
  next.set_deal_number(table.deal_number() + 1);
  next.set_seed_commitment(std::string(32, '\x5e'));
  for (int seat = 0; seat < 4; ++seat) next.add_nonces(seat == kPlayerSeat ? nonce_ : "");
  for (int seat = 0; seat < 4; ++seat) {
    table.mutable_seats(seat)->set_held_by_bot(seat == kPlayerSeat && seat_held_);
    table.mutable_seats(seat)->set_total(match_.totals[static_cast<std::size_t>(seat)]);
  }
  return table;
}

}  // namespace tarot::tarotctl
