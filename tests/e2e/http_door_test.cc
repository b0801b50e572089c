// Tests what browsers do on a running platform: get the page, call in gRPC-Web and watch tables.
// They connect through HAProxy, or to a gateway on loopback.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/testkit/http_client.h"
#include "tarot/gateway/v1/session_service.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;
using testkit::HttpAnswer;
using testkit::HttpClient;
using testkit::WebAnswer;
using testkit::WebFrame;

constexpr char kSignIn[] = "/tarot.gateway.v1.SessionService/CreateGuestSession";
constexpr char kListQueues[] = "/tarot.matchmaking.v1.MatchmakingService/ListQueues";
constexpr char kListTables[] = "/tarot.rules.v1.TableService/ListTables";
constexpr char kWatchTable[] = "/tarot.rules.v1.TableService/WatchTable";

// Makes a folder with a small page. Returns its path.
std::string MakePage() {
  const std::string folder = testing::TempDir() + "http_door_page";
  std::filesystem::create_directories(folder + "/assets");
  std::ofstream(folder + "/index.html") << "<!doctype html><title>tarot</title>";
  std::ofstream(folder + "/assets/main.js") << "plain";
  std::ofstream(folder + "/assets/main.js.gz") << "packed";
  return folder;
}

std::string PageOf(const Cluster& cluster) {
  return absl::StrCat("127.0.0.1:", cluster.page_port("gateway"));
}

std::string SignIn(HttpClient& client, const std::string& name) {
  gateway::v1::CreateGuestSessionRequest request;
  request.set_display_name(name);
  const WebAnswer answer = client.Call(kSignIn, request.SerializeAsString());
  gateway::v1::CreateGuestSessionResponse response;
  if (answer.messages.size() != 1 || !response.ParseFromString(answer.messages[0])) return "";
  return response.session().token();
}

// Waits until bots play, and returns a request for the view of one of their tables.
std::string WatchRequest(HttpClient& client, const std::string& token) {
  rules::v1::WatchTableRequest watch;
  EXPECT_TRUE(Eventually(absl::Seconds(60), [&] {
    const WebAnswer answer = client.Call(kListTables, "", token);
    rules::v1::ListTablesResponse tables;
    if (answer.messages.size() != 1 || !tables.ParseFromString(answer.messages[0])) return false;
    if (tables.tables().empty()) return false;
    watch.set_name(tables.tables(0).name());
    return true;
  }));
  return watch.SerializeAsString();
}

// Returns the value of a gauge without labels.
double GaugeOf(const Cluster& cluster, const std::string& name) {
  HttpClient client(cluster.MetricsAddressOf("gateway"));
  const std::optional<HttpAnswer> answer = client.Get("/metrics");
  if (!answer) return -1;
  for (const absl::string_view line : absl::StrSplit(answer->body, '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(line, ' ');
    double value = 0;
    if (parts.first == name && absl::SimpleAtod(parts.second, &value)) return value;
  }
  return -1;
}

std::string OutputOf(const std::string& command) {
  const std::string file = testing::TempDir() + "http_door_output";
  EXPECT_EQ(std::system(absl::StrCat(command, " >", file).c_str()), 0) << command;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(HttpDoorTest, ABrowserSignsInAndWatchesATable) {
  for (const bool door : {true, false}) {
    SCOPED_TRACE(door ? "through HAProxy" : "at the gateway");
    Cluster cluster({.gateway_flags = {"--page_dir=" + MakePage()}, .door = door, .fsync = false});
    HttpClient client(PageOf(cluster));
    EXPECT_EQ(client.Get("/t/0123")->body, "<!doctype html><title>tarot</title>");
    EXPECT_EQ(client.Get("/assets/main.js", "Accept-Encoding: gzip, br\r\n")->body, "packed");
    const std::string token = SignIn(client, "Ada");
    ASSERT_NE(token, "");
    const WebAnswer queues = client.Call(kListQueues, "", token);
    ASSERT_EQ(queues.messages.size(), 1u);
    matchmaking::v1::ListQueuesResponse response;
    ASSERT_TRUE(response.ParseFromString(queues.messages[0]));
    EXPECT_GT(response.queues().size(), 0);

    const std::string watch = WatchRequest(client, token);
    HttpClient watcher(PageOf(cluster));
    watcher.SendCall(kWatchTable, watch, token);
    for (int i = 0; i < 5; ++i) {
      const std::optional<WebFrame> frame = watcher.NextFrame();
      ASSERT_TRUE(frame && !frame->trailer) << i;
      rules::v1::WatchTableResponse view;
      ASSERT_TRUE(view.ParseFromString(frame->content));
      EXPECT_GE(view.table().revision(), i);
    }
    EXPECT_EQ(GaugeOf(cluster, "tarot_gateway_streams_open"), 1);
    EXPECT_EQ(GaugeOf(cluster, "tarot_gateway_http_calls_open"), 1);
    watcher.Abort();
    for (const char* gauge : {"tarot_gateway_streams_open", "tarot_gateway_http_calls_open"}) {
      EXPECT_TRUE(Eventually(absl::Seconds(5), [&] { return GaugeOf(cluster, gauge) == 0; }))
          << gauge;
    }
  }
}

TEST(HttpDoorTest, HostileRequestsAreRefused) {
  Cluster cluster({.population = 0,
                   .gateway_flags = {"--page_dir=" + MakePage()},
                   .door = true,
                   .fsync = false});
  const std::string type = "Content-Type: application/grpc-web+proto\r\n";
  const std::string post = std::string("POST ") + kSignIn + " HTTP/1.1\r\nHost: t\r\n" + type;
  struct Case {
    std::string request;
    int code;
  };
  for (const Case& each : std::vector<Case>{
           {post + "Origin: https://evil.test\r\nContent-Length: 5\r\n\r\n" + std::string(5, '\0'),
            403},
           {post + "Content-Length: 9000\r\n\r\n" + std::string(9'000, 'x'), 413},
           {post + "Content-Length: 20\r\n\r\nhalf", 408},
           {std::string("POST ") + kSignIn + "?token=abc HTTP/1.1\r\nHost: t\r\n" + type +
                "Content-Length: 5\r\n\r\n" + std::string(5, '\0'),
            400},
           {"GET / HTTP/1.1\r\nHost: t\r\nx: " + std::string(7'000, 'x') + "\r\n\r\n", 431},
           {"DELETE / HTTP/1.1\r\nHost: t\r\n\r\n", 405},
           {"POST /index.html HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n", 404},
           {"GET /health HTTP/1.1\r\nHost: t\r\n\r\n", 404},
           {"GET /none.js HTTP/1.1\r\nHost: t\r\n\r\n", 404},
           {"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", 400},
           {"GET /../../etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", 400}}) {
    HttpClient client(PageOf(cluster));
    client.Send(each.request);
    const std::optional<HttpAnswer> answer = client.Read();
    ASSERT_TRUE(answer) << each.request;
    EXPECT_EQ(answer->code, each.code) << each.request.substr(0, 200);
    EXPECT_THAT(answer->body, Not(HasSubstr("root:")));
  }
  // After these bad requests, the door still serves an honest browser.
  HttpClient honest(PageOf(cluster));
  EXPECT_EQ(honest.Get("/")->code, 200);
  EXPECT_NE(SignIn(honest, "Ada"), "");
}

TEST(HttpDoorTest, AClientOnLoopbackCannotNameAnotherAddress) {
  Cluster cluster({.population = 0,
                   .gateway_flags = {"--sign_ins_per_second=0.001", "--sign_in_burst=1"},
                   .fsync = false});
  gateway::v1::CreateGuestSessionRequest request;
  request.set_display_name("Ada");
  HttpClient client(PageOf(cluster));
  const std::string header = "x-tarot-client-address: 192.0.2.";
  EXPECT_EQ(client.Call(kSignIn, request.SerializeAsString(), "", header + "1\r\n").status, 0);
  EXPECT_EQ(client.Call(kSignIn, request.SerializeAsString(), "", header + "2\r\n").reason,
            "RATE_LIMITED");
}

TEST(HttpDoorTest, APlayerHoldsStreamsUpToTheLimit) {
  Cluster cluster({.gateway_flags = {"--streams_per_player_max=8"}, .door = true, .fsync = false});
  HttpClient client(PageOf(cluster));
  const std::string token = SignIn(client, "Ada");
  const std::string watch = WatchRequest(client, token);
  std::vector<std::unique_ptr<HttpClient>> watchers;
  for (int i = 0; i < 8; ++i) {
    watchers.push_back(std::make_unique<HttpClient>(PageOf(cluster)));
    watchers.back()->SendCall(kWatchTable, watch, token);
    const std::optional<WebFrame> frame = watchers.back()->NextFrame();
    ASSERT_TRUE(frame && !frame->trailer) << i;
  }
  EXPECT_EQ(client.Call(kWatchTable, watch, token).reason, "RATE_LIMITED");
  watchers.pop_back();
  EXPECT_TRUE(Eventually(absl::Seconds(5),
                         [&] { return GaugeOf(cluster, "tarot_gateway_streams_open") == 7; }));
  HttpClient next(PageOf(cluster));
  next.SendCall(kWatchTable, watch, token);
  const std::optional<WebFrame> frame = next.NextFrame();
  EXPECT_TRUE(frame && !frame->trailer);
}

// With HTTP/1.1, a browser opens only six connections. With HTTP/2, one connection carries all
// streams.
TEST(HttpDoorTest, OneConnectionWithHttp2HasManyStreams) {
  const std::string folder = testing::TempDir() + "http_door_tls";
  ASSERT_TRUE(MakeCertificate(folder));
  setenv("TAROT_DOOR_CERTIFICATE", (folder + "/both.pem").c_str(), 1);
  Cluster cluster({.gateway_flags = {"--page_dir=" + MakePage()}, .door = true, .fsync = false});
  unsetenv("TAROT_DOOR_CERTIFICATE");
  const std::string address = absl::StrCat("localhost:", cluster.page_port("gateway"));
  const std::string curl = absl::StrCat("curl -sS --http2 --cacert ", folder, "/cert.pem ");
  const std::string head = OutputOf(absl::StrCat(curl, "-I https://", address, "/"));
  EXPECT_THAT(head, HasSubstr("HTTP/2 200"));
  EXPECT_THAT(head, HasSubstr("strict-transport-security"));

  HttpClient direct(cluster.SocketOf("gateway") + ".http");
  const std::string token = SignIn(direct, "Ada");
  std::ofstream(folder + "/watch.bin") << testkit::MessageFrame(WatchRequest(direct, token));
  std::string streams;
  for (int i = 0; i < 12; ++i) {
    absl::StrAppend(&streams, i == 0 ? "" : "--next ", "-N --max-time 3 --http2 --cacert ", folder,
                    "/cert.pem -H 'Content-Type: application/grpc-web+proto' -H 'Authorization: "
                    "Bearer ",
                    token, "' --data-binary @", folder, "/watch.bin -o ", folder, "/stream", i,
                    " -w '%{http_code} %{http_version} %{num_connects}\\n' https://", address,
                    kWatchTable, " ");
  }
  // Each stream ends after three seconds, which curl calls an error.
  const std::string report = OutputOf(
      absl::StrCat("(curl -s --parallel --parallel-max 12 ", streams, " 2>/dev/null; true)"));
  int streams_open = 0, connections = 0;
  for (const absl::string_view line : absl::StrSplit(report, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
    ASSERT_EQ(parts.size(), 3u) << report;
    EXPECT_EQ(parts[0], "200");
    EXPECT_EQ(parts[1], "2");
    int count = 0;
    ASSERT_TRUE(absl::SimpleAtoi(parts[2], &count));
    connections += count;
    ++streams_open;
  }
  EXPECT_EQ(streams_open, 12) << report;
  EXPECT_EQ(connections, 1) << report;
  for (int i = 0; i < 12; ++i) {
    EXPECT_GT(std::filesystem::file_size(absl::StrCat(folder, "/stream", i)), 100u) << i;
  }
}

}  // namespace
}  // namespace tarot::e2e
