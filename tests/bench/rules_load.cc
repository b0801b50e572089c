#include "tests/bench/rules_load.h"

#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/call.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/wire/convert.h"
#include "services/gateway/transport/move_client.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::bench {
namespace {

// The load does not decode answers. On the platform, clients decode the answers. So the time to
// decode them is no cost of the service.
using SubmitStub = grpc::TemplatedGenericStub<rules::v1::SubmitActionRequest, grpc::ByteBuffer>;

// The load waits this long for an answer at most, as the gateway does on the platform.
constexpr absl::Duration kTimeout = absl::Seconds(30);

struct Shared {
  Shared(const e2e::Cluster& cluster, MovePath move_path)
      : path(move_path),
        identity(ServiceIdentity(cluster, clock)),
        channel(rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster.port("rules")))),
        submit(channel),
        tables(rules::v1::TableService::NewStub(channel)),
        feeds(rules::v1::TableFeedService::NewStub(channel)),
        stream(std::make_shared<gateway_service::MoveClient>(
            *feeds, identity, clock, scheduler,
            calls.Method("tarot.rules.v1.TableFeedService/SubmitActions"))) {
    if (path == MovePath::kUnary) return;
    stream->Open();
    while (stream->NewCall() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~Shared() {
    stream->Close();
    stream->Wait();
  }

  const MovePath path;
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  prometheus::Registry registry;
  rpc::CallMetrics calls{rpc::Side::kClient, registry};
  const rpc::Authenticator identity;
  const std::shared_ptr<grpc::Channel> channel;
  SubmitStub submit;
  const std::unique_ptr<rules::v1::TableService::Stub> tables;
  const std::unique_ptr<rules::v1::TableFeedService::Stub> feeds;
  const std::shared_ptr<gateway_service::MoveClient> stream;
  std::atomic<bool> running = true;
  std::atomic<int> open = 0;
  std::atomic<long> moves = 0;
};

// One table and its four players. The load knows all four hands.
class TablePlayers {
 public:
  TablePlayers(const e2e::Cluster& cluster, Shared& shared, std::uint64_t seed)
      : shared_(shared),
        rng_(seed),
        name_(absl::StrCat("tables/", shared.entropy.NewUuid().ToString())) {
    std::vector<std::string> names;
    for (int i = 0; i < 4; ++i) {
      players_.push_back(PlayerId{shared.entropy.NewUuid()});
      names.push_back(absl::StrCat("players/", players_.back().ToString()));
    }
    CreateTable(cluster, name_, names);
  }

  // Reads the hands of the new deal. Called once per deal, on a thread that may block.
  void LearnDeal() {
    std::array<rules::CardSet, rules::kPlayersMax> hands;
    rules::CardSet dog = rules::CardSet::All();
    for (std::size_t seat = 0; seat < 4; ++seat) {
      rules::v1::Table table;
      do {
        table = Get(players_[seat]);
        // Repeats the read while the server still plays the last trick of the previous deal.
      } while (table.state() != rules::v1::Table::PLAYING || table.deal().hand_size() <= 1);
      const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
      TAROT_CHECK(view.ok());
      hands[seat] = view->hand;
      dog -= view->hand;
      deal_.rules = view->rules;
      deal_.dealer = view->dealer;
      revision_ = table.revision();
    }
    deal_ = StartDeal(deal_.rules, 4, deal_.dealer, hands, dog);
  }

  void Submit() {
    const auto seat = static_cast<std::size_t>(deal_.turn);
    action_ = RandomAction(deal_, rng_);
    request_.set_name(name_);
    request_.set_expected_revision(revision_);
    request_.set_request_id(shared_.entropy.NewUuid().ToString());
    wire::EncodeAction(action_, request_.mutable_action());
    const auto done = [this](const grpc::Status& status) { Done(status); };
    if (shared_.path == MovePath::kUnary) {
      context_ = std::make_unique<grpc::ClientContext>();
      shared_.identity.Sign(*context_, rpc::Caller{.player = players_[seat]});
      shared_.submit.UnaryCall(context_.get(), "/tarot.rules.v1.TableService/SubmitAction", {},
                               &request_, &response_, done);
      return;
    }
    const grpc::Slice bytes(request_.SerializeAsString());
    shared_.stream->Start(
        shared_.stream->NewCall(), players_[seat], grpc::ByteBuffer(&bytes, 1), "", kTimeout,
        [done](const grpc::Status& status, const grpc::ByteBuffer&) { done(status); });
  }

  // True if no seat has a choice left in this deal. A thread that may block must then call
  // LearnDeal for the next deal.
  std::atomic<bool> waits = true;

 private:
  rules::v1::Table Get(PlayerId player) {
    grpc::ClientContext context;
    shared_.identity.Sign(context, rpc::Caller{.player = player});
    rules::v1::GetTableRequest request;
    request.set_name(name_);
    rules::v1::GetTableResponse response;
    TAROT_CHECK(shared_.tables->GetTable(&context, request, &response).ok());
    return response.table();
  }

  // The server plays the last trick of a deal for all seats.
  bool InLastTrick() const {
    return deal_.phase == rules::Phase::kPlaying &&
           deal_.trick_count == deal_.rules.HandSize(deal_.players);
  }

  void Done(const grpc::Status& status) {
    TAROT_CHECK(status.ok());
    shared_.moves.fetch_add(1, std::memory_order_relaxed);
    TAROT_CHECK(Apply(deal_, deal_.turn, action_).ok());
    ++revision_;
    if (!shared_.running) {
      --shared_.open;
    } else if (deal_.phase == rules::Phase::kDone || InLastTrick()) {
      waits = true;
    } else {
      Submit();
    }
  }

  Shared& shared_;
  Rng rng_;
  const std::string name_;
  std::vector<PlayerId> players_;
  rules::Deal deal_;
  int revision_ = 0;
  rules::Action action_;
  rules::v1::SubmitActionRequest request_;
  grpc::ByteBuffer response_;
  std::unique_ptr<grpc::ClientContext> context_;
};

}  // namespace

RulesResult RunRulesLoad(e2e::Cluster& cluster, int tables, double seconds, MovePath path) {
  Shared shared(cluster, path);
  std::vector<std::unique_ptr<TablePlayers>> players;
  for (int i = 0; i < tables; ++i) {
    players.push_back(
        std::make_unique<TablePlayers>(cluster, shared, static_cast<std::uint64_t>(i)));
  }
  shared.open = tables;
  std::thread dealer([&] {
    while (shared.running) {
      for (const auto& table : players) {
        if (!table->waits.exchange(false)) continue;
        table->LearnDeal();
        table->Submit();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const long before = shared.moves;
  const Cpu cpu = CpuOf(cluster);
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const auto moves = static_cast<double>(shared.moves - before);
  const RulesResult result{.moves_per_s = moves / absl::ToDoubleSeconds(watch.Elapsed()),
                           .cpu_us_per_move = CpuPerMove(cluster, cpu, moves)};
  shared.running = false;
  dealer.join();
  for (const auto& table : players) shared.open -= table->waits ? 1 : 0;
  while (shared.open > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return result;
}

}  // namespace tarot::bench
