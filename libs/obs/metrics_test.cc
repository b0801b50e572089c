#include "libs/obs/metrics.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <prometheus/counter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "libs/obs/process_metrics.h"

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

// Returns the value of the series `name` without labels in a text of /metrics, or -1.
double Value(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST(MetricsServerTest, TellsAboutTheProcess) {
  const MetricsServer server("127.0.0.1:0", std::make_shared<prometheus::Registry>());
  ASSERT_TRUE(server.ok());
  const std::string text = Get(server.port(), "/metrics");
  EXPECT_THAT(text, testing::HasSubstr("\ntarot_build_info{version=\"0."));
  EXPECT_THAT(text, testing::HasSubstr("commit=\"unknown\"} 1\n"));
  EXPECT_GT(Value(text, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(Value(text, "process_memory_limit_bytes"),
            Value(text, "process_resident_memory_bytes"));
  EXPECT_GE(Value(text, "process_cpu_seconds_total"), 0);
  EXPECT_GE(Value(text, "process_threads"), 2) << "This thread and one of the server.";
  EXPECT_GT(Value(text, "process_max_fds"), Value(text, "process_open_fds"));
  const double age =
      static_cast<double>(::time(nullptr)) - Value(text, "process_start_time_seconds");
  EXPECT_GE(age, -1);
  EXPECT_LT(age, 3600);
}

TEST(MemoryLimitTest, IsTheLowestLimitOfTheCgroupAndItsParents) {
  const std::filesystem::path root = testing::TempDir() + "/cgroup";
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(root / "system.slice/rules.service");
  std::ofstream(root / "system.slice/memory.max") << "2000\n";
  std::ofstream(root / "system.slice/rules.service/memory.max") << "max\n";
  const auto limit = [&](const char* cgroups) { return MemoryLimit(root, cgroups, 5000); };
  EXPECT_EQ(limit("0::/system.slice/rules.service\n"), 2000);
  std::ofstream(root / "system.slice/rules.service/memory.max") << "1000\n";
  EXPECT_EQ(limit("0::/system.slice/rules.service\n"), 1000);
  EXPECT_EQ(limit("0::/system.slice\n"), 2000);
  EXPECT_EQ(limit("0::/\n"), 5000) << "The root has no limit of its own.";
  std::ofstream(root / "memory.max") << "9000\n";
  EXPECT_EQ(limit("0::/\n"), 5000) << "The machine has less memory than the limit.";
  EXPECT_EQ(limit("1:cpu:/system.slice\n"), 5000) << "cgroup v1";
  EXPECT_EQ(limit(""), 5000);
}

TEST(MetricsServerTest, CountsOpenDescriptors) {
  const MetricsServer server("127.0.0.1:0", std::make_shared<prometheus::Registry>());
  const double before = Value(Get(server.port(), "/metrics"), "process_open_fds");
  int ends[50][2];
  for (int(&pipe)[2] : ends) ASSERT_EQ(::pipe(pipe), 0);
  // The test allows a difference of 10, because connections to the server use descriptors too.
  EXPECT_NEAR(Value(Get(server.port(), "/metrics"), "process_open_fds"), before + 100, 10);
  for (const int(&pipe)[2] : ends) {
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
}

TEST(MetricsServerTest, IsNotOkIfThePortIsTaken) {
  auto registry = std::make_shared<prometheus::Registry>();
  const MetricsServer first("127.0.0.1:0", registry);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(MetricsServer("127.0.0.1:" + std::to_string(first.port()), registry).ok());
}

}  // namespace
}  // namespace tarot::obs
