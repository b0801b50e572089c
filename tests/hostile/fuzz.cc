// The program tarot-fuzz-door calls every method that players may call, through the public door
// (HAProxy) of real processes, with right, random and damaged requests. It fails if an answer has
// no reason, if an answer is BUG or does not come, if a process ends, or if a sanitizer writes to a
// log. `tools/dev fuzz-door` builds all processes with AddressSanitizer and
// UndefinedBehaviorSanitizer.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/sync_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

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
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "tests/e2e/cluster.h"
#include "tests/hostile/random_message.h"

ABSL_FLAG(double, minutes, 60, "length of the run");
ABSL_FLAG(int, threads, 4, "threads that call; each has four players and a connection of its own");
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
constexpr absl::Duration kAnswerWithin = absl::Seconds(30);  // Sanitizers make processes slow.
constexpr int kStreamMessagesMax = 5;

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
  Caller(const std::string& address, std::uint64_t seed, Findings& findings)
      : address_(address), rng_(seed), memory_(rng_), findings_(findings), tokens_(kPlayers) {
    Connect();
    KeepGoodRoom();
  }

  void CallOnce() {
    if (++calls_ % kCallsPerConnection == 0) Connect();
    std::optional<GoodCall> good;
    if (rng_.Below(2) == 0) good = std::exchange(next_good_call_, std::nullopt);
    player_ = good ? good->player : static_cast<std::size_t>(rng_.Below(kPlayers));
    std::string& player_token = tokens_[player_];
    if (player_token.empty()) return SignIn(player_token);
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
    const std::string token = rng_.Below(32) == 0 ? "" : player_token;
    const absl::Status status = Send(*method, bytes, token);
    Check(*method, status, absl::StrCat(damaged ? "damaged " : "", request->ShortDebugString()));
    const std::string reason = GetErrorDetails(status).reason;
    if (reason == "BAD_TOKEN" && !token.empty()) player_token.clear();  // It was revoked.
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

  static const MethodDescriptor* FindMethod(const char* name) {
    return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  }

  // Keeps a valid request for a room, because random requests alone never make a room.
  void KeepGoodRoom() {
    matchmaking::v1::CreateRoomRequest request;
    request.set_visibility(matchmaking::v1::Room::OPEN);
    request.set_request_id(RandomUuid(rng_));
    request.mutable_terms()->set_rule_set("fft");
    request.mutable_terms()->set_player_count(3);
    request.mutable_terms()->set_deal_count(1);
    request.mutable_terms()->mutable_move_limit()->set_seconds(5);
    request.mutable_terms()->mutable_options()->set_take_back(true);
    request.mutable_terms()->mutable_options()->set_breaks(true);
    const auto* const method = FindMethod("tarot.matchmaking.v1.RoomService.CreateRoom");
    kept_[method]["OK"].push_back(request.SerializeAsString());
  }

  const MethodDescriptor* Pick() {
    static const auto* const methods = new std::vector(PublicMethods());
    return (*methods)[static_cast<std::size_t>(rng_.Below(static_cast<int>(methods->size())))];
  }

  void Connect() { channel_ = rpc::MakeChannel(address_, true); }

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

  absl::Status Send(const MethodDescriptor& method, const std::string& bytes,
                    const std::string& token) {
    const std::string path = absl::StrCat("/", method.service()->full_name(), "/", method.name());
    grpc::ClientContext context;
    const bool stream = method.server_streaming();
    context.set_deadline(
        absl::ToChronoTime(absl::Now() + (stream ? absl::Milliseconds(300) : kAnswerWithin)));
    if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer response;
    grpc::Status status;
    if (stream) {
      const grpc::internal::RpcMethod rpc(path.c_str(),
                                          grpc::internal::RpcMethod::SERVER_STREAMING);
      const std::unique_ptr<grpc::ClientReader<grpc::ByteBuffer>> reader(
          grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(channel_.get(), rpc,
                                                                        &context, request));
      int messages = 0;
      while (messages < kStreamMessagesMax && reader->Read(&response)) {
        ++messages;
        Learn(method, response);
      }
      context.TryCancel();
      status = reader->Finish();
      // CANCELLED comes from TryCancel, and DEADLINE_EXCEEDED from this caller's own deadline.
      const bool ended_here = status.error_code() == grpc::StatusCode::CANCELLED ||
                              status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
      if (messages > 0 && ended_here) status = grpc::Status::OK;
    } else {
      const grpc::internal::RpcMethod rpc(path.c_str(), grpc::internal::RpcMethod::NORMAL_RPC);
      status = grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
          channel_.get(), rpc, &context, request, &response);
      if (status.ok()) Learn(method, response);
    }
    return status::FromGrpc(status);
  }

  void Learn(const MethodDescriptor& method, const grpc::ByteBuffer& answer) {
    std::vector<grpc::Slice> slices;
    answer.Dump(&slices);
    last_answer_.clear();
    for (const grpc::Slice& slice : slices) {
      last_answer_.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
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
    if (Take(answer, "room", room)) LearnRoomCall(room);
    if (Take(answer, "table", table)) LearnTableCall(table);
  }

  // Fills the room of a host with bots, starts its match and reads its table.
  void LearnRoomCall(const matchmaking::v1::Room& room) {
    if (!room.table().empty()) {
      rules::v1::GetTableRequest request;
      request.set_name(room.table());
      return KeepGoodCall("tarot.rules.v1.TableService.GetTable", request);
    }
    if (!room.has_viewer() || room.viewer() != room.host_seat()) return;
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
    next_good_call_ = {player_, FindMethod(method), request.SerializeAsString()};
  }

  void Check(const MethodDescriptor& method, const absl::Status& status,
             const std::string& request) {
    findings_.Count(method, status);
    const std::string reason = GetErrorDetails(status).reason;
    const std::string text =
        absl::StrCat(method.full_name(), ": ", status.ToString(), " for ", request.substr(0, 500));
    if (reason == "BUG") return findings_.Add(text);
    if (status.ok() || !reason.empty()) return;
    if (method.server_streaming() && absl::IsDeadlineExceeded(status)) return;  // No message came.
    if (client::IsLost(status)) return Connect();  // The door closed the connection.
    // gRPC refuses a message above the size limit without a reason.
    if (absl::IsResourceExhausted(status) && absl::StrContains(status.message(), "larger")) return;
    findings_.Add(text);
  }

  const std::string address_;
  Rng rng_;
  Memory memory_;
  Findings& findings_;
  std::shared_ptr<grpc::Channel> channel_;
  std::vector<std::string> tokens_;
  std::size_t player_ = 0;  // The player of the newest call.
  std::optional<GoodCall> next_good_call_;
  std::string last_answer_;
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
                         "--sign_in_burst=100000"},
       .door = true,
       .fsync = false});
  Findings findings;
  std::atomic<bool> stopping = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < absl::GetFlag(FLAGS_threads); ++i) {
    threads.emplace_back([&, i] {
      const auto seed = static_cast<std::uint64_t>(absl::GetFlag(FLAGS_seed)) * 1000;
      Caller caller(cluster.AddressOf("gateway"), seed + static_cast<std::uint64_t>(i), findings);
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
