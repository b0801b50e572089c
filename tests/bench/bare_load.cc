#include "tests/bench/bare_load.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/call.h"
#include "libs/rpc/client_stream.h"
#include "tests/bench/cluster_load.h"
#include "tests/bench/pace.h"

namespace tarot::bench {
namespace {

constexpr std::size_t kSeats = 4;
// The size of a player's token, which is sent with every call.
constexpr std::size_t kTokenBytes = 125;

// One of the two processes of the bare relay (bare_relay.cc).
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments) {
    std::array<int, 2> pipe{};
    TAROT_CHECK(::pipe(pipe.data()) == 0);
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bare_relay";
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    pid_ = ::fork();
    TAROT_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::execv(program.c_str(), argv.data());
      ::_exit(127);
    }
    ::close(pipe[1]);
    std::FILE* const out = ::fdopen(pipe[0], "r");
    int port = 0;
    TAROT_CHECK(std::fscanf(out, "%d", &port) == 1);
    std::fclose(out);
    address_ = absl::StrCat("127.0.0.1:", port);
  }
  ~Process() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  const std::string& address() const { return address_; }
  double cpu_seconds() const { return CpuSeconds(pid_); }

 private:
  pid_t pid_ = 0;
  std::string address_;
};

grpc::ByteBuffer Message(std::uint64_t number, double size) {
  std::string text(std::max(sizeof number, static_cast<std::size_t>(size)), 'x');
  std::memcpy(text.data(), &number, sizeof number);
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

std::uint64_t NumberOf(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  std::uint64_t number = 0;
  TAROT_CHECK(bytes.DumpToSingleSlice(&slice).ok() && slice.size() >= sizeof number);
  std::memcpy(&number, slice.begin(), sizeof number);
  return number;
}

struct Shared {
  grpc::GenericStub stub;
  Pace pace;
  RealScheduler scheduler;
  double request_bytes = 0;
  std::atomic<bool> stopping = false;
  std::atomic<int> in_flight = 0;
  std::atomic<long> answers = 0;
};

// A player that watches the table and moves when it is the player's turn.
class BarePlayer final : public rpc::ClientBidiStream<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  BarePlayer(Shared& shared, std::uint64_t table, std::uint64_t seat)
      : ClientBidiStream(shared.scheduler, std::nullopt),
        shared_(shared),
        table_(table),
        seat_(seat),
        token_(absl::StrCat("Bearer ", table, ".", seat, ".", std::string(kTokenBytes, 't'))) {}

  void Move() {
    struct Call {
      grpc::ClientContext context;
      grpc::ByteBuffer request, response;
    };
    const auto call = std::make_shared<Call>();
    call->context.AddMetadata("authorization", token_);
    rpc::SetTimeout(call->context, absl::Seconds(3));
    call->request = Message(table_, shared_.request_bytes);
    ++shared_.in_flight;
    shared_.stub.UnaryCall(&call->context, "/bare/Move", {}, &call->request, &call->response,
                           [this, call](const grpc::Status& status) {
                             if (status.ok()) ++shared_.answers;
                             --shared_.in_flight;
                           });
  }

 private:
  void BindLocked(grpc::ClientContext& context) override {
    context.AddMetadata("authorization", token_);
    shared_.stub.PrepareBidiStreamingCall(&context, "/bare/Watch", {}, this);
    request_due_ = true;
  }
  void OnOpen() override {
    const std::lock_guard lock(mutex());
    AdvanceLocked();
  }
  Next TakeLocked(grpc::ByteBuffer& request) override {
    if (!request_due_) return Next::kNothing;
    request_due_ = false;
    request = Message(table_, sizeof table_);
    return Next::kMessage;
  }
  // A view begins with the table's revision, and the revision decides which player's turn it is.
  void OnMessage(grpc::ByteBuffer& view) override {
    if (NumberOf(view) % kSeats != seat_ || shared_.stopping) return;
    shared_.pace.Release([this] { Move(); });
  }
  std::optional<absl::Duration> OnLost(const grpc::Status&, int) override { return std::nullopt; }

  Shared& shared_;
  const std::uint64_t table_, seat_;
  const std::string token_;
  bool request_due_ = false;
};

}  // namespace

BareResult RunBareLoad(const std::string& database, int tables, double seconds, double moves_per_s,
                       const MoveBytes& bytes) {
  const auto size = [](double mean) { return absl::StrCat(static_cast<int>(mean)); };
  const Process backend(
      {"backend", database, size(bytes.answer), size(bytes.shared), size(bytes.own)});
  const Process relay(
      {"relay", backend.address(), size(bytes.answer), size(bytes.shared), size(bytes.own)});
  Shared shared{.stub = grpc::GenericStub(rpc::MakeChannel(relay.address())),
                .request_bytes = bytes.request};
  std::vector<std::shared_ptr<BarePlayer>> players;
  for (int table = 0; table < tables; ++table) {
    for (std::size_t seat = 0; seat < kSeats; ++seat) {
      players.push_back(
          std::make_shared<BarePlayer>(shared, static_cast<std::uint64_t>(table), seat));
      players.back()->Open();
    }
  }
  // Gives all streams time to open.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (std::size_t i = 0; i < players.size(); i += kSeats) players[i]->Move();
  std::thread pace([&] { shared.pace.Run(seconds + 1, moves_per_s); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const double relay_before = relay.cpu_seconds(), backend_before = backend.cpu_seconds();
  const long answers_before = shared.answers;
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto moves = static_cast<double>(shared.answers - answers_before);
  const BareResult result = {
      .moves_per_s = moves / absl::ToDoubleSeconds(watch.Elapsed()),
      .relay_us_per_move = (relay.cpu_seconds() - relay_before) * 1e6 / moves,
      .backend_us_per_move = (backend.cpu_seconds() - backend_before) * 1e6 / moves};
  shared.stopping = true;
  pace.join();
  for (const auto& player : players) player->Close();
  for (const auto& player : players) player->Wait();
  while (shared.in_flight > 0) std::this_thread::yield();
  TAROT_CHECK(moves > 0);
  return result;
}

}  // namespace tarot::bench
