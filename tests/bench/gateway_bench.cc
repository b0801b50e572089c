// Measures the cost of forwarding: unary calls per second to a service, directly and through the
// gateway, in one run on one machine. Prints a JSON list of {name, value, unit}.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/call.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::Duration kSpan = absl::Seconds(3);

// Keeps `in_flight` calls running for kSpan, then waits for the last answers.
class Load {
 public:
  Load(const std::shared_ptr<grpc::Channel>& channel, std::string key, std::string value)
      : stub_(channel), key_(std::move(key)), value_(std::move(value)) {
    request_.set_name("tables/00000000-0000-4000-8000-000000000001");
  }

  double CallsPerSecond(int in_flight) {
    const absl::Time start = clock_.Now();
    end_ = start + kSpan;
    done_ = 0;
    running_ = in_flight;
    for (int i = 0; i < in_flight; ++i) Call();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    return static_cast<double>(done_) / absl::ToDoubleSeconds(clock_.Now() - start);
  }

 private:
  struct State {
    grpc::ClientContext context;
    rules::v1::GetTableResponse response;
  };

  void Call() {
    const auto state = std::make_shared<State>();
    state->context.AddMetadata(key_, value_);
    stub_.async()->GetTable(&state->context, &request_, &state->response,
                            [this, state](const grpc::Status& status) {
                              if (!status.ok()) std::abort();
                              const bool again = clock_.Now() < end_;
                              if (again) Call();
                              const std::lock_guard lock(mutex_);
                              ++done_;
                              if (!again && --running_ == 0) idle_.notify_all();
                            });
  }

  RealClock clock_;
  rules::v1::TableService::Stub stub_;
  const std::string key_;
  const std::string value_;
  rules::v1::GetTableRequest request_;
  absl::Time end_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
  long done_ = 0;
};

void Run() {
  GatewayFixture fixture([](Options& options) {
    options.calls_per_second = options.address_calls_per_second = 1e9;
    options.call_burst = 1e9;
  });
  const rpc::KeyRing keys({{.id = "in", .secret = std::string(32, 'i')}});
  const rpc::Caller anna = {.player = *PlayerId::Parse("00000000-0000-4000-8000-000000000001"),
                            .display_name = "Anna"};
  Load direct(rpc::MakeChannel(fixture.rules.address()), rpc::kCallerMetadata,
              keys.Sign(anna, absl::InfiniteFuture()));
  Load through(fixture.channel, "authorization", absl::StrCat("Bearer ", fixture.SignIn()));
  std::printf("[");
  const char* separator = "";
  for (const int in_flight : {1, 64}) {
    const double direct_rate = direct.CallsPerSecond(in_flight);
    const double through_rate = through.CallsPerSecond(in_flight);
    std::printf("%s\n{\"name\": \"unary_direct_%d\", \"value\": %.0f, \"unit\": \"calls/s\"},",
                separator, in_flight, direct_rate);
    std::printf("\n{\"name\": \"unary_gateway_%d\", \"value\": %.0f, \"unit\": \"calls/s\"},",
                in_flight, through_rate);
    std::printf("\n{\"name\": \"unary_gateway_share_%d\", \"value\": %.3f, \"unit\": \"ratio\"}",
                in_flight, through_rate / direct_rate);
    separator = ",";
  }
  std::printf("\n]\n");
}

}  // namespace
}  // namespace tarot::gateway_service

int main() { tarot::gateway_service::Run(); }
