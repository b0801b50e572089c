// The program tarot-fuzz-door calls every method that players may call, through the public door
// (HAProxy) of real processes, with right, random and damaged requests. Half of its threads call
// with gRPC, as programs do, and half with gRPC-Web, as browsers do. It fails if an answer has no
// reason, if an answer is BUG or does not come, if a process ends, or if a sanitizer writes to a
// log. After ten minutes, it also fails if a method has never answered OK. `tools/dev fuzz-door`
// builds all processes with AddressSanitizer and UndefinedBehaviorSanitizer.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/client/client.h"
#include "tests/e2e/cluster.h"
#include "tests/hostile/fuzz_line.h"
#include "tests/hostile/random_message.h"

ABSL_FLAG(double, minutes, 60, "length of the run");
ABSL_FLAG(int, threads, 4,
          "threads that call; each has four players and a connection of its own; every second "
          "thread calls as a browser");
ABSL_FLAG(int, seed, 1, "seed of the requests");

namespace tarot::hostile {
namespace {

using google::protobuf::Message;
using google::protobuf::MethodDescriptor;

constexpr int kPlayers = 4;
// The fuzzer keeps at most this number of requests for each method and error reason.
constexpr int kKeptRequests = 16;
// The door (HAProxy) closes a connection after more than 300 failed calls, so this limit is lower.
constexpr int kCallsPerConnection = 200;
// In a run of this length, each method must have answered OK at least once. If not, the fuzzer does
// not reach the code of this method.
constexpr double kAllMethodsMinutes = 10;

std::vector<const MethodDescriptor*> PublicMethods() {
  std::vector<const MethodDescriptor*> methods;
  for (const char* const name :
       {"tarot.gateway.v1.SessionService", "tarot.rules.v1.TableService",
        "tarot.rules.v1.RecordService", "tarot.rules.v1.RuleSetService",
        "tarot.matchmaking.v1.MatchmakingService", "tarot.matchmaking.v1.RoomService",
        "tarot.matchmaking.v1.FriendService", "tarot.ratings.v1.RatingService",
        "tarot.bot.v1.AnalysisService"}) {
    const auto* const service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    TAROT_CHECK(service != nullptr);
    for (int i = 0; i < service->method_count(); ++i) methods.push_back(service->method(i));
  }
  return methods;
}

std::unique_ptr<Message> NewMessage(const google::protobuf::Descriptor& type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
}

// Counts the answers that the callers of all threads get, and prints the faults. Thread-safe.
class Findings {
 public:
  void Count(const MethodDescriptor& method, const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    ++answers_[absl::StatusCodeToString(status.code()) + " " + GetErrorDetails(status).reason];
    good_[method.full_name()] += status.ok();
  }
  void Add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (++found_ <= 20) std::fprintf(stderr, "FOUND: %s\n", text.c_str());
  }
  void Print() {
    const std::lock_guard lock(mutex_);
    for (const auto& [answer, count] : answers_) {
      std::fprintf(stderr, "%9d %s\n", count, answer.c_str());
    }
    for (const auto& [method, count] : good_) {
      std::fprintf(stderr, "%9d OK of %s\n", count, method.c_str());
    }
    std::fprintf(stderr, "%d calls, %d findings\n", calls_, found_);
  }
  // Adds a finding for each method that has never answered OK.
  void CheckAllMethods() {
    for (const MethodDescriptor* method : PublicMethods()) {
      if (good_[method->full_name()] == 0) Add(method->full_name() + " never answered OK");
    }
  }
  int found() const { return found_; }

 private:
  std::mutex mutex_;
  int calls_ = 0;
  int found_ = 0;
  std::map<std::string, int> answers_;
  std::map<std::string, int> good_;
};

// Calls from one thread.
class Caller {
 public:
  // `browser` says whether this thread calls as a browser, or as a program.
  Caller(const e2e::Cluster& cluster, std::uint64_t seed, bool browser, Findings& findings)
      : rng_(seed),
        memory_(rng_),
        findings_(findings),
        line_(browser ? MakeWebLine(absl::StrCat("127.0.0.1:", cluster.page_port("gateway")),
                                    cluster.SocketOf("gateway") + ".http", rng_)
                      : MakeGrpcLine(cluster.AddressOf("gateway"), rng_)),
        tokens_(kPlayers) {
    KeepGoodRequests();
  }

  void CallOnce() {
    if (++calls_ % kCallsPerConnection == 0) line_->Connect();
    std::optional<GoodCall> good;
    if (rng_.Below(2) == 0) good = std::exchange(next_good_call_, std::nullopt);
    player_ = good ? good->player : static_cast<std::size_t>(rng_.Below(kPlayers));
    std::string& player_token = tokens_[player_];
    if (player_token.empty()) return SignIn(player_token);
    if (!good && rng_.Below(64) == 0) return CallAccount(player_token);
    const MethodDescriptor* method = good ? good->method : Pick();
    // A sign-out ends the session of a player, so the caller makes few of them.
    if (method->name() == "SignOut" && rng_.Below(32) != 0) return;
    // Streams and analyses keep the processes busy for long, so the caller makes fewer of them.
    if (method->server_streaming() && rng_.Below(4) != 0) method = Pick();
    const std::unique_ptr<Message> request = NewMessage(*method->input_type());
    auto& kept = kept_[method];
    if (good) {
      request->ParseFromString(good->request);
    } else if (!kept.empty() && rng_.Below(4) != 0) {
      const auto& requests =
          std::next(kept.begin(), rng_.Below(static_cast<int>(kept.size())))->second;
      request->ParseFromString(
          requests[static_cast<std::size_t>(rng_.Below(static_cast<int>(requests.size())))]);
    }
    memory_.Fill(*request);
    std::string bytes = request->SerializeAsString();
    const std::string whole = bytes;
    const bool damaged = rng_.Below(16) == 0;
    if (damaged) memory_.Damage(bytes);
    const std::string token = rng_.Below(32) == 0 ? DamagedToken(player_token) : player_token;
    if (rng_.Below(16) == 0) line_->SendDamaged(*method, bytes, token, memory_);
    const absl::Status status = Send(*method, bytes, token);
    Check(*method, status, absl::StrCat(damaged ? "damaged " : "", request->ShortDebugString()));
    const std::string reason = GetErrorDetails(status).reason;
    if (reason == "BAD_TOKEN" && token == player_token) player_token.clear();  // It was revoked.
    if (damaged || reason == "BAD_REQUEST" || reason == "BAD_TOKEN") return;
    memory_.Keep(kept[reason], whole, kKeptRequests);
  }

 private:
  // A call that a table or a room accepts now, and the player of this caller who may make it.
  struct GoodCall {
    std::size_t player = 0;
    const MethodDescriptor* method = nullptr;
    std::string request;  // The encoded message.
  };

  // An account that this caller has made.
  struct Account {
    std::string name, passphrase, recovery_code;
  };

  static const MethodDescriptor* FindMethod(const char* name) {
    return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  }

  // Keeps a valid request for a room, because random requests alone never make a room, and a valid
  // request for the ranking.
  void KeepGoodRequests() {
    matchmaking::v1::CreateRoomRequest request;
    request.set_visibility(matchmaking::v1::Room::OPEN);
    request.set_request_id(RandomUuid(rng_));
    request.mutable_terms()->set_rule_set("fft");
    request.mutable_terms()->set_player_count(3);
    request.mutable_terms()->set_deal_count(2);  // Between two deals, players may add nonces.
    request.mutable_terms()->mutable_move_limit()->set_seconds(5);
    request.mutable_terms()->mutable_options()->set_take_back(true);
    request.mutable_terms()->mutable_options()->set_breaks(true);
    const auto* const method = FindMethod("tarot.matchmaking.v1.RoomService.CreateRoom");
    kept_[method]["OK"].push_back(request.SerializeAsString());
    ratings::v1::ListRatingsRequest ranking;
    ranking.set_player_count(4);
    kept_[FindMethod("tarot.ratings.v1.RatingService.ListRatings")]["OK"].push_back(
        ranking.SerializeAsString());
  }

  const MethodDescriptor* Pick() {
    static const auto* const methods = new std::vector(PublicMethods());
    return (*methods)[static_cast<std::size_t>(rng_.Below(static_cast<int>(methods->size())))];
  }

  // Returns no token, or a token with random changes.
  std::string DamagedToken(std::string token) {
    if (rng_.Below(4) == 0) return "";
    for (int i = rng_.Below(3); i >= 0; --i) {
      const auto at = static_cast<std::size_t>(rng_.Below(static_cast<int>(token.size()) + 1));
      constexpr absl::string_view kBytes = "AZaz09-_.=+/ %";
      switch (rng_.Below(3)) {
        case 0:
          token.resize(at);
          break;
        case 1:
          token.insert(at, 1, kBytes[static_cast<std::size_t>(rng_.Below(14))]);
          break;
        default:
          token += token.substr(at);
      }
    }
    return token;
  }

  void SignIn(std::string& token) {
    const auto* const method = FindMethod("tarot.gateway.v1.SessionService.CreateGuestSession");
    gateway::v1::CreateGuestSessionRequest request;
    // A guest cannot get the name of a ranked player, so each sign-in uses another name.
    request.set_display_name(absl::StrCat("Player ", rng_.Below(1'000'000'000)));
    const absl::Status status = Send(*method, request.SerializeAsString(), "");
    if (!status.ok()) return Check(*method, status, request.ShortDebugString());
    gateway::v1::CreateGuestSessionResponse response;
    response.ParseFromString(last_answer_);
    token = response.session().token();
  }

  // Makes a good call about an account: makes one for the player of `token`, signs in to one, or
  // recovers one. Random requests never have the right passphrase.
  void CallAccount(std::string& token) {
    if (accounts_.empty() || rng_.Below(4) == 0) return CreateAccount(token);
    Account& account =
        accounts_[static_cast<std::size_t>(rng_.Below(static_cast<int>(accounts_.size())))];
    if (rng_.Below(2) == 0) {
      gateway::v1::SignInRequest request;
      request.set_display_name(account.name);
      request.set_passphrase(account.passphrase);
      gateway::v1::SignInResponse response;
      if (CallGood("SignIn", request, "", response)) token = response.session().token();
      return;
    }
    gateway::v1::RecoverAccountRequest request;
    request.set_display_name(account.name);
    request.set_recovery_code(account.recovery_code);
    request.set_new_passphrase(RandomUuid(rng_));
    request.set_request_id(RandomUuid(rng_));
    gateway::v1::RecoverAccountResponse response;
    if (!CallGood("RecoverAccount", request, "", response)) return;
    account.passphrase = request.new_passphrase();
    account.recovery_code = response.recovery_code();
    token = response.session().token();
  }

  void CreateAccount(std::string& token) {
    gateway::v1::CreateAccountRequest request;
    request.set_display_name(absl::StrCat("Player ", rng_.Below(1'000'000'000)));
    request.set_passphrase(RandomUuid(rng_));
    gateway::v1::CreateAccountResponse response;
    if (CallGood("CreateAccount", request, token, response)) {
      token = response.session().token();
      memory_.Keep(accounts_,
                   Account{response.session().display_name(), request.passphrase(),
                           response.recovery_code()},
                   kPlayers);
    } else {
      token.clear();  // This player may have an account. The next call signs a new guest in.
    }
  }

  // Calls a method of SessionService with a good request, and keeps the request. Returns false if
  // the answer is an error.
  bool CallGood(const char* name, const Message& request, const std::string& token,
                Message& response) {
    const auto* const method =
        FindMethod(absl::StrCat("tarot.gateway.v1.SessionService.", name).c_str());
    const std::string bytes = request.SerializeAsString();
    const absl::Status status = Send(*method, bytes, token);
    Check(*method, status, request.ShortDebugString());
    memory_.Keep(kept_[method]["OK"], bytes, kKeptRequests);
    return status.ok() && response.ParseFromString(last_answer_);
  }

  absl::Status Send(const MethodDescriptor& method, const std::string& bytes,
                    const std::string& token) {
    const FuzzAnswer answer = line_->Call(method, bytes, token);
    ended_here_ = answer.ended_here;
    for (const std::string& message : answer.messages) Learn(method, message);
    return answer.status;
  }

  void Learn(const MethodDescriptor& method, const std::string& answer) {
    last_answer_ = answer;
    const std::unique_ptr<Message> message = NewMessage(*method.output_type());
    if (!message->ParseFromString(last_answer_)) {
      return findings_.Add(absl::StrCat(method.full_name(), " answered bytes that do not parse"));
    }
    memory_.Learn(*message);
    LearnGoodCall(*message);
  }

  // Copies the message in the field `name` of `answer` to `out`. Returns false if there is no such
  // message.
  static bool Take(const Message& answer, const char* name, Message& out) {
    const auto* const field = answer.GetDescriptor()->FindFieldByName(name);
    if (field == nullptr || field->message_type() != out.GetDescriptor()) return false;
    if (!answer.GetReflection()->HasField(answer, field)) return false;
    out.CopyFrom(answer.GetReflection()->GetMessage(answer, field));
    return true;
  }

  // If `answer` has the room or the table of a seated player, keeps a call that the services accept
  // from this player. The services hardly ever accept a random request about a room or a table.
  void LearnGoodCall(const Message& answer) {
    matchmaking::v1::Room room;
    rules::v1::Table table;
    matchmaking::v1::Ticket ticket;
    rules::v1::ListRecordsResponse records;
    gateway::v1::Session session;
    if (Take(answer, "room", room)) LearnRoomCall(room);
    if (Take(answer, "table", table)) LearnTableCall(table);
    if (Take(answer, "ticket", ticket)) LearnTicketCall(ticket);
    if (Take(answer, "session", session)) names_[player_] = session.player();
    if (answer.GetDescriptor() == records.GetDescriptor()) {
      records.CopyFrom(answer);
      if (!records.records().empty()) LearnRecordCall(records.records(0));
    }
  }

  void LearnTicketCall(const matchmaking::v1::Ticket& ticket) {
    if (rng_.Below(2) == 0) {
      matchmaking::v1::GetTicketRequest request;
      request.set_name(ticket.name());
      return KeepGoodCall("tarot.matchmaking.v1.MatchmakingService.GetTicket", request);
    }
    matchmaking::v1::DeleteTicketRequest request;
    request.set_name(ticket.name());
    KeepGoodCall("tarot.matchmaking.v1.MatchmakingService.DeleteTicket", request);
  }

  void LearnRecordCall(const rules::v1::DealRecord& record) {
    if (rng_.Below(2) == 0) {
      rules::v1::GetRecordRequest request;
      request.set_name(record.name());
      return KeepGoodCall("tarot.rules.v1.RecordService.GetRecord", request);
    }
    bot::v1::AnalyzeDealRequest request;
    request.set_name(record.name());
    request.set_level("novice");
    KeepGoodCall("tarot.bot.v1.AnalysisService.AnalyzeDeal", request);
  }

  // Fills the room of a host with bots, starts its match and reads its table.
  void LearnRoomCall(const matchmaking::v1::Room& room) {
    if (!room.table().empty()) {
      rules::v1::GetTableRequest request;
      request.set_name(room.table());
      return KeepGoodCall("tarot.rules.v1.TableService.GetTable", request);
    }
    if (!room.has_viewer() || room.viewer() != room.host_seat()) return;
    const std::size_t guest = (player_ + 1) % kPlayers;
    if (rng_.Below(8) == 0) {
      matchmaking::v1::InvitePlayerRequest request;
      request.set_name(room.name());
      request.set_player(names_[guest]);
      return KeepGoodCall("tarot.matchmaking.v1.RoomService.InvitePlayer", request);
    }
    if (rng_.Below(8) == 0) {
      matchmaking::v1::LeaveRoomRequest request;
      request.set_name(room.name());
      request.set_player(names_[player_]);
      return KeepGoodCall("tarot.matchmaking.v1.RoomService.LeaveRoom", request);
    }
    if (rng_.Below(4) == 0) {
      matchmaking::v1::JoinRoomRequest request;
      request.set_name(room.name());
      request.set_request_id(RandomUuid(rng_));
      return KeepGoodCall("tarot.matchmaking.v1.RoomService.JoinRoom", request, guest);
    }
    for (int seat = 0; seat < room.seats_size(); ++seat) {
      if (!room.seats(seat).player().empty() || !room.seats(seat).bot_level().empty()) continue;
      matchmaking::v1::SetBotRequest request;
      request.set_name(room.name());
      request.set_seat(static_cast<std::uint32_t>(seat));
      request.set_bot_level("novice");
      return KeepGoodCall("tarot.matchmaking.v1.RoomService.SetBot", request);
    }
    matchmaking::v1::StartMatchRequest request;
    request.set_name(room.name());
    request.set_request_id(RandomUuid(rng_));
    KeepGoodCall("tarot.matchmaking.v1.RoomService.StartMatch", request);
  }

  void LearnTableCall(const rules::v1::Table& table) {
    if (!table.has_viewer()) return;
    if (rng_.Below(8) == 0) return LearnTalk(table);
    if (table.state() == rules::v1::Table::FINISHED) {
      rules::v1::GetScoreSheetRequest request;
      request.set_name(table.name());
      return KeepGoodCall("tarot.rules.v1.RecordService.GetScoreSheet", request);
    }
    if (table.has_break_expire_time()) {
      KeepTableCall("EndBreak", table, rules::v1::EndBreakRequest());
    } else if (table.has_proposal()) {
      LearnAnswer(table);
    } else if (table.has_take_back_seat() && table.take_back_seat() == table.viewer()) {
      KeepProposal(table, rules::v1::Proposal::TAKE_BACK);
    } else if (table.options().breaks() && rng_.Below(16) == 0) {
      KeepProposal(table, rules::v1::Proposal::BREAK);
    } else if (!table.deal().legal().cards().empty() && rng_.Below(4) == 0) {
      rules::v1::ClaimTricksRequest request;
      request.set_expected_revision(table.revision());
      KeepTableCall("ClaimTricks", table, request);
    } else {
      LearnMove(table);
    }
  }

  // Keeps a call that a seat may make at any time.
  void LearnTalk(const rules::v1::Table& table) {
    switch (rng_.Below(5)) {
      case 0: {
        rules::v1::SayPhraseRequest request;
        request.set_phrase(rules::v1::SaidPhrase::HELLO);
        return KeepTableCall("SayPhrase", table, request);
      }
      case 1: {
        rules::v1::MuteSeatRequest request;
        request.set_seat((table.viewer() + 1) % 3);
        request.set_muted(rng_.Below(2) == 0);
        return KeepTableCall("MuteSeat", table, request);
      }
      case 2:
        return KeepTableCall("ResumeSeat", table, rules::v1::ResumeSeatRequest());
      case 3:
        for (const rules::v1::Seat& seat : table.seats()) {
          if (seat.player() == names_[player_] || !seat.bot_level().empty()) continue;
          matchmaking::v1::ReportPlayerRequest request;
          request.set_table(table.name());
          request.set_deal_number(table.deal_number());
          request.set_player(seat.player());
          request.set_reason(matchmaking::v1::PlayerReport::DELAYS_THE_GAME);
          return KeepGoodCall("tarot.matchmaking.v1.FriendService.ReportPlayer", request);
        }
        return;
      default:
        if (!table.has_next_deal()) return;
        rules::v1::AddNonceRequest request;
        request.set_deal_number(table.next_deal().deal_number());
        request.set_nonce(RandomUuid(rng_).substr(0, 32));
        return KeepTableCall("AddNonce", table, request);
    }
  }

  void LearnAnswer(const rules::v1::Table& table) {
    const auto& pending = table.proposal().pending_seats();
    if (std::find(pending.begin(), pending.end(), table.viewer()) == pending.end()) return;
    rules::v1::AnswerProposalRequest request;
    request.set_proposal_revision(table.proposal().revision());
    request.set_agree(rng_.Below(4) != 0);
    KeepTableCall("AnswerProposal", table, request);
  }

  void KeepProposal(const rules::v1::Table& table, rules::v1::Proposal::Kind kind) {
    rules::v1::ProposeRequest request;
    request.set_kind(kind);
    KeepTableCall("Propose", table, request);
  }

  // Keeps the first legal action if it is the viewer's turn.
  void LearnMove(const rules::v1::Table& table) {
    const rules::v1::LegalActions& legal = table.deal().legal();
    rules::v1::SubmitActionRequest request;
    rules::v1::Action& action = *request.mutable_action();
    if (!legal.cards().empty()) {
      action.mutable_play()->set_card(legal.cards(0));
    } else if (!legal.bids().empty()) {
      action.mutable_bid()->set_contract(legal.bids(legal.bids_size() - 1));
    } else if (legal.discard_count() > 0) {
      for (std::uint32_t i = 0; i < legal.discard_count(); ++i) {
        action.mutable_discard()->add_cards(legal.discards(static_cast<int>(i)));
      }
    } else {
      return;
    }
    request.set_expected_revision(table.revision());
    KeepTableCall("SubmitAction", table, request);
  }

  template <typename Request>
  void KeepTableCall(const char* method, const rules::v1::Table& table, Request request) {
    request.set_name(table.name());
    request.set_request_id(RandomUuid(rng_));
    KeepGoodCall(absl::StrCat("tarot.rules.v1.TableService.", method).c_str(), request);
  }

  void KeepGoodCall(const char* method, const Message& request) {
    KeepGoodCall(method, request, player_);
  }
  void KeepGoodCall(const char* method, const Message& request, std::size_t player) {
    next_good_call_ = {player, FindMethod(method), request.SerializeAsString()};
  }

  void Check(const MethodDescriptor& method, const absl::Status& status,
             const std::string& request) {
    if (ended_here_) return;
    findings_.Count(method, status);
    const std::string reason = GetErrorDetails(status).reason;
    const std::string text =
        absl::StrCat(method.full_name(), ": ", status.ToString(), " for ", request.substr(0, 500));
    if (reason == "BUG") return findings_.Add(text);
    if (status.ok() || !reason.empty()) return;
    if (method.server_streaming() && absl::IsDeadlineExceeded(status)) return;  // No message came.
    if (client::IsLost(status)) return line_->Connect();  // The door closed the connection.
    // gRPC refuses a message above the size limit without a reason.
    if (absl::IsResourceExhausted(status) && absl::StrContains(status.message(), "larger")) return;
    findings_.Add(text);
  }

  Rng rng_;
  Memory memory_;
  Findings& findings_;
  const std::unique_ptr<FuzzLine> line_;
  std::vector<std::string> tokens_;
  std::vector<std::string> names_ = std::vector<std::string>(kPlayers);  // players/{uuid}
  std::vector<Account> accounts_;
  std::size_t player_ = 0;  // The player of the newest call.
  std::optional<GoodCall> next_good_call_;
  std::string last_answer_;
  bool ended_here_ = false;  // FuzzAnswer::ended_here of the newest call.
  // The requests that passed the first checks. The key is the error reason of the answer. Most new
  // requests are changed copies of these requests.
  std::map<const MethodDescriptor*, std::map<std::string, std::vector<std::string>>> kept_;
  int calls_ = 0;
};

// Returns whether the process still runs. A process that has ended stays as a zombie.
bool Runs(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (absl::StartsWith(line, "State:")) return !absl::StrContains(line, "Z");
  }
  return false;
}

void CheckProcesses(const e2e::Cluster& cluster, Findings& findings) {
  for (const auto& [name, pid] : cluster.pids()) {
    if (!Runs(pid)) findings.Add(absl::StrCat(name, " has ended"));
    const std::string log = cluster.LogOf(name);
    for (const char* const sign :
         {"runtime error:", "Sanitizer", "\"reason\":\"BUG\"", "CHECK failed"}) {
      const std::size_t at = log.find(sign);
      if (at == std::string::npos) continue;
      const std::size_t from = at < 200 ? 0 : at - 200;
      findings.Add(absl::StrCat(name, " logged: ", log.substr(from, 2000)));
    }
  }
}

int Main() {
  // The door (HAProxy) and the gateway do not limit this address and these players. The limits have
  // tests of their own.
  setenv("TAROT_DOOR_TRUSTED", "127.0.0.1", 1);
  setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
  e2e::Cluster cluster(
      {.rules_flags = {"--bot_delay=1ms", "--bots_only_delay=1ms", "--deal_pause=1ms"},
       .gateway_flags = {"--calls_per_second=100000", "--call_burst=100000",
                         "--address_calls_per_second=100000", "--sign_ins_per_second=100000",
                         "--sign_in_burst=100000", "--secrets_per_second=100000",
                         "--secret_burst=100000"},
       .door = true,
       .fsync = false});
  Findings findings;
  std::atomic<bool> stopping = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < absl::GetFlag(FLAGS_threads); ++i) {
    threads.emplace_back([&, i] {
      const auto seed = static_cast<std::uint64_t>(absl::GetFlag(FLAGS_seed)) * 1000;
      Caller caller(cluster, seed + static_cast<std::uint64_t>(i), i % 2 == 1, findings);
      while (!stopping) caller.CallOnce();
    });
  }
  const absl::Time end = absl::Now() + absl::Minutes(absl::GetFlag(FLAGS_minutes));
  while (absl::Now() < end && findings.found() == 0) {
    absl::SleepFor(absl::Seconds(1));
    CheckProcesses(cluster, findings);
  }
  stopping = true;
  for (std::thread& thread : threads) thread.join();
  if (absl::GetFlag(FLAGS_minutes) >= kAllMethodsMinutes && findings.found() == 0) {
    findings.CheckAllMethods();
  }
  CheckProcesses(cluster, findings);
  (void)cluster.SignIn("Ada");  // Ends the program if the sign-in fails.
  findings.Print();
  return findings.found() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tarot::hostile

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return tarot::hostile::Main();
}
