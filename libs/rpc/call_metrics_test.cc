#include "libs/rpc/call_metrics.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <prometheus/text_serializer.h>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"

namespace tarot::rpc {
namespace {

using testing::HasSubstr;

std::string Text(const prometheus::Registry& registry) {
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

const google::protobuf::ServiceDescriptor& Service() {
  return *matchmaking::v1::CreateTicketRequest::descriptor()->file()->service(0);
}

TEST(CallMetricsTest, RegistersEveryMethodAtZero) {
  prometheus::Registry registry;
  CallMetrics metrics(Side::kServer, registry);
  metrics.Register(Service());
  const std::string text = Text(registry);
  EXPECT_THAT(text, HasSubstr("grpc_server_started_total{grpc_method=\"CreateTicket\","
                              "grpc_service=\"tarot.matchmaking.v1.MatchmakingService\","
                              "grpc_type=\"unary\"} 0"));
  EXPECT_THAT(text, HasSubstr("grpc_server_handled_total{grpc_code=\"DeadlineExceeded\","
                              "grpc_method=\"WatchTicket\","
                              "grpc_service=\"tarot.matchmaking.v1.MatchmakingService\","
                              "grpc_type=\"server_stream\"} 0"));
}

TEST(CallMetricsTest, CountsACall) {
  prometheus::Registry registry;
  CallMetrics metrics(Side::kClient, registry);
  metrics.Register(Service());
  const MethodMetrics method =
      metrics.Method("tarot.matchmaking.v1.MatchmakingService/CreateTicket");
  method.Started();
  method.MessageReceived();
  method.MessageSent();
  method.Handled(absl::StatusCode::kCancelled, absl::Seconds(3));
  method.Handled(static_cast<absl::StatusCode>(99), absl::Seconds(3));
  const std::string labels =
      "grpc_method=\"CreateTicket\",grpc_service=\"tarot.matchmaking.v1.MatchmakingService\","
      "grpc_type=\"unary\"";
  const std::string text = Text(registry);
  for (const char* series : {"started", "msg_received", "msg_sent"}) {
    EXPECT_THAT(text, HasSubstr(std::string("grpc_client_") + series + "_total{" + labels + "} 1"));
  }
  EXPECT_THAT(text, HasSubstr("handled_total{grpc_code=\"Canceled\"," + labels + "} 1"));
  EXPECT_THAT(text, HasSubstr("handled_total{grpc_code=\"Unknown\"," + labels + "} 1"));
  EXPECT_THAT(text, HasSubstr("handling_seconds_count{" + labels + "} 2"));
  EXPECT_THAT(text, HasSubstr("handling_seconds_sum{" + labels + "} 6"));
}

TEST(CallMetricsTest, CountsTheReasonsOfUnavailable) {
  prometheus::Registry registry;
  CallMetrics metrics(Side::kServer, registry);
  const MethodMetrics method = metrics.Method("s/M");
  const auto end = [&](absl::StatusCode code, const std::string& reason) {
    method.Handled(Error(code, reason, "text"), absl::ZeroDuration());
  };
  end(absl::StatusCode::kUnavailable, "STORAGE_AWAY");
  end(absl::StatusCode::kNotFound, "STORAGE_AWAY");
  method.Handled(absl::UnavailableError("without a reason"), absl::ZeroDuration());
  // Only 40 reasons have a series of their own. All later reasons share the series "other".
  for (int i = 0; i < 100; ++i) end(absl::StatusCode::kUnavailable, absl::StrCat("REASON_", i));
  const std::string text = Text(registry);
  EXPECT_THAT(text, HasSubstr("tarot_rpc_unavailable_total{reason=\"STORAGE_AWAY\"} 1"));
  EXPECT_THAT(text, HasSubstr("tarot_rpc_unavailable_total{reason=\"none\"} 1"));
  EXPECT_THAT(text, HasSubstr("tarot_rpc_unavailable_total{reason=\"REASON_0\"} 1"));
  EXPECT_THAT(text, HasSubstr("tarot_rpc_unavailable_total{reason=\"other\"} 64"));
  EXPECT_THAT(text, HasSubstr("handled_total{grpc_code=\"Unavailable\",grpc_method=\"M\","
                              "grpc_service=\"s\",grpc_type=\"unary\"} 102"));
}

// In all_in_one, several services of one process share a registry.
TEST(CallMetricsTest, TwoHandlesOfAMethodShareItsSeries) {
  prometheus::Registry registry;
  CallMetrics first(Side::kServer, registry);
  CallMetrics second(Side::kServer, registry);
  first.Method("s/M").Started();
  second.Method("s/M").Started();
  EXPECT_THAT(
      Text(registry),
      HasSubstr("started_total{grpc_method=\"M\",grpc_service=\"s\",grpc_type=\"unary\"} 2"));
}

}  // namespace
}  // namespace tarot::rpc
