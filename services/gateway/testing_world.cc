#include "services/gateway/testing_world.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/rpc/channel.h"
#include "libs/status/wire.h"

namespace tarot::gateway {
namespace {

std::string Secret(char letter) { return std::string(32, letter); }

rpc::KeyRing InternalKeys() { return rpc::KeyRing({{.id = "in", .secret = Secret('i')}}); }

void WriteKeyFile(const std::string& path, const std::string& lines) {
  const std::string fresh = path + ".new";  // Moved into place, as an operator would.
  std::ofstream(fresh) << lines;
  TAROT_CHECK(::chmod(fresh.c_str(), 0600) == 0);
  std::filesystem::rename(fresh, path);
}

// Ends when the caller goes away.
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
  } else if (request->name() == kNever) {
    return new Never(cancelled_gets);
  } else {
    response->mutable_table()->set_name(request->name());
    reactor->Finish(on_get());
  }
  return reactor;
}

grpc::ServerWriteReactor<rules::v1::WatchTableResponse>* FakeTables::WatchTable(
    grpc::CallbackServerContext* context, const rules::v1::WatchTableRequest*) {
  const auto stream =
      TableStream::Create(clock_, calls_.Method("tarot.rules.v1.TableService/WatchTable"));
  stream->set_on_done([this] { ++ended_watches; });
  if (const absl::Status status = Note(*context); !status.ok()) {
    stream->Close(status);
  } else {
    on_watch(stream);
  }
  return stream.get();
}

absl::Status FakeTables::Note(const grpc::CallbackServerContext& context) {
  const absl::StatusOr<rpc::Caller> caller =
      authenticator_.Authenticate(context, rpc::Access::kPlayer);
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

World::World(const std::function<void(Options&)>& change) {
  directory_ = std::filesystem::temp_directory_path() / "tarot_gateway_XXXXXX";
  TAROT_CHECK(::mkdtemp(directory_.data()) != nullptr);
  WriteGatewayKeys(TestKey("k1", 'a'));
  WriteKeyFile(directory_ + "/internal",
               absl::StrCat("in:", absl::Base64Escape(Secret('i')), "\n"));
  StartBackend();
  const std::string backend_address = absl::StrCat("127.0.0.1:", backend_port);
  Options options = {.listen_address = "127.0.0.1:0",
                     .rules_address = backend_address,
                     .matchmaking_address = backend_address,
                     .ratings_address = backend_address,
                     .gateway_key_file = directory_ + "/gateway",
                     .internal_key_file = directory_ + "/internal"};
  change(options);
  gateway = Service::Start(options, time, time, entropy_, registry_).value();
  channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", gateway->port()));
  sessions = v1::SessionService::NewStub(channel);
  stub = rules::v1::TableService::NewStub(channel);
}

World::~World() {
  gateway->Shutdown();
  StopBackend();
  std::filesystem::remove_all(directory_);
}

void World::StopBackend() { backend_.reset(); }

void World::StartBackend() {
  const std::string address = absl::StrCat("127.0.0.1:", backend_port);
  TAROT_CHECK(Eventually([&] {  // After a stop the port may be busy for a moment.
    auto started = rpc::Server::Start({.address = address, .drain_timeout = absl::Milliseconds(50)},
                                      {&tables, &admin_});
    if (started.ok()) backend_ = *std::move(started);
    return backend_ != nullptr;
  }));
  backend_port = backend_->port();
}

std::string World::SignIn(const std::string& name) {
  grpc::ClientContext context;
  v1::CreateGuestSessionRequest request;
  request.set_display_name(name);
  v1::CreateGuestSessionResponse response;
  TAROT_CHECK(sessions->CreateGuestSession(&context, request, &response).ok());
  return response.session().token();
}

absl::Status World::GetTable(const std::string& token, const std::string& name,
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

void World::WriteGatewayKeys(const std::string& lines) {
  WriteKeyFile(directory_ + "/gateway", lines);
}

double World::Metric(const std::string& name, const std::string& label) {
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

}  // namespace tarot::gateway
