// Tests feeds with a real server and a real client, and with the fake store.
#include "services/rules/transport/table_feed.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/threaded_tables.h"
#include "services/rules/transport/table_feed_service.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;

std::string Bytes(const Uuid& id) {
  return {reinterpret_cast<const char*>(id.bytes().data()), id.bytes().size()};
}

// A server with the feed service.
struct FeedFixture : ThreadedTables<FakeTableStore> {
  FeedFixture() {
    server = rpc::Server::Start({.drain_timeout = absl::Milliseconds(100)}, {&service}).value();
    stub = v1::TableFeedService::NewStub(
        rpc::MakeChannel("127.0.0.1:" + std::to_string(server->port())));
    service.Start();
  }
  ~FeedFixture() {
    service.EndStreams();
    server->Shutdown();
    Stop();
  }

  TableId NewTable() {
    TableConfig config = FourPeople();
    config.seats[3].bot_level = "novice";
    TAROT_CHECK(tables.Create(config).ok());
    return config.id;
  }

  std::shared_ptr<const TableState> State(TableId table) {
    return (*memory.Get(table))->Snapshot();
  }

  // Starts a deal if none runs. If a deal runs, plays any legal action for the seat whose turn it
  // is.
  void Move(TableId table) {
    const std::shared_ptr<const TableState> state = State(table);
    std::promise<absl::StatusCode> done;
    const auto tell = [&done](const absl::StatusOr<SeatView>& view) {
      done.set_value(view.status().code());
    };
    if (!state->match.DealRunning()) {
      tables.DealNext(table, state->revision, tell);
    } else {
      tables.SubmitForSeat({.table = table,
                            .expected_revision = state->revision,
                            .seat = state->match.deal.turn,
                            .action = rules::RandomAction(state->match.deal, rng)},
                           tell);
    }
    TAROT_CHECK(done.get_future().get() == absl::StatusCode::kOk);
  }

  Rng rng{1};
  rpc::CallMetrics calls{rpc::Side::kServer, registry};
  rpc::Authenticator identity{rpc::KeyRing({{"k1", std::string(32, 'k')}}), clock};
  rpc::Dispatcher dispatcher{clock, workers, identity, calls};
  std::atomic<int> moves = 0;
  TableViews views;
  TableFeedServiceImpl service{tables,
                               views,
                               [this](const HostRouter::Call&, rpc::Dispatcher::Finish finish) {
                                 ++moves;
                                 finish(absl::OkStatus());
                               },
                               dispatcher,
                               scheduler,
                               metrics};
  std::unique_ptr<rpc::Server> server;
  std::unique_ptr<v1::TableFeedService::Stub> stub;
};

// The gateway's side of the feed.
struct Feed {
  explicit Feed(FeedFixture& fixture, const rpc::Caller& caller = {.service = "gateway"}) {
    fixture.identity.Sign(context, caller);
    stream = fixture.stub->WatchTables(&context);
  }
  ~Feed() {
    context.TryCancel();
    if (!finished) Finish().IgnoreError();
  }
  absl::Status Finish() {
    finished = true;
    return status::FromGrpc(stream->Finish());
  }
  void Add(TableId table, int after_revision = -1) {
    v1::WatchTablesRequest request;
    v1::TableSubscription* add = request.add_add();
    add->set_table(Bytes(table.uuid));
    add->set_after_revision(after_revision);
    stream->Write(request);
  }
  void Remove(TableId table) {
    v1::WatchTablesRequest request;
    request.add_remove(Bytes(table.uuid));
    stream->Write(request);
  }
  void Present(TableId table, const std::vector<PlayerId>& players) {
    v1::WatchTablesRequest request;
    v1::TablePresence* present = request.add_present();
    present->set_table(Bytes(table.uuid));
    for (const PlayerId player : players) present->add_players(Bytes(player.uuid));
    stream->Write(request);
  }
  // Returns the persons who are connected, as the next frame with this list says.
  std::vector<std::string> NextConnected() {
    v1::TableFrame frame;
    do frame = Next();
    while (!frame.table().empty() && !frame.has_connected());
    return {frame.connected().players().begin(), frame.connected().players().end()};
  }
  // Returns the next frame. Empty messages are skipped.
  v1::TableFrame Next() {
    while (frames.empty()) {
      v1::WatchTablesResponse response;
      if (!stream->Read(&response)) return {};
      for (const v1::TableFrame& frame : response.frames()) frames.push_back(frame);
    }
    v1::TableFrame frame = std::move(frames.front());
    frames.pop_front();
    return frame;
  }

  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::WatchTablesRequest, v1::WatchTablesResponse>> stream;
  std::deque<v1::TableFrame> frames;
  bool finished = false;
};

absl::Status EndOf(const v1::TableFrame& frame) {
  TAROT_CHECK(frame.has_end());
  return status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(frame.end().code()),
                                       frame.end().message(), frame.end().SerializeAsString()));
}

// Returns the bytes of a seat's view. Makes them from a frame in the same way as a gateway does.
std::string ViewFromFrame(const v1::TableFrame& frame, const TableState& state, rules::Seat seat) {
  for (const v1::SeatPart& part : frame.seats()) {
    if (part.player() != Bytes(state.config->seats[static_cast<std::size_t>(seat)].player.uuid)) {
      continue;
    }
    return frame.shared() + part.own();
  }
  return frame.shared();
}

std::string Response(const TableState& state, rules::Seat viewer) {
  std::vector<grpc::Slice> slices;
  const EncodedTable encoded(std::make_shared<const TableState>(state));
  TAROT_CHECK(encoded.Response(viewer).Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  v1::WatchTableResponse response;
  TAROT_CHECK(response.ParseFromString(bytes));
  return response.table().SerializeAsString();
}

std::string Canonical(const std::string& table_bytes) {
  v1::Table table;
  TAROT_CHECK(table.ParseFromString(table_bytes));
  return table.SerializeAsString();
}

TEST(TableFeedTest, ShowsEveryViewOfAMatchUntilItsEnd) {
  FeedFixture fixture;
  const TableId table = fixture.NewTable();
  Feed feed(fixture);
  feed.Add(table);
  v1::TableFrame frame = feed.Next();
  EXPECT_EQ(frame.revision(), 0);
  while (!fixture.State(table)->match.Finished()) {
    fixture.Move(table);
    frame = feed.Next();
    const std::shared_ptr<const TableState> state = fixture.State(table);
    ASSERT_EQ(frame.table(), Bytes(table.uuid));
    ASSERT_EQ(frame.revision(), state->revision);
    ASSERT_THAT(frame.seats(), SizeIs(3)) << "A bot gets no part of its own.";
    for (const rules::Seat seat : {0, 1, 2}) {
      ASSERT_EQ(Canonical(ViewFromFrame(frame, *state, seat)), Response(*state, seat));
    }
    ASSERT_EQ(Canonical(frame.shared()), Response(*state, rules::kNoSeat));
  }
  EXPECT_THAT(EndOf(frame.has_end() ? frame : feed.Next()), IsOk());
}

TEST(TableFeedTest, TellsEachGatewayThePersonsWhoWatchAtAllGateways) {
  FeedFixture fixture;
  const TableId table = fixture.NewTable();
  const auto player = [state = fixture.State(table)](std::size_t seat) {
    return state->config->seats[seat].player;
  };
  const std::string first = Bytes(player(0).uuid), second = Bytes(player(1).uuid);
  Feed feed(fixture);
  feed.Add(table);
  const v1::TableFrame frame = feed.Next();
  EXPECT_FALSE(frame.has_connected()) << "The gateway has not said yet who watches there.";
  ASSERT_THAT(frame.seats(), SizeIs(3));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(frame.seats(i).seat(), static_cast<std::uint32_t>(i));
  feed.Present(table, {player(0)});
  EXPECT_THAT(feed.NextConnected(), testing::ElementsAre(first));
  {
    Feed other(fixture);
    other.Add(table);
    other.Present(table, {player(1)});
    EXPECT_THAT(other.NextConnected(), testing::UnorderedElementsAre(first, second));
    EXPECT_THAT(feed.NextConnected(), testing::UnorderedElementsAre(first, second));
  }
  // The stream of the other gateway is over.
  EXPECT_THAT(feed.NextConnected(), testing::ElementsAre(first));
  feed.Present(table, {});
  EXPECT_THAT(feed.NextConnected(), IsEmpty());
}

TEST(TableFeedTest, RefusesMalformedReportsOfPersons) {
  FeedFixture fixture;
  for (const bool many : {false, true}) {
    Feed feed(fixture);
    v1::WatchTablesRequest request;
    v1::TablePresence* present = request.add_present();
    present->set_table(std::string(16, 't'));
    for (int i = 0; i < (many ? 6 : 1); ++i) present->add_players(std::string(many ? 16 : 5, 'p'));
    feed.stream->Write(request);
    EXPECT_THAT(feed.Finish(), HasReason("BAD_REQUEST"));
  }
}

TEST(TableFeedTest, ManyTablesShareTheStream) {
  FeedFixture fixture;
  Feed feed(fixture);
  std::map<std::string, int> revisions;
  std::vector<TableId> tables;
  for (int i = 0; i < 50; ++i) {
    tables.push_back(fixture.NewTable());
    feed.Add(tables.back());
  }
  for (const TableId table : tables) fixture.Move(table);
  while (
      revisions.size() < tables.size() ||
      std::any_of(revisions.begin(), revisions.end(), [](const auto& r) { return r.second < 1; })) {
    const v1::TableFrame frame = feed.Next();
    ASSERT_FALSE(frame.table().empty());
    ASSERT_GE(frame.revision(), revisions[frame.table()]);
    revisions[frame.table()] = frame.revision();
  }
}

TEST(TableFeedTest, SkipsKnownRevisionsAndRemovedTables) {
  FeedFixture fixture;
  const TableId known = fixture.NewTable();
  const TableId other = fixture.NewTable();
  Feed feed(fixture);
  feed.Add(known, 0);
  feed.Add(other);
  EXPECT_EQ(feed.Next().table(), Bytes(other.uuid));
  fixture.Move(known);
  EXPECT_EQ(feed.Next().revision(), 1);
  feed.Remove(known);
  // The feed handles the requests in order: first Remove, then Add. So if the next frame shows the
  // table `other`, the feed has handled Remove.
  feed.Add(other);
  EXPECT_EQ(feed.Next().table(), Bytes(other.uuid));
  fixture.Move(known);
  fixture.Move(other);
  EXPECT_EQ(feed.Next().table(), Bytes(other.uuid));
  EXPECT_EQ((*fixture.memory.Get(known))->watcher_count(), 0u);
}

TEST(TableFeedTest, AnUnknownTableEndsOnlyItsSubscription) {
  FeedFixture fixture;
  const TableId table = fixture.NewTable();
  Feed feed(fixture);
  feed.Add(TableId{fixture.entropy.NewUuid()});
  EXPECT_THAT(EndOf(feed.Next()), HasReason("TABLE_NOT_FOUND"));
  feed.Add(table);
  EXPECT_EQ(feed.Next().revision(), 0);
}

TEST(TableFeedTest, ASlowGatewayGetsTheNewestFramesOnly) {
  FeedFixture fixture;
  Feed feed(fixture);
  std::vector<TableId> tables;
  // The frames of 60 matches do not fit into the buffers of HTTP/2.
  for (int i = 0; i < 60; ++i) {
    const TableId table = fixture.NewTable();
    tables.push_back(table);
    feed.Add(table);
    ASSERT_EQ(feed.Next().table(), Bytes(table.uuid));
  }
  std::map<std::string, int> last;
  for (const TableId table : tables) {
    while (!fixture.State(table)->match.Finished()) fixture.Move(table);
    last[Bytes(table.uuid)] = fixture.State(table)->revision;
  }
  int moves = 0;
  for (const auto& [table, revision] : last) moves += revision;
  int frames = 0;  // Frames with a view.
  std::map<std::string, int> seen;
  for (std::size_t ended = 0; ended < tables.size();) {
    const v1::TableFrame frame = feed.Next();
    if (frame.has_end()) ++ended;
    if (frame.shared().empty()) continue;
    ++frames;
    seen[frame.table()] = frame.revision();
  }
  EXPECT_EQ(seen, last);
  EXPECT_LT(frames, moves);
  EXPECT_GT(fixture.metrics.feed_frames_replaced.Value(), 0);
}

TEST(TableFeedTest, SendsAMessageEachSecond) {
  FeedFixture fixture;
  Feed feed(fixture);
  v1::WatchTablesResponse response;
  ASSERT_TRUE(feed.stream->Read(&response));
  EXPECT_THAT(response.frames(), IsEmpty());
  ASSERT_TRUE(feed.stream->Read(&response));
}

TEST(TableFeedTest, HeardReportsMessagesOfAnyGateway) {
  FeedFixture fixture;
  EXPECT_FALSE(fixture.service.Heard());
  Feed feed(fixture), quiet(fixture);
  v1::WatchTablesResponse response;
  ASSERT_TRUE(feed.stream->Read(&response));
  ASSERT_TRUE(quiet.stream->Read(&response));
  EXPECT_FALSE(fixture.service.Heard()) << "An open stream alone is no message.";
  feed.stream->Write({});
  feed.Add(TableId{fixture.entropy.NewUuid()});
  feed.Next();  // The service has now read both requests.
  EXPECT_TRUE(fixture.service.Heard());
  EXPECT_FALSE(fixture.service.Heard());
}

TEST(TableFeedTest, RefusesPlayersAndMalformedRequests) {
  FeedFixture fixture;
  Feed player(fixture, {.player = PlayerId{fixture.entropy.NewUuid()}});
  v1::WatchTablesResponse response;
  EXPECT_FALSE(player.stream->Read(&response));
  EXPECT_THAT(player.Finish(), HasReason("NOT_A_SERVICE"));
  Feed strange(fixture);
  v1::WatchTablesRequest request;
  request.add_add()->set_table("short");
  strange.stream->Write(request);
  while (strange.stream->Read(&response)) {
  }
  EXPECT_THAT(strange.Finish(), HasReason("BAD_REQUEST"));
}

// The service must ignore all moves on a stream whose caller is not a service.
TEST(TableFeedTest, IgnoresMovesOfStrangers) {
  FeedFixture fixture;
  for (int i = 0; i < 100; ++i) {
    grpc::ClientContext context;
    if (i % 2 == 0) fixture.identity.Sign(context, {.player = PlayerId{fixture.entropy.NewUuid()}});
    const auto stream = fixture.stub->SubmitActions(&context);
    v1::SubmitActionsRequest request;
    v1::PlayerCall* const call = request.add_calls();
    call->set_player(std::string(16, 'p'));
    call->set_timeout_ms(10'000);
    // The request is sent with the headers, so it may arrive before the server refuses the stream.
    stream->Write(request);
    v1::SubmitActionsResponse response;
    while (stream->Read(&response)) EXPECT_EQ(response.answers_size(), 0);
    const absl::Status status = status::FromGrpc(stream->Finish());
    EXPECT_THAT(status, HasReason(i % 2 == 0 ? "NOT_A_SERVICE" : "BAD_TOKEN"));
  }
  EXPECT_EQ(fixture.moves, 0);
}

TEST(TableFeedTest, EndStreamsEndsEveryFeed) {
  FeedFixture fixture;
  const TableId table = fixture.NewTable();
  Feed feed(fixture);
  feed.Add(table);
  ASSERT_EQ(feed.Next().revision(), 0);
  fixture.service.EndStreams();
  EXPECT_EQ(feed.Next().table(), "");
  EXPECT_THAT(feed.Finish(), HasReason("SHUTTING_DOWN"));
  Feed late(fixture);
  EXPECT_EQ(late.Next().table(), "");
  // The client sees the end of the stream a little before the server.
  const auto watchers = [&] { return (*fixture.memory.Get(table))->watcher_count(); };
  for (int i = 0; i < 1000 && watchers() > 0; ++i) usleep(5000);
  EXPECT_EQ(watchers(), 0u);
}

// This test finds objects that are used after a disconnect has destroyed them. Run it under
// AddressSanitizer.
TEST(TableFeedTest, GatewaysMayDisconnectAtAnyMoment) {
  FeedFixture fixture;
  std::vector<TableId> tables;
  for (int i = 0; i < 10; ++i) tables.push_back(fixture.NewTable());
  std::atomic<bool> stopping = false;
  std::thread play([&] {
    while (!stopping) {
      for (const TableId table : tables) {
        if (!fixture.State(table)->match.Finished()) fixture.Move(table);
      }
    }
  });
  Rng rng(2);
  for (int i = 0; i < 60; ++i) {
    Feed feed(fixture);
    for (const TableId table : tables) feed.Add(table);
    if (rng.Below(2) == 0) feed.Remove(tables[0]);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(5000)));
    if (rng.Below(2) == 0) (void)feed.Next();
  }
  stopping = true;
  play.join();
  for (int i = 0; i < 1000 && fixture.metrics.feeds_open.Value() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(fixture.metrics.feeds_open.Value(), 0);
  for (const TableId table : tables) EXPECT_EQ((*fixture.memory.Get(table))->watcher_count(), 0u);
}

}  // namespace
}  // namespace tarot::rules_service
