// Tests the HTTP door over a real socket: calls and streams in gRPC-Web, the files of the page, and
// requests that the door refuses.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/status/wire.h"
#include "libs/testkit/http_client.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testkit::HttpAnswer;
using testkit::HttpClient;
using testkit::WebAnswer;
using testkit::WebFrame;

constexpr char kSignIn[] = "/tarot.gateway.v1.SessionService/CreateGuestSession";
constexpr char kGetTable[] = "/tarot.rules.v1.TableService/GetTable";
constexpr char kWatchTable[] = "/tarot.rules.v1.TableService/WatchTable";
const TableId kTable = *TableId::Parse("00000000-0000-4000-8000-000000000001");

std::string Request(const std::string& table = "tables/1") {
  rules::v1::GetTableRequest request;
  request.set_name(table);
  return request.SerializeAsString();
}

std::string WatchRequest() { return Request(absl::StrCat("tables/", kTable.ToString())); }

int RevisionIn(const std::optional<WebFrame>& frame) {
  rules::v1::WatchTableResponse response;
  if (!frame || frame->trailer || !response.ParseFromString(frame->content)) return -1;
  return response.table().revision();
}

// A folder that only this user can open. The destructor deletes the folder. Before that, destroy
// all objects that use the folder.
struct Folder {
  Folder() {
    path = std::filesystem::temp_directory_path() / "tarot_http_XXXXXX";
    TAROT_CHECK(::mkdtemp(path.data()) != nullptr);
    std::filesystem::create_directories(path + "/page/assets");
    Write("index.html", "<!doctype html>");
    Write("assets/main.js", "plain");
    Write("assets/main.js.gz", "packed by gzip");
    Write("assets/main.js.br", "packed by brotli");
    Write("sw-5CZ2TSGV.js", "hashed");
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(path + "/page/" + name) << content;
  }
  std::string path;
};

// A gateway with an HTTP door on a Unix socket, as behind HAProxy.
class HttpFixture {
 public:
  explicit HttpFixture(const std::function<void(Options&)>& change = [](Options&) {})
      : gateway([&](Options& options) {
          options.http_address = address();
          options.page_dir = folder_.path + "/page";
          change(options);
        }) {}

  std::string address() const { return "unix:" + folder_.path + "/http.sock"; }

  std::string SignIn() const {
    HttpClient client(address());
    v1::CreateGuestSessionRequest request;
    request.set_display_name("Anna");
    const WebAnswer answer = client.Call(kSignIn, request.SerializeAsString());
    v1::CreateGuestSessionResponse response;
    TAROT_CHECK(answer.messages.size() == 1 && response.ParseFromString(answer.messages[0]));
    return response.session().token();
  }

  // Advances the time by more than `by`, so that the door checks its connections at least once
  // after `by`.
  void Pass(absl::Duration by) { gateway.time.Advance(by + 2 * kHttpSweepInterval); }
  double Closed(const std::string& reason) {
    return gateway.Metric("tarot_gateway_http_connections_closed_total", reason);
  }
  bool HasStreams(int count) {
    return gateway.Eventually(
        [&] { return gateway.Metric("tarot_gateway_streams_open") == count; });
  }
  const Folder& folder() const { return folder_; }

 private:
  const Folder folder_;

 public:
  GatewayFixture gateway;
};

TEST(WireHttpTest, CallsAMethodAsTheOwnerOfTheToken) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const std::string token = fixture.SignIn();
  for (int i = 0; i < 3; ++i) {  // All calls use one connection.
    const WebAnswer answer = client.Call(kGetTable, Request("tables/42"), token);
    EXPECT_EQ(answer.code, 200);
    EXPECT_EQ(answer.status, 0);
    ASSERT_EQ(answer.messages.size(), 1u);
    rules::v1::GetTableResponse response;
    ASSERT_TRUE(response.ParseFromString(answer.messages[0]));
    EXPECT_EQ(response.table().name(), "tables/42");
  }
  EXPECT_EQ(fixture.gateway.tables.last_seen().caller.display_name, "Anna");
}

TEST(WireHttpTest, TellsTheTraceOfEachCall) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.SendCall(kGetTable, Request(), fixture.SignIn());
  const std::optional<HttpAnswer> answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers.at("x-tarot-trace-id").size(), 32u);
}

TEST(WireHttpTest, TakesARequestInPieces) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const std::string body = testkit::MessageFrame(Request());
  const std::string bytes =
      absl::StrCat("POST ", kGetTable, " HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ",
                   fixture.SignIn(), "\r\nContent-Type: application/grpc-web+proto\r\n",
                   "Content-Length: ", body.size(), "\r\n\r\n", body);
  for (const char byte : bytes) ASSERT_TRUE(client.Send({&byte, 1}));
  const std::optional<HttpAnswer> answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(testkit::ParseWebAnswer(*answer).status, 0);
}

TEST(WireHttpTest, ErrorsComeBackWithTheirDetails) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const WebAnswer stranger = client.Call(kGetTable, Request());
  EXPECT_EQ(stranger.code, 200);
  EXPECT_EQ(stranger.status, 16);
  EXPECT_EQ(stranger.reason, "BAD_TOKEN");

  fixture.gateway.tables.on_get = [&] {
    return status::ToGrpc(Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD",
                                "100 %: fournir à cœur.", {{"why", "MUST_FOLLOW"}}));
  };
  const WebAnswer refused = client.Call(kGetTable, Request(), fixture.SignIn());
  EXPECT_EQ(refused.status, 9);
  EXPECT_EQ(refused.reason, "ILLEGAL_CARD");
  EXPECT_EQ(refused.text, "100 %25: fournir %C3%A0 c%C5%93ur.");
  EXPECT_TRUE(refused.messages.empty());
}

TEST(WireHttpTest, PassesOnNoOtherHeader) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const std::string headers = "x-tarot-caller: forged\r\nx-tarot-other: 1\r\nCookie: a=b\r\n";
  EXPECT_EQ(client.Call(kGetTable, Request(), fixture.SignIn(), headers).status, 0);
  const Seen seen = fixture.gateway.tables.last_seen();
  EXPECT_EQ(seen.metadata.count("x-tarot-caller"), 1u);
  EXPECT_EQ(seen.metadata.count("x-tarot-other"), 0u);
  EXPECT_EQ(seen.metadata.count("cookie"), 0u);
  EXPECT_EQ(seen.caller.display_name, "Anna");
}

TEST(WireHttpTest, ATokenThatIsNoTextIsRefused) {
  HttpFixture fixture;
  for (const char* token : {"caf\xc3\xa9", "a\tb", "\x7f"}) {
    HttpClient client(fixture.address());
    const WebAnswer answer = client.Call(kGetTable, Request(), token);
    EXPECT_TRUE(answer.code == 400 || answer.reason == "BAD_TOKEN") << absl::CEscape(token);
  }
  EXPECT_EQ(fixture.gateway.tables.gets, 0);
}

TEST(WireHttpTest, TheCallersDeadlineHolds) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const WebAnswer answer = client.Call(kGetTable, Request(fixture.gateway.tables.never),
                                       fixture.SignIn(), "grpc-timeout: 50m\r\n");
  EXPECT_EQ(answer.status, 4);
}

TEST(WireHttpTest, StreamsEveryViewAndTheEnd) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.SendCall(kWatchTable, WatchRequest(), fixture.SignIn());
  for (int revision = 0; revision < 20; ++revision) {
    ASSERT_EQ(RevisionIn(client.NextFrame()), revision);
    fixture.gateway.rules.feeds.Show(kTable, revision + 1);
  }
  EXPECT_EQ(RevisionIn(client.NextFrame()), 20);
  EXPECT_EQ(fixture.gateway.Metric("tarot_gateway_http_calls_open"), 1);
  fixture.gateway.rules.feeds.End(kTable, absl::OkStatus());
  const std::optional<WebFrame> trailer = client.NextFrame();
  ASSERT_TRUE(trailer && trailer->trailer);
  EXPECT_EQ(trailer->content, "grpc-status: 0\r\n");
  EXPECT_EQ(client.NextFrame(), std::nullopt);
  EXPECT_EQ(client.Call(kGetTable, Request(), fixture.SignIn()).status, 0)
      << "The connection serves further calls.";
}

TEST(WireHttpTest, AClientThatGoesAwayEndsItsCalls) {
  HttpFixture fixture;
  const std::string token = fixture.SignIn();
  for (const bool reset : {false, true}) {
    auto watcher = std::make_unique<HttpClient>(fixture.address());
    watcher->SendCall(kWatchTable, WatchRequest(), token);
    ASSERT_GE(RevisionIn(watcher->NextFrame()), 0);
    ASSERT_TRUE(fixture.HasStreams(1));
    if (reset) watcher->Abort();
    watcher.reset();
    EXPECT_TRUE(fixture.HasStreams(0));
  }
  HttpClient caller(fixture.address());
  caller.SendCall(kGetTable, Request(fixture.gateway.tables.never), token);
  ASSERT_TRUE(Eventually([&] { return fixture.gateway.tables.gets == 1; }));
  caller.Abort();
  EXPECT_TRUE(Eventually([&] { return fixture.gateway.tables.cancelled_gets == 1; }));
  EXPECT_EQ(fixture.Closed("client_gone"), 3);
  EXPECT_EQ(fixture.gateway.Metric("tarot_gateway_http_calls_open"), 0);
}

TEST(WireHttpTest, StreamsAboveThePlayersLimitAreRefused) {
  HttpFixture fixture([](Options& options) { options.streams_per_player_max = 2; });
  const std::string token = fixture.SignIn();
  HttpClient first(fixture.address()), second(fixture.address()), third(fixture.address());
  for (HttpClient* client : {&first, &second}) {
    client->SendCall(kWatchTable, WatchRequest(), token);
    ASSERT_GE(RevisionIn(client->NextFrame()), 0);
  }
  EXPECT_EQ(third.Call(kWatchTable, WatchRequest(), token).reason, "RATE_LIMITED");
}

TEST(WireHttpTest, TheDoorNamesTheAddressThatTheLimitsCount) {
  HttpFixture fixture([](Options& options) {
    options.sign_ins_per_second = 0.001;
    options.sign_in_burst = 1;
  });
  v1::CreateGuestSessionRequest request;
  request.set_display_name("Anna");
  const auto sign_in = [&](const std::string& address) {
    HttpClient client(fixture.address());
    return client.Call(kSignIn, request.SerializeAsString(), "",
                       absl::StrCat("x-tarot-client-address: ", address, "\r\n"));
  };
  EXPECT_EQ(sign_in("192.0.2.7").status, 0);
  EXPECT_EQ(sign_in("192.0.2.8").status, 0);
  EXPECT_EQ(sign_in("192.0.2.7").reason, "RATE_LIMITED");
}

TEST(WireHttpTest, ASlowReaderLosesItsConnection) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.ShrinkBuffer();
  client.SendCall(kWatchTable, WatchRequest(), fixture.SignIn());
  ASSERT_TRUE(fixture.HasStreams(1));
  rules::v1::Table table;
  table.set_revision(1);
  table.set_name(std::string(400 << 10, 'x'));
  fixture.gateway.rules.feeds.ShowBytes(kTable, 1, table.SerializeAsString());
  EXPECT_TRUE(fixture.gateway.Eventually([&] { return fixture.Closed("slow_reader") == 1; }));
  EXPECT_TRUE(fixture.HasStreams(0));
}

TEST(WireHttpTest, ASlowBodyIsRefused) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.Send(absl::StrCat("POST ", kGetTable,
                           " HTTP/1.1\r\nHost: t\r\nContent-Type: application/grpc-web+proto\r\n"
                           "Content-Length: 20\r\n\r\nhalf"));
  std::optional<HttpAnswer> answer;
  EXPECT_TRUE(fixture.gateway.Eventually([&] { return fixture.Closed("slow_request") == 1; }));
  answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(testkit::ParseWebAnswer(*answer).reason, "BAD_REQUEST");
  EXPECT_TRUE(client.Ends());
}

TEST(WireHttpTest, ASlowHeadLosesItsConnection) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(fixture.gateway.Eventually([&] { return fixture.Closed("slow_request") == 1; }));
  EXPECT_TRUE(client.Ends());
}

TEST(WireHttpTest, AnIdleConnectionIsClosed) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  ASSERT_TRUE(client.Get("/"));
  // The client may get its answer a little before the door begins to wait for the next request.
  EXPECT_TRUE(fixture.gateway.Eventually([&] {
    fixture.Pass(kHttpIdleTimeout);
    return fixture.gateway.Metric("tarot_gateway_http_connections_open") == 0;
  }));
  EXPECT_TRUE(client.Ends());
}

TEST(WireHttpTest, ALongBodyIsRefused) {
  HttpFixture fixture;
  const std::string head = absl::StrCat(
      "POST ", kGetTable, " HTTP/1.1\r\nHost: t\r\nContent-Type: application/grpc-web+proto\r\n");
  const std::string bytes(kRequestBytesMax + 6, 'x');
  for (const std::string& body : {absl::StrCat("Content-Length: ", bytes.size(), "\r\n\r\n", bytes),
                                  absl::StrCat("Transfer-Encoding: chunked\r\n\r\n",
                                               absl::Hex(bytes.size()), "\r\n", bytes)}) {
    HttpClient client(fixture.address());
    client.Send(head + body);
    const std::optional<HttpAnswer> answer = client.Read();
    ASSERT_TRUE(answer);
    const WebAnswer refused = testkit::ParseWebAnswer(*answer);
    EXPECT_EQ(refused.reason, "BAD_REQUEST");
    EXPECT_THAT(refused.text, HasSubstr("longer than"));
  }
}

TEST(WireHttpTest, ABodyThatIsNotOneMessageIsRefused) {
  HttpFixture fixture;
  const std::string token = fixture.SignIn();
  const std::string frame = testkit::MessageFrame(Request());
  std::string packed = frame, trailer = frame;
  packed[0] = 1;
  trailer[0] = static_cast<char>(0x80);
  for (const std::string& body : {std::string(), frame + frame, frame.substr(0, 7),
                                  frame.substr(0, 3), packed, trailer, frame + "x"}) {
    HttpClient client(fixture.address());
    client.Send(absl::StrCat("POST ", kGetTable, " HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ",
                             token, "\r\nContent-Type: application/grpc-web+proto\r\n",
                             "Content-Length: ", body.size(), "\r\n\r\n", body));
    const std::optional<HttpAnswer> answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(testkit::ParseWebAnswer(*answer).reason, "BAD_REQUEST") << absl::CEscape(body);
  }
  EXPECT_EQ(fixture.gateway.tables.gets, 0);
}

TEST(WireHttpTest, CallsFromForeignPagesAreRefused) {
  HttpFixture fixture;
  const std::string token = fixture.SignIn();
  const auto call = [&](const std::string& headers) {
    HttpClient client(fixture.address());
    return client.Call(kGetTable, Request(), token, headers).code;
  };
  for (const char* own : {"Origin: http://tarot.test\r\n", "Origin: https://tarot.test\r\n",
                          "Origin: https://TAROT.test\r\nSec-Fetch-Site: same-origin\r\n"}) {
    EXPECT_EQ(call(own), 200) << own;
  }
  for (const char* foreign :
       {"Origin: https://evil.test\r\n", "Origin: null\r\n", "Origin:\r\n",
        "Origin: https://tarot.test:81\r\n", "Origin: https://tarot.test.evil.test\r\n",
        "Origin: https://tarot.test\r\nSec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n"}) {
    EXPECT_EQ(call(foreign), 403) << foreign;
  }
  EXPECT_EQ(fixture.gateway.tables.gets, 3);
  HttpClient preflight(fixture.address());
  const auto answer = preflight.Get(kGetTable, "Origin: https://evil.test\r\n", "OPTIONS");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, 405);
  EXPECT_EQ(answer->headers.count("access-control-allow-origin"), 0u);
}

TEST(WireHttpTest, OtherRequestsAreRefusedWithTheirReason) {
  HttpFixture fixture;
  const std::string type = "Content-Type: application/grpc-web+proto\r\n";
  struct Case {
    std::string request;
    int code;
    std::string text;
  };
  const std::string get_table(kGetTable);
  for (const Case& each : std::vector<Case>{
           {"POST " + get_table + " HTTP/1.1\r\nHost: t\r\n" +
                "Content-Type: application/grpc-web-text\r\nContent-Length: 0\r\n\r\n",
            415, "no base64"},
           {"POST " + get_table + " HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n", 415,
            "application/grpc-web+proto"},
           {"POST " + get_table + "?token=abc HTTP/1.1\r\nHost: t\r\n" + type +
                "Content-Length: 0\r\n\r\n",
            400, "no query"},
           {"POST /nothing HTTP/1.1\r\nHost: t\r\n" + type + "Content-Length: 0\r\n\r\n", 404, ""},
           {"GET " + get_table + " HTTP/1.1\r\nHost: t\r\n\r\n", 405, "POST"},
           {"PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n", 405, "GET, HEAD and POST"},
           {"GET / HTTP/1.1\r\n\r\n", 400, "Host"},
           {"GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc", 400, "no body"},
           {"GET / HTTP/1.1\r\nHost: t\r\nx: " + std::string(9'000, 'x') + "\r\n\r\n", 431, ""},
           {"GET / HTTP/3.7\r\nHost: t\r\n\r\n", 400, ""},
           {"nonsense\r\n\r\n", 400, ""}}) {
    HttpClient client(fixture.address());
    client.Send(each.request);
    const std::optional<HttpAnswer> answer = client.Read();
    ASSERT_TRUE(answer) << each.request;
    EXPECT_EQ(answer->code, each.code) << each.request;
    EXPECT_THAT(answer->body, HasSubstr(each.text));
  }
}

TEST(WireHttpTest, AnUnknownMethodIsNotForwarded) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  for (const char* method :
       {"/tarot.rules.v1.TableAdminService/BatchCreateTables", "/tarot.none.v1.None/None"}) {
    EXPECT_EQ(client.Call(method, "", fixture.SignIn()).reason, "METHOD_NOT_FORWARDED");
  }
}

TEST(WireHttpTest, ServesTheFilesOfThePage) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const auto index = client.Get("/");
  ASSERT_TRUE(index);
  EXPECT_EQ(index->code, 200);
  EXPECT_EQ(index->body, "<!doctype html>");
  EXPECT_EQ(index->headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(index->headers.at("cache-control"), "no-cache");
  EXPECT_EQ(index->headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(index->headers.at("date"),
            absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT", fixture.gateway.time.Now(),
                             absl::UTCTimeZone()));
  EXPECT_EQ(index->headers.at("referrer-policy"), "no-referrer");
  EXPECT_THAT(index->headers.at("content-security-policy"), HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(index->headers.at("content-security-policy"), Not(HasSubstr("unsafe")));
  for (const char* route : {"/t/0123", "/t/0123/4?d=44", "/ladder/4", "/p/a%20b", "/friends/"}) {
    const auto page = client.Get(route);
    ASSERT_TRUE(page) << route;
    EXPECT_EQ(page->body, index->body) << route;
  }
  const auto hashed = client.Get("/sw-5CZ2TSGV.js");
  ASSERT_TRUE(hashed);
  EXPECT_THAT(hashed->headers.at("cache-control"), HasSubstr("immutable"));
  EXPECT_EQ(client.Get("/nothing.js")->code, 404);
}

TEST(WireHttpTest, ServesTheEncodingThatTheClientReads) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  struct Case {
    const char* accept;
    const char* body;
  };
  for (const Case& each : std::vector<Case>{{"", "plain"},
                                            {"gzip, deflate, br", "packed by brotli"},
                                            {"gzip;q=0.8", "packed by gzip"},
                                            {"br;q=0, gzip", "packed by gzip"},
                                            {"identity", "plain"}}) {
    const auto answer =
        client.Get("/assets/main.js", absl::StrCat("Accept-Encoding: ", each.accept, "\r\n"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, each.body) << each.accept;
    EXPECT_THAT(answer->headers.at("cache-control"), HasSubstr("immutable"));
    EXPECT_EQ(answer->headers.at("vary"), "Accept-Encoding");
    const std::string etag = answer->headers.at("etag");
    const auto again = client.Get(
        "/assets/main.js",
        absl::StrCat("Accept-Encoding: ", each.accept, "\r\nIf-None-Match: ", etag, "\r\n"));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->code, 304);
    EXPECT_EQ(again->headers.at("etag"), etag);
  }
}

TEST(WireHttpTest, HeadHasTheHeadersOfGet) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  const auto get = client.Get("/assets/main.js");
  const auto head = client.Get("/assets/main.js", "", "HEAD");
  ASSERT_TRUE(get && head);
  EXPECT_EQ(head->headers, get->headers);
  EXPECT_EQ(client.Get("/")->code, 200) << "No byte of a body is left on the connection.";
}

TEST(WireHttpTest, NoPathLeavesTheFolder) {
  HttpFixture fixture;
  std::ofstream(fixture.folder().path + "/secret.txt") << "secret";
  for (const char* path :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt", "/..\\secret.txt", "//secret.txt", "/assets/%00", "/%", "/%zz",
        "/./index.html", "/%252e%252e/secret.txt"}) {
    HttpClient client(fixture.address());
    const auto answer = client.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_TRUE(answer->code == 400 || answer->code == 404) << path << " " << answer->code;
    EXPECT_THAT(answer->body, Not(HasSubstr("secret")));
  }
}

TEST(WireHttpTest, ALinkHasTheHtmlFileOfItsFirstSegment) {
  HttpFixture fixture;
  fixture.folder().Write("t.html", "<!doctype html><title>table</title>");
  const auto body = [&](const char* path) {
    HttpClient client(fixture.address());
    const auto answer = client.Get(path);
    return answer ? answer->body : "";
  };
  EXPECT_TRUE(fixture.gateway.Eventually([&] { return body("/t/1") == body("/t.html"); }));
  EXPECT_THAT(body("/t/1"), HasSubstr("table"));
  EXPECT_THAT(body("/t/1/3"), HasSubstr("table"));
  EXPECT_EQ(body("/p/1"), body("/")) << "A link without a file of its own gets index.html.";
}

TEST(WireHttpTest, ServesAChangedPageSoon) {
  HttpFixture fixture;
  fixture.folder().Write("index.html", "<!doctype html><title>new</title>");
  EXPECT_TRUE(fixture.gateway.Eventually([&] {
    HttpClient client(fixture.address());
    const auto answer = client.Get("/");
    return answer && answer->body == "<!doctype html><title>new</title>";
  }));
}

TEST(WireHttpTest, ANextRequestBeforeTheAnswerClosesTheConnection) {
  HttpFixture fixture;
  HttpClient client(fixture.address());
  client.SendCall(kGetTable, Request(fixture.gateway.tables.never), fixture.SignIn());
  ASSERT_TRUE(Eventually([&] { return fixture.gateway.tables.gets == 1; }));
  client.Send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(client.Ends());
  EXPECT_TRUE(Eventually([&] { return fixture.gateway.tables.cancelled_gets == 1; }));
}

TEST(WireHttpTest, AStopEndsStreamsWithAReason) {
  HttpFixture fixture;
  const std::string token = fixture.SignIn();
  HttpClient watcher(fixture.address()), idle(fixture.address());
  ASSERT_TRUE(idle.Get("/health"));
  watcher.SendCall(kWatchTable, WatchRequest(), token);
  ASSERT_GE(RevisionIn(watcher.NextFrame()), 0);
  fixture.gateway.gateway->Shutdown();
  const std::optional<WebFrame> trailer = watcher.NextFrame();
  ASSERT_TRUE(trailer && trailer->trailer);
  WebAnswer answer;
  testkit::ParseTrailer(trailer->content, answer);
  EXPECT_EQ(answer.reason, "SERVICE_AWAY");
  EXPECT_TRUE(idle.Ends());
}

TEST(WireHttpTest, AUsedAddressIsRefused) {
  HttpFixture fixture;
  EXPECT_THAT(fixture.gateway.StartGateway("127.0.0.1:0").status(),
              testkit::HasReason("ADDRESS_TAKEN"));
}

}  // namespace
}  // namespace tarot::gateway_service
