#include "services/gateway/testing/gateway_fixture.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"

namespace tarot::gateway_service {
namespace {

std::string Secret(char letter) { return std::string(32, letter); }

rpc::KeyRing InternalKeys() { return rpc::KeyRing({{.id = "in", .secret = Secret('i')}}); }

void WriteKeyFile(const std::string& path, const std::string& lines) {
  // A rename replaces the file in one step, as operators do it.
  const std::string fresh = path + ".new";
  std::ofstream(fresh) << lines;
  TAROT_CHECK(::chmod(fresh.c_str(), 0600) == 0);
  std::filesystem::rename(fresh, path);
}

std::string Bytes(const Uuid& id) {
  return {reinterpret_cast<const char*>(id.bytes().data()), id.bytes().size()};
}

// Returns the part of a table at `revision` that all players see, as bytes.
std::string SharedAt(int revision) {
  rules::v1::Table table;
  table.set_name("fake");
  table.set_revision(revision);
  return table.SerializeAsString();
}

// A call that gets no answer. It ends when its caller cancels it.
class Never final : public grpc::ServerUnaryReactor {
 public:
  explicit Never(std::atomic<int>& cancelled) : cancelled_(cancelled) {}

 private:
  void OnCancel() override {
    ++cancelled_;
    Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

  std::atomic<int>& cancelled_;
};

}  // namespace

FakeTables::FakeTables(Clock& clock) : clock_(clock), authenticator_(InternalKeys(), clock) {}

grpc::ServerUnaryReactor* FakeTables::GetTable(grpc::CallbackServerContext* context,
                                               const rules::v1::GetTableRequest* request,
                                               rules::v1::GetTableResponse* response) {
  ++gets;
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (const absl::Status status = Note(*context); !status.ok()) {
    reactor->Finish(status::ToGrpc(status));
  } else if (request->name() == never) {
    return new Never(cancelled_gets);
  } else {
    response->mutable_table()->set_name(request->name());
    reactor->Finish(on_get());
  }
  return reactor;
}

grpc::ServerUnaryReactor* FakeTables::ListTables(grpc::CallbackServerContext* context,
                                                 const rules::v1::ListTablesRequest* request,
                                                 rules::v1::ListTablesResponse* /*response*/) {
  if (request->page_token() == kNeverToken) {
    ++waiting_lists;
    return new Never(cancelled_lists);
  }
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish({grpc::StatusCode::UNIMPLEMENTED, ""});
  return reactor;
}

absl::Status FakeTables::Note(const grpc::CallbackServerContext& context) {
  const absl::StatusOr<rpc::Caller> caller = authenticator_.Authenticate(
      context, "tarot.rules.v1.TableService/GetTable", rpc::Access::kPlayer);
  if (!caller.ok()) return caller.status();
  Seen seen = {.caller = *caller};
  for (const auto& [key, value] : context.client_metadata()) {
    seen.metadata.emplace(std::string(key.data(), key.size()),
                          std::string(value.data(), value.size()));
  }
  const gpr_timespec left =
      gpr_time_sub(gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC),
                   gpr_now(GPR_CLOCK_MONOTONIC));
  seen.deadline = absl::Milliseconds(gpr_time_to_millis(left));
  const std::lock_guard lock(mutex_);
  seen_ = std::move(seen);
  return absl::OkStatus();
}

Seen FakeTables::last_seen() {
  const std::lock_guard lock(mutex_);
  return seen_;
}

grpc::ServerWriteReactor<bot::v1::AnalyzeDealResponse>* FakeAnalyses::AnalyzeDeal(
    grpc::CallbackServerContext* /*context*/, const bot::v1::AnalyzeDealRequest* /*request*/) {
  class Silent final : public grpc::ServerWriteReactor<bot::v1::AnalyzeDealResponse> {
    void OnCancel() override { Finish(grpc::Status::CANCELLED); }
    void OnDone() override { delete this; }
  };
  ++waiting;
  return new Silent();
}

// One open stream. It writes the frames of its tables in the order of Offer().
class FakeFeeds::Feed final
    : public rpc::ServerBidiStream<rules::v1::WatchTablesRequest, rules::v1::WatchTablesResponse> {
 public:
  static std::shared_ptr<Feed> Open(FakeFeeds& owner) {
    const std::shared_ptr<Feed> feed(new Feed(owner));
    feed->ShowLife();
    feed->Begin();
    return feed;
  }

  // The caller must hold the owner's mutex, which also guards `tables`.
  void Offer(const rules::v1::TableFrame& frame) {
    if (tables.count(frame.table()) == 0) return;
    if (frame.has_end()) tables.erase(frame.table());
    {
      const std::lock_guard lock(mutex());
      waiting_.push_back(frame);
    }
    Advance();
  }
  std::set<std::string> tables;

 private:
  explicit Feed(FakeFeeds& owner)
      : ServerBidiStream(owner.calls_.Method("tarot.rules.v1.TableFeedService/WatchTables")),
        owner_(owner) {}

  void ShowLife() {
    const std::lock_guard lock(mutex());
    life_due_ = !owner_.mute;
  }
  bool OnRequest(rules::v1::WatchTablesRequest& request) override {
    const std::lock_guard lock(owner_.mutex_);
    for (const std::string& table : request.remove()) tables.erase(table);
    for (const auto& present : request.present()) {
      owner_.present_[present.table()] = present.players_size();
      const auto connected = owner_.connected_.find(present.table());
      if (connected != owner_.connected_.end()) Offer(connected->second);
    }
    for (const auto& add : request.add()) {
      tables.insert(add.table());
      const auto [found, fresh] = owner_.frames_.try_emplace(add.table());
      if (fresh) {
        found->second.set_table(add.table());
        found->second.set_shared(SharedAt(0));
      }
      if (found->second.has_end() || found->second.revision() > add.after_revision()) {
        Offer(found->second);
      }
    }
    ShowLife();
    return true;
  }
  void OnRequestsDone() override { Close(absl::UnavailableError("gone")); }
  bool TakeLocked() override {
    const bool life = std::exchange(life_due_, false);
    taken_.swap(waiting_);
    return life || !taken_.empty();
  }
  void Fill(rules::v1::WatchTablesResponse& response) override {
    response.Clear();
    for (const rules::v1::TableFrame& frame : taken_) *response.add_frames() = frame;
    taken_.clear();
  }
  void DropLocked() override { waiting_.clear(); }
  void OnOver() override {
    const std::lock_guard lock(owner_.mutex_);
    owner_.feeds_.erase(std::static_pointer_cast<Feed>(shared_from_this()));
  }

  FakeFeeds& owner_;
  bool life_due_ = false;
  std::vector<rules::v1::TableFrame> waiting_, taken_;
};

rpc::BidiCall<rules::v1::WatchTablesRequest, rules::v1::WatchTablesResponse>*
FakeFeeds::WatchTables(grpc::CallbackServerContext*) {
  const auto feed = Feed::Open(*this);
  const std::lock_guard lock(mutex_);
  ++opened;
  feeds_.insert(feed);
  return feed.get();
}

void FakeFeeds::Send(const rules::v1::TableFrame& frame) {
  const std::lock_guard lock(mutex_);
  frames_[frame.table()] = frame;
  for (const auto& feed : feeds_) feed->Offer(frame);
}

void FakeFeeds::Show(TableId table, int revision, const std::vector<Own>& owns) {
  rules::v1::TableFrame frame;
  frame.set_table(Bytes(table.uuid));
  frame.set_revision(revision);
  frame.set_shared(SharedAt(revision));
  for (const Own& own : owns) {
    rules::v1::SeatPart* part = frame.add_seats();
    part->set_player(Bytes(own.player.uuid));
    part->set_own(own.bytes);
    part->set_seat(static_cast<std::uint32_t>(frame.seats_size() - 1));
  }
  Send(frame);
}

void FakeFeeds::ShowConnected(TableId table, const std::vector<PlayerId>& players) {
  rules::v1::TableFrame frame;
  frame.set_table(Bytes(table.uuid));
  frame.mutable_connected();
  for (const PlayerId& player : players) frame.mutable_connected()->add_players(Bytes(player.uuid));
  const std::lock_guard lock(mutex_);
  connected_[frame.table()] = frame;
  for (const auto& feed : feeds_) feed->Offer(frame);
}

int FakeFeeds::present(TableId table) {
  const std::lock_guard lock(mutex_);
  const auto found = present_.find(Bytes(table.uuid));
  return found == present_.end() ? -1 : found->second;
}

void FakeFeeds::ShowBytes(TableId table, int revision, const std::string& shared) {
  rules::v1::TableFrame frame;
  frame.set_table(Bytes(table.uuid));
  frame.set_revision(revision);
  frame.set_shared(shared);
  Send(frame);
}

void FakeFeeds::End(TableId table, const absl::Status& status) {
  rules::v1::TableFrame frame;
  frame.set_table(Bytes(table.uuid));
  TAROT_CHECK(frame.mutable_end()->ParseFromString(status::ToGrpc(status).error_details()));
  Send(frame);
}

void FakeFeeds::Drop() {
  const std::lock_guard lock(mutex_);
  for (const auto& feed : feeds_) feed->CloseNow(absl::UnavailableError("gone"));
}

std::size_t FakeFeeds::wanted() {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& feed : feeds_) count += feed->tables.size();
  return count;
}

void FakeNodes::Tell(const std::vector<std::string>& addresses) {
  rules::v1::WatchNodesResponse response;
  for (const std::string& address : addresses) response.add_nodes()->set_address(address);
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) stream->Offer(response);
}

rpc::WriteCall<rules::v1::WatchNodesResponse>* FakeNodes::WatchNodes(
    grpc::CallbackServerContext*, const rules::v1::WatchNodesRequest*) {
  const auto stream = Stream::Create(calls_.Method("tarot.rules.v1.NodeService/WatchNodes"));
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
  return stream.get();
}

std::vector<std::string> FakePlayerAdmin::subjects() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> subjects;
  for (const ratings::v1::Revocation& each : stored_) subjects.push_back(each.subject());
  return subjects;
}

grpc::ServerUnaryReactor* FakePlayerAdmin::RevokeTokens(
    grpc::CallbackServerContext* context, const ratings::v1::RevokeTokensRequest* request,
    ratings::v1::RevokeTokensResponse*) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (away) {
    reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone"));
    return reactor;
  }
  ratings::v1::Revocation revocation;
  revocation.set_subject(request->subject());
  if (request->has_latest_sign_in_time()) {
    *revocation.mutable_latest_sign_in_time() = request->latest_sign_in_time();
  }
  *revocation.mutable_expire_time() = request->expire_time();
  {
    const std::lock_guard lock(mutex_);
    stored_.push_back(revocation);
  }
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

// Each page has at most one row, so that the gateway must ask for further pages.
grpc::ServerUnaryReactor* FakePlayerAdmin::GetRevocations(
    grpc::CallbackServerContext* context, const ratings::v1::GetRevocationsRequest* request,
    ratings::v1::GetRevocationsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (away) {
    reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone"));
    return reactor;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto last = static_cast<std::int64_t>(stored_.size());
    const bool more = request->after_sequence() < last;
    response->set_last_sequence(last);
    response->set_known_sequence(more ? request->after_sequence() + 1 : last);
    if (more) {
      *response->add_revocations() = stored_[static_cast<std::size_t>(request->after_sequence())];
    }
    if (limits_) {
      response->mutable_limits();
      for (const auto& [name, value] : *limits_) {
        ratings::v1::GatewayLimit& limit = *response->mutable_limits()->add_limits();
        limit.set_name(name);
        limit.set_value(value);
      }
    }
  }
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

void FakePlayerAdmin::Ban(const std::string& player, absl::Time end_time,
                          const std::string& message) {
  ratings::v1::Revocation ban;
  ban.set_subject(absl::StrCat("bans/", absl::StripPrefix(player, "players/")));
  ban.mutable_expire_time()->set_seconds(absl::ToUnixSeconds(end_time));
  ban.set_message(message);
  const std::lock_guard lock(mutex_);
  stored_.push_back(ban);
}

void FakePlayerAdmin::SetLimits(const std::map<std::string, double>& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void FakePlayerAdmin::SetRankedNames(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  ranked_names_ = names;
}

// Each page has at most one name. The length of a page token is the number of names so far.
grpc::ServerUnaryReactor* FakePlayerAdmin::ListRankedNames(
    grpc::CallbackServerContext* context, const ratings::v1::ListRankedNamesRequest* request,
    ratings::v1::ListRankedNamesResponse* response) {
  std::size_t at = request->page_token().size();
  {
    const std::lock_guard lock(mutex_);
    if (at < ranked_names_.size()) response->add_names(ranked_names_[at++]);
    if (at < ranked_names_.size()) response->set_next_page_token(std::string(at, 'x'));
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(away ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone") : grpc::Status::OK);
  return reactor;
}

namespace {

// The recovery code of every new account.
constexpr char kFirstCode[] = "first code";

grpc::ServerUnaryReactor* Finished(grpc::CallbackServerContext* context,
                                   const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status::ToGrpc(status));
  return reactor;
}

absl::Status BadCredentials() {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_CREDENTIALS", "wrong");
}

}  // namespace

grpc::ServerUnaryReactor* FakeAccountAdmin::GetAccount(
    grpc::CallbackServerContext* context, const ratings::v1::GetAccountRequest* request,
    ratings::v1::GetAccountResponse* response) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, account] : accounts_) {
    if (account.player() != request->player()) continue;
    response->set_display_name(account.display_name());
    response->mutable_create_time()->set_seconds(7);
  }
  return Finished(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* FakeAccountAdmin::CreateAccount(
    grpc::CallbackServerContext* context, const ratings::v1::CreateAccountRequest* request,
    ratings::v1::CreateAccountResponse* response) {
  const std::lock_guard lock(mutex_);
  const auto [account, fresh] = accounts_.try_emplace(request->login_key(), *request);
  const bool own = account->second.player() == request->player();
  if (!own) {
    return Finished(context, Error(absl::StatusCode::kAlreadyExists, "NAME_TAKEN", "taken"));
  }
  if (account->second.passphrase() != request->passphrase()) {
    return Finished(context, Error(absl::StatusCode::kAlreadyExists, "ACCOUNT_EXISTS", "other"));
  }
  response->set_recovery_code(kFirstCode);
  response->set_display_name(account->second.display_name());
  return Finished(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* FakeAccountAdmin::CheckPassphrase(
    grpc::CallbackServerContext* context, const ratings::v1::CheckPassphraseRequest* request,
    ratings::v1::CheckPassphraseResponse* response) {
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(request->login_key());
  if (found == accounts_.end() || found->second.passphrase() != request->passphrase()) {
    return Finished(context, BadCredentials());
  }
  response->set_player(found->second.player());
  response->set_display_name(found->second.display_name());
  return Finished(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* FakeAccountAdmin::RecoverAccount(
    grpc::CallbackServerContext* context, const ratings::v1::RecoverAccountRequest* request,
    ratings::v1::RecoverAccountResponse* response) {
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(request->login_key());
  if (found == accounts_.end() || request->recovery_code() != kFirstCode) {
    return Finished(context, BadCredentials());
  }
  found->second.set_passphrase(request->new_passphrase());
  response->set_player(found->second.player());
  response->set_display_name(found->second.display_name());
  response->set_recovery_code("second code");
  return Finished(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* FakeAccountAdmin::ListAccountNames(
    grpc::CallbackServerContext* context, const ratings::v1::ListAccountNamesRequest*,
    ratings::v1::ListAccountNamesResponse* response) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, account] : accounts_) response->add_names(account.display_name());
  return Finished(context, absl::OkStatus());
}

std::string FakeReplica::address() const { return absl::StrCat("127.0.0.1:", port); }

void FakeReplica::Start() {
  TAROT_CHECK(Eventually([&] {  // After a stop the port may be busy for a moment.
    auto started = rpc::Server::Start(
        {.address = address(), .drain_timeout = absl::Milliseconds(50)},
        {&tables, &feeds, &nodes, &admin, &player_admin, &account_admin, &analyses});
    if (started.ok()) server = *std::move(started);
    return server != nullptr;
  }));
  port = server->port();
}

GatewayFixture::GatewayFixture(const std::function<void(Options&)>& change) {
  directory_ = std::filesystem::temp_directory_path() / "tarot_gateway_XXXXXX";
  TAROT_CHECK(::mkdtemp(directory_.data()) != nullptr);
  WriteGatewayKeys(TestKey("k1", 'a'));
  WriteKeyFile(directory_ + "/internal",
               absl::StrCat("in:", absl::Base64Escape(Secret('i')), "\n"));
  options_ = {.loopback_players = true,
              .lame_duck = absl::ZeroDuration(),
              .rules_address = rules.address(),
              .matchmaking_address = rules.address(),
              .ratings_address = rules.address(),
              .bot_address = rules.address(),
              .gateway_key_file = directory_ + "/gateway",
              .internal_key_file = directory_ + "/internal"};
  change(options_);
  gateway = StartGateway("127.0.0.1:0").value();
  channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", gateway->port()));
  sessions = v1::SessionService::NewStub(channel);
  stub = rules::v1::TableService::NewStub(channel);
}

absl::StatusOr<std::unique_ptr<rpc::Service>> GatewayFixture::StartGateway(
    const std::string& listen_address) {
  Options options = options_;
  options.listen_address = listen_address;
  return StartService(options, {time, time, entropy_, registry_});
}

GatewayFixture::~GatewayFixture() {
  gateway->Shutdown();
  std::filesystem::remove_all(directory_);
}

bool GatewayFixture::Eventually(const std::function<bool()>& condition) {
  return gateway_service::Eventually([&] {
    if (condition()) return true;
    time.Advance(absl::Milliseconds(100));
    return false;
  });
}

std::string GatewayFixture::SignIn(const std::string& name) {
  grpc::ClientContext context;
  v1::CreateGuestSessionRequest request;
  request.set_display_name(name);
  v1::CreateGuestSessionResponse response;
  TAROT_CHECK(sessions->CreateGuestSession(&context, request, &response).ok());
  return response.session().token();
}

absl::Status GatewayFixture::GetTable(const std::string& token, const std::string& name,
                                      absl::Duration timeout) {
  grpc::ClientContext context;
  rpc::SetTimeout(context, timeout);
  if (!token.empty()) AddToken(context, token);
  rules::v1::GetTableRequest request;
  request.set_name(name);
  rules::v1::GetTableResponse response;
  const grpc::Status status = stub->GetTable(&context, request, &response);
  if (status.ok()) TAROT_CHECK(response.table().name() == name);
  return status::FromGrpc(status);
}

void GatewayFixture::WriteGatewayKeys(const std::string& lines) {
  WriteKeyFile(directory_ + "/gateway", lines);
}

double GatewayFixture::Metric(const std::string& name, const std::string& label) {
  for (const prometheus::MetricFamily& family : registry_->Collect()) {
    if (family.name != name) continue;
    for (const prometheus::ClientMetric& metric : family.metric) {
      bool wanted = label.empty();
      for (const auto& each : metric.label) wanted = wanted || each.value == label;
      if (!wanted) continue;
      return family.type == prometheus::MetricType::Gauge ? metric.gauge.value
                                                          : metric.counter.value;
    }
  }
  return -1;
}

void AddToken(grpc::ClientContext& context, const std::string& token) {
  context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
}

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string TestKey(const std::string& kid, char letter) {
  return absl::StrCat(kid, ":", absl::Base64Escape(Secret(letter)), "\n");
}

}  // namespace tarot::gateway_service
