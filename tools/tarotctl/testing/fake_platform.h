// A gateway for tests, in this process. One player sits with three novices, for one deal, without
// storage. The match comes from the queue or from the room.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libs/rules/match.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"
#include "tools/tarotctl/testing/fake_rooms.h"

namespace tarot::tarotctl {

// Listens on a free port of the loopback interface until it is destroyed.
class FakePlatform final : public gateway::v1::SessionService::Service,
                           public matchmaking::v1::MatchmakingService::Service,
                           public rules::v1::TableService::Service,
                           public rules::v1::RecordService::Service {
 public:
  FakePlatform();
  ~FakePlatform() override;

  std::string address() const;

  // Lets a bot hold the player's seat until the player takes it back.
  void HoldSeat();
  void HoldSeatAfterNextAction();
  // Cancels the running deal when the player says a phrase, as an operator may do at any time. Then
  // deals again.
  void CancelDealAtNextPhrase();
  // Another player ends each break as soon as it has begun.
  void EndBreaksAtOnce();
  // Gives the player no seat at the table, so that the player only watches.
  void Unseat();
  // Shows in the views that another seat has lost the connection.
  void LoseConnection(std::uint32_t seat);
  // Makes a ticket that never leads to a table.
  void KeepWaiting();
  // Gives the player a ticket without a party, until the player deletes it.
  void WaitAlone();

  FakeRooms& rooms() { return rooms_; }

  bool seat_held() const;
  bool ticket_deleted() const;
  std::string nonce() const;                   // Returns the player's nonce for the next deal.
  std::optional<std::uint32_t> muted() const;  // Returns the seat that the player has muted.

 private:
  template <typename T>
  using Writer = grpc::ServerWriter<T>;
  using Context = grpc::ServerContext;

  grpc::Status CreateGuestSession(Context*, const gateway::v1::CreateGuestSessionRequest*,
                                  gateway::v1::CreateGuestSessionResponse*) override;
  grpc::Status CreateTicket(Context*, const matchmaking::v1::CreateTicketRequest*,
                            matchmaking::v1::CreateTicketResponse*) override;
  grpc::Status DeleteTicket(Context*, const matchmaking::v1::DeleteTicketRequest*,
                            matchmaking::v1::DeleteTicketResponse*) override;
  grpc::Status WatchTicket(Context*, const matchmaking::v1::WatchTicketRequest*,
                           Writer<matchmaking::v1::WatchTicketResponse>*) override;
  grpc::Status ListTables(Context*, const rules::v1::ListTablesRequest*,
                          rules::v1::ListTablesResponse*) override;
  grpc::Status GetTable(Context*, const rules::v1::GetTableRequest*,
                        rules::v1::GetTableResponse*) override;
  grpc::Status AddNonce(Context*, const rules::v1::AddNonceRequest*,
                        rules::v1::AddNonceResponse*) override;
  grpc::Status SubmitAction(Context*, const rules::v1::SubmitActionRequest*,
                            rules::v1::SubmitActionResponse*) override;
  grpc::Status ClaimTricks(Context*, const rules::v1::ClaimTricksRequest*,
                           rules::v1::ClaimTricksResponse*) override;
  grpc::Status SayPhrase(Context*, const rules::v1::SayPhraseRequest*,
                         rules::v1::SayPhraseResponse*) override;
  grpc::Status MuteSeat(Context*, const rules::v1::MuteSeatRequest*,
                        rules::v1::MuteSeatResponse*) override;
  grpc::Status Propose(Context*, const rules::v1::ProposeRequest*,
                       rules::v1::ProposeResponse*) override;
  grpc::Status EndBreak(Context*, const rules::v1::EndBreakRequest*,
                        rules::v1::EndBreakResponse*) override;
  grpc::Status GetRecord(Context*, const rules::v1::GetRecordRequest* request,
                         rules::v1::GetRecordResponse* response) override;
  grpc::Status GetScoreSheet(Context*, const rules::v1::GetScoreSheetRequest* request,
                             rules::v1::GetScoreSheetResponse* response) override;
  grpc::Status ResumeSeat(Context*, const rules::v1::ResumeSeatRequest*,
                          rules::v1::ResumeSeatResponse*) override;
  grpc::Status WatchTable(Context*, const rules::v1::WatchTableRequest*,
                          Writer<rules::v1::WatchTableResponse>*) override;

  // Begins the match of a room, and returns its table.
  std::string StartMatchOfRoom();

  // Hold `mutex_` when you call the following functions.
  std::string TableName() const;
  void LetNovicesPlay();
  void Changed();
  rules::v1::Table ViewOfPlayer() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  rules::Match match_;
  int revision_ = 0;
  std::string nonce_;
  std::optional<rules::v1::SaidPhrase::Phrase> said_;  // The player's last phrase.
  std::optional<std::uint32_t> muted_;                 // The seat that the player has muted.
  std::vector<std::uint32_t> disconnected_;            // The seats that have lost the connection.
  bool in_break_ = false;
  bool ends_breaks_ = false;
  bool seat_held_ = false;
  bool hold_after_action_ = false;
  bool cancel_at_phrase_ = false;
  bool keep_waiting_ = false;
  bool waits_alone_ = false;
  bool ticket_deleted_ = false;
  bool seated_ = false;
  bool unseated_ = false;
  bool stopping_ = false;
  int matches_ = 1;  // The number of matches that have begun.
  int port_ = 0;
  FakeRooms rooms_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tarot::tarotctl
