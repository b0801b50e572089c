#include "tests/e2e/cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/rpc/channel.h"

namespace tarot::e2e {
namespace {

constexpr const char* kServices[] = {"bot", "ratings", "rules", "matchmaking", "gateway"};

std::string Address(int port) { return absl::StrCat("127.0.0.1:", port); }

bool Accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool ok = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

bool CanBind(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool ok = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

void WriteKeyFile(const std::string& path, Entropy& entropy) {
  std::array<std::uint8_t, 32> secret;
  entropy.Fill(absl::MakeSpan(secret));
  std::ofstream(path) << "test:" << absl::Base64Escape(std::string(secret.begin(), secret.end()))
                      << "\n";
  chmod(path.c_str(), 0600);
}

// The child's side of a fork: never returns.
[[noreturn]] void Exec(const std::vector<std::string>& arguments, const std::string& log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

int FreePort() {
  // Below the ports that the system gives to outgoing connections: one of those could take ours
  // while a process is down.
  constexpr int kFirst = 20000, kCount = 12000;
  OsEntropy entropy;
  while (true) {
    const int port = kFirst + static_cast<int>(entropy.NewSeed() % kCount);
    if (CanBind(port) && CanBind(port + 1)) return port;
  }
}

Cluster::Cluster(const ClusterOptions& options)
    : options_(options), postgres_({.fsync = true}), dsn_(postgres_.NewDatabase()) {
  char name[] = "/tmp/tarot-e2e-XXXXXX";
  TAROT_CHECK(mkdtemp(name) != nullptr);
  directory_ = name;
  for (const char* file : {"internal.keys", "gateway.keys"}) {
    WriteKeyFile(absl::StrCat(directory_, "/", file), entropy_);
  }
  for (const char* service : kServices) ports_[service] = FreePort();
  for (const char* service : kServices) Start(service);
}

Cluster::~Cluster() {
  for (const auto& [service, pid] : pids_) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  std::filesystem::remove_all(directory_);
}

std::vector<std::string> Cluster::Arguments(const std::string& service) const {
  std::vector<std::string> out = {
      absl::StrCat(TAROT_BIN_DIR, "/tarot-", service),
      absl::StrCat("--listen_address=", Address(port(service))),
      absl::StrCat("--metrics_address=", Address(metrics_port(service))),
      absl::StrCat("--internal_key_file=", directory_, "/internal.keys")};
  const auto peer = [&](const std::string& name) {
    out.push_back(absl::StrCat("--", name, "_address=", Address(port(name))));
  };
  const bool stores = service != "bot" && service != "gateway";
  if (stores) out.push_back(absl::StrCat("--dsn=", dsn_));
  if (service == "rules") {
    for (const char* name : {"bot", "ratings", "matchmaking"}) peer(name);
    out.insert(out.end(), options_.rules_flags.begin(), options_.rules_flags.end());
  } else if (service == "matchmaking") {
    for (const char* name : {"rules", "ratings"}) peer(name);
    out.push_back(absl::StrCat("--population=", options_.population));
  } else if (service == "gateway") {
    for (const char* name : {"rules", "matchmaking", "ratings"}) peer(name);
    out.push_back(absl::StrCat("--gateway_key_file=", directory_, "/gateway.keys"));
    out.insert(out.end(), options_.gateway_flags.begin(), options_.gateway_flags.end());
  }
  return out;
}

void Cluster::Start(const std::string& service) {
  const std::vector<std::string> arguments = Arguments(service);
  const std::string log = absl::StrCat(directory_, "/", service, ".log");
  const pid_t pid = fork();
  TAROT_CHECK(pid >= 0);
  if (pid == 0) Exec(arguments, log);
  pids_[service] = pid;
  const bool up = Eventually(absl::Seconds(60), [&] { return Accepts(port(service)); });
  if (!up)
    std::fprintf(stderr, "%s does not serve:\n%s\n", service.c_str(), LogOf(service).c_str());
  TAROT_CHECK(up);
}

int Cluster::Kill(const std::string& service, int signal) {
  const pid_t pid = pids_.at(service);
  int status = 0;
  kill(pid, signal);
  waitpid(pid, &status, 0);
  pids_.erase(service);
  return status;
}

std::unique_ptr<client::Client> Cluster::SignIn(const std::string& name) {
  auto player = std::make_unique<client::Client>(rpc::MakeChannel(Address(port("gateway"))),
                                                 client::Options{}, scheduler_, entropy_);
  const absl::Status status = player->SignInAsGuest(name);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  TAROT_CHECK(status.ok());
  return player;
}

std::string Cluster::LogOf(const std::string& service) const {
  std::ostringstream text;
  text << std::ifstream(absl::StrCat(directory_, "/", service, ".log")).rdbuf();
  return text.str();
}

}  // namespace tarot::e2e
