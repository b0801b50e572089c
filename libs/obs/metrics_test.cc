#include "libs/obs/metrics.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <prometheus/counter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace tarot::obs {
namespace {

std::string Get(int port, const std::string& path) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
    if (::send(fd, request.data(), request.size(), 0) > 0) {
      char buffer[4096];
      for (ssize_t n; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
        answer.append(buffer, static_cast<std::size_t>(n));
      }
    }
  }
  ::close(fd);
  return answer;
}

TEST(MetricsServerTest, ServesTheRegistry) {
  auto registry = std::make_shared<prometheus::Registry>();
  prometheus::BuildCounter().Name("tarot_test_total").Register(*registry).Add({}).Increment(3);
  const MetricsServer server("127.0.0.1:0", registry);
  ASSERT_TRUE(server.ok());
  EXPECT_THAT(Get(server.port(), "/metrics"), testing::HasSubstr("\ntarot_test_total 3\n"));
}

TEST(MetricsServerTest, APortThatIsTakenIsNotOk) {
  auto registry = std::make_shared<prometheus::Registry>();
  const MetricsServer first("127.0.0.1:0", registry);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(MetricsServer("127.0.0.1:" + std::to_string(first.port()), registry).ok());
}

}  // namespace
}  // namespace tarot::obs
