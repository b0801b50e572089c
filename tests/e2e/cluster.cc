#include "tests/e2e/cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/base/check.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/rpc/tls.h"

namespace tarot::e2e {
namespace {

// Each process gets a port for calls, a port for /metrics, and a port for browsers, which only
// gateways use.
constexpr int kPortsPerProcess = 3;

constexpr char kDatabase[] = "tarot";  // The name that roles.sql gives to the database.

constexpr const char* kServices[] = {"bot", "ratings", "rules", "matchmaking", "gateway", "admin"};

bool Accepts(const std::string& host, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  const bool ok = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

bool IsGateway(const std::string& process) { return process.rfind("gateway", 0) == 0; }
bool IsDoor(const std::string& process) { return process.rfind("door", 0) == 0; }
// Returns the name of the gateway behind a door (HAProxy): "gateway.2" for "door.2".
std::string GatewayOf(const std::string& door) { return "gateway" + door.substr(4); }

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

// Runs in the child process after the fork. Never returns.
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

int FreePorts(int count) {
  // The range is below the ports of outgoing connections, because an outgoing connection could take
  // the port of a process that is down.
  constexpr int kFirst = 20000, kCount = 12000;
  OsEntropy entropy;
  while (true) {
    const int first = kFirst + static_cast<int>(entropy.NewSeed() % kCount);
    int free = 0;
    while (free < count && CanBind(first + free)) ++free;
    if (free == count) return first;
  }
}

bool MakeCertificate(const std::string& folder) {
  const std::string command =
      absl::StrCat("mkdir -p ", folder, " && cd ", folder,
                   " && openssl req -x509 -newkey rsa:2048 -nodes -days 2"
                   " -subj /CN=localhost -addext subjectAltName=DNS:localhost"
                   " -keyout key.pem -out cert.pem 2>openssl.log"
                   " && cat cert.pem key.pem >both.pem");
  return std::system(command.c_str()) == 0;
}

bool MakeRoles(const std::string& host) {
  const std::string command = absl::StrCat(
      "TAROT_OWNER_PASSWORD=x TAROT_RULES_PASSWORD=x TAROT_MATCHMAKING_PASSWORD=x "
      "TAROT_RATINGS_PASSWORD=x TAROT_ADMIN_PASSWORD=x psql -X -q -v ON_ERROR_STOP=1 -d '",
      host, " user=tarot dbname=postgres' -f ", TAROT_SOURCE_DIR, "/deploy/postgres/roles.sql");
  return std::system(command.c_str()) == 0;
}

Cluster::Cluster(const ClusterOptions& options)
    : options_(options),
      programs_(options.programs.empty() ? TAROT_BIN_DIR : options.programs),
      services_own_schemas_(options.services_own_schemas),
      surroundings_(options.surroundings != nullptr ? *options.surroundings : loopback_),
      postgres_({.fsync = options.fsync}),
      dsn_(MakeDatabase(postgres_)),
      dsn_of_processes_(surroundings_.DsnOf(dsn_)) {
  for (int cell = 1; cell < options_.cells; ++cell) {
    more_cells_.push_back(
        std::make_unique<CellDatabase>(testkit::PgClusterOptions{.fsync = options_.fsync}));
  }
  char name[] = "/tmp/tarot-e2e-XXXXXX";
  TAROT_CHECK(mkdtemp(name) != nullptr);
  directory_ = name;
  for (const char* file : {"internal.keys", "gateway.keys", "seed.keys", "operator.keys"}) {
    WriteKeyFile(absl::StrCat(directory_, "/", file), entropy_);
  }
  if (options_.identities) {
    Identity("make");
    const std::string folder = directory_ + "/identity/";
    const std::string pem = folder + "operator/tls.pem";
    rpc::UseTransportSecurity(
        {.tls = rpc::Tls::Open({.cert = pem, .key = pem, .ca = folder + "public/ca.pem"}).value()});
  }
  std::vector<std::string> processes;
  for (const char* service : kServices) {
    for (const std::string& process : Replicas(service)) processes.push_back(process);
  }
  int port = FreePorts(kPortsPerProcess * static_cast<int>(processes.size()));
  for (const std::string& process : processes) {
    if (HasDoor(process)) mkdir(DoorFolder(DoorOf(process)).c_str(), 0700);
  }
  for (const std::string& process : processes) {
    ports_[process] = std::exchange(port, port + kPortsPerProcess);
  }
  Migrate();
  for (const std::string& process : processes) Start(process);
  for (const std::string& process : processes) {
    TAROT_CHECK(Eventually(absl::Seconds(60), [&] { return Is(rpc::kReadiness, process); }));
  }
  ApplyQueues();
}

std::string Cluster::MakeDatabase(const testkit::PgCluster& postgres) {
  const std::string host = absl::StrCat("host=", postgres.directory());
  TAROT_CHECK(MakeRoles(host));
  return absl::StrCat(host, " user=tarot dbname=", kDatabase);
}

std::string Cluster::DsnOf(const std::string& service, int cell) const {
  const std::string superuser = absl::StrCat("user=tarot dbname=", kDatabase);
  return absl::StrReplaceAll(
      cell == 0 ? dsn_of_processes_ : dsn(cell),
      {{superuser, absl::StrCat("user=tarot_", service, " dbname=", kDatabase)}});
}

const std::string& Cluster::dsn(int cell) const {
  return cell == 0 ? dsn_ : more_cells_.at(static_cast<std::size_t>(cell - 1))->dsn;
}

testkit::PgCluster& Cluster::postgres(int cell) {
  return cell == 0 ? postgres_ : more_cells_.at(static_cast<std::size_t>(cell - 1))->postgres;
}

int Cluster::CellOfProcess(const std::string& process) const {
  if (process.rfind("rules", 0) != 0) return 0;
  const std::size_t dot = process.find('.');
  const int number = dot == std::string::npos ? 1 : std::stoi(process.substr(dot + 1));
  return (number - 1) % options_.cells;
}

void Cluster::UsePrograms(const std::string& folder, bool services_own_schemas) {
  programs_ = folder;
  services_own_schemas_ = services_own_schemas;
}

void Cluster::Migrate() {
  for (const char* service : {"rules", "matchmaking", "ratings", "admin"}) {
    if (!Replicas(service).empty()) RunMigrations(service, 0);
  }
  for (int cell = 1; cell < options_.cells; ++cell) RunMigrations("rules", cell);
}

void Cluster::RunMigrations(const std::string& service, int cell) {
  // Old programs have no flag --cell. They run with one cell only.
  const std::string of_cell = cell == 0 ? "" : absl::StrCat(" --cell=", cell);
  const std::string command =
      absl::StrCat(ProgramOf(service), " --migrate_only", of_cell, " --dsn='", DsnOf("owner", cell),
                   "' >>", directory_, "/migrate.log 2>&1");
  if (std::system(command.c_str()) == 0) return;
  std::fprintf(stderr, "the migrations failed:\n%s\n", LogOf("migrate").c_str());
  TAROT_CHECK(false);
}

void Cluster::ApplyQueues() {
  if (Replicas("matchmaking").empty()) return;
  // In the tests, new guests may play ranked matches without earlier matches.
  std::ifstream in(TAROT_SOURCE_DIR "/deploy/queues.json");
  const std::string shipped{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string file = directory_ + "/queues.json";
  std::string queues = std::regex_replace(shipped, std::regex(R"("required_matches": \d+)"),
                                          R"("required_matches": 0)");
  if (options_.deal_count > 0) {
    queues = std::regex_replace(queues, std::regex(R"("deal_count": \d+)"),
                                absl::StrCat(R"("deal_count": )", options_.deal_count));
  }
  std::ofstream(file) << queues;
  const std::string command = absl::StrCat(TAROT_BIN_DIR, "/tarot-apply-queues --file=", file,
                                           " --matchmaking_address=", Addresses("matchmaking"), " ",
                                           absl::StrJoin(IdentityFlags("operator"), " "), " >>",
                                           directory_, "/apply_queues.log 2>&1");
  if (std::system(command.c_str()) == 0) return;
  std::fprintf(stderr, "tarot-apply-queues failed:\n%s\n", LogOf("apply_queues").c_str());
  TAROT_CHECK(false);
}

std::vector<std::string> Cluster::IdentityFlags(const std::string& service) const {
  if (!options_.identities) {
    return {absl::StrCat("--internal_key_file=", directory_, "/internal.keys")};
  }
  const std::string folder = directory_ + "/identity/";
  return {absl::StrCat("--tls_cert_file=", folder, service, "/tls.pem"),
          absl::StrCat("--tls_key_file=", folder, service, "/tls.pem"),
          absl::StrCat("--tls_ca_file=", folder, "public/ca.pem"),
          absl::StrCat("--signing_key_file=", folder, service, "/signing.keys"),
          absl::StrCat("--service_keys_file=", folder, "public/service.keys")};
}

void Cluster::Identity(const std::string& command, const std::string& services) {
  const std::string line = absl::StrCat(TAROT_SOURCE_DIR, "/deploy/identity/identity.sh ", command,
                                        " ", directory_, "/identity ", services);
  TAROT_CHECK(std::system(line.c_str()) == 0);
}

Cluster::~Cluster() {
  if (options_.identities) rpc::UseTransportSecurity({});
  for (const auto& [process, pid] : pids_) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  std::filesystem::remove_all(directory_);
}

std::vector<std::string> Cluster::Replicas(const std::string& service) const {
  const auto wanted = options_.replicas.find(service);
  const int usual = service == "admin" ? 0 : service == "rules" ? options_.cells : 1;
  const int count = wanted == options_.replicas.end() ? usual : wanted->second;
  std::vector<std::string> processes;
  if (count > 0) processes.push_back(service);
  for (int i = 2; i <= count; ++i) processes.push_back(absl::StrCat(service, ".", i));
  return processes;
}

std::string Cluster::Addresses(const std::string& service) const {
  std::map<int, std::vector<std::string>> by_cell;
  for (const std::string& process : Replicas(service)) {
    by_cell[CellOfProcess(process)].push_back(AddressOf(process));
  }
  if (by_cell.size() <= 1) return absl::StrJoin(by_cell[0], ",");
  return absl::StrJoin(by_cell, ";", [](std::string* out, const auto& cell) {
    absl::StrAppend(out, cell.first, "=", absl::StrJoin(cell.second, ","));
  });
}

std::string Cluster::HostOf(const std::string& process) const {
  return surroundings_.HostOf(process);
}

std::string Cluster::AddressOf(const std::string& process) const {
  const std::string listener = HasDoor(process) ? GatewayOf(DoorOf(process)) : process;
  return absl::StrCat(HostOf(listener), ":", port(listener));
}

std::string Cluster::MetricsAddressOf(const std::string& process) const {
  return absl::StrCat(HostOf(process), ":", metrics_port(process));
}

bool Cluster::HasDoor(const std::string& process) const {
  return options_.door && IsGateway(process);
}

std::string Cluster::DoorOf(const std::string& gateway) const {
  return options_.one_door ? "door" : "door" + gateway.substr(7);
}

std::string Cluster::DoorFolder(const std::string& door) const {
  return absl::StrCat(directory_, "/", door);
}

std::string Cluster::SocketOf(const std::string& gateway) const {
  return absl::StrCat("unix:", DoorFolder(DoorOf(gateway)), "/", gateway, ".sock");
}

void Cluster::WriteDoorConfiguration(const std::string& door) const {
  std::ifstream shipped(TAROT_SOURCE_DIR "/deploy/haproxy/haproxy.cfg");
  std::ofstream out(absl::StrCat(DoorFolder(door), "/haproxy.cfg"));
  for (std::string line; std::getline(shipped, line);) {
    if (!absl::StartsWith(line, "  server gateway ")) {
      out << line << "\n";
      continue;
    }
    for (const std::string& gateway : Replicas("gateway")) {
      if (DoorOf(gateway) != door) continue;
      out << absl::StrReplaceAll(line, {{"gateway.sock", gateway + ".sock"},
                                        {"server gateway ", "server " + gateway + " "}})
          << "\n";
    }
  }
  TAROT_CHECK(out.flush());
}

void Cluster::SetDoorEnvironment(const std::string& door) const {
  const std::string gateway = GatewayOf(door), folder = DoorFolder(door);
  const std::pair<const char*, std::string> variables[] = {
      {"TAROT_DOOR_ADDRESS",
       absl::StrCat(surroundings_.GatewayListensAt(gateway), ":", port(gateway))},
      {"TAROT_DOOR_PAGE_ADDRESS", absl::StrCat("127.0.0.1:", page_port(gateway))},
      {"TAROT_DOOR_METRICS", absl::StrCat("unix@", folder, "/metrics.sock")},
      {"TAROT_DOOR_PLAINTEXT", options_.surroundings == nullptr ? "loopback" : "network"},
      {"TAROT_DOOR_FOLDER", folder}};
  for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
}

bool Cluster::Is(const std::string& health, const std::string& process) const {
  if (IsDoor(process)) return Accepts(HostOf(GatewayOf(process)), port(GatewayOf(process)));
  const std::string address =
      HasDoor(process) ? SocketOf(process) : absl::StrCat(HostOf(process), ":", port(process));
  const std::string service = IsGateway(process) ? "" : process.substr(0, process.find('.'));
  return rpc::CheckHealth(address, health, absl::Seconds(1), service).ok();
}

std::string Cluster::ProgramOf(const std::string& service) const {
  const auto binary = options_.binaries.find(service);
  return absl::StrCat(programs_, "/",
                      binary == options_.binaries.end() ? "tarot-" + service : binary->second);
}

std::vector<std::string> Cluster::Arguments(const std::string& process) const {
  if (IsDoor(process)) {
    return {"/usr/sbin/haproxy", "-W", "-f", DoorFolder(process) + "/haproxy.cfg"};
  }
  const std::string service = process.substr(0, process.find('.'));
  std::vector<std::string> out = {
      ProgramOf(service),
      absl::StrCat("--listen_address=", HasDoor(process) ? SocketOf(process) : AddressOf(process)),
      absl::StrCat("--metrics_address=", MetricsAddressOf(process))};
  for (std::string& flag : IdentityFlags(service)) out.push_back(std::move(flag));
  // A test with surroundings has a network of its own, which no other machine can reach.
  if (options_.surroundings != nullptr) out.push_back("--allow_plaintext");
  out.push_back(absl::StrCat("--lame_duck=",
                             HasDoor(process) ? absl::FormatDuration(options_.lame_duck) : "0"));
  const auto peer = [&](const std::string& name) {
    out.push_back(absl::StrCat("--", name, "_address=", Addresses(name)));
  };
  const bool stores = service != "bot" && service != "gateway";
  if (stores) {
    out.push_back(absl::StrCat(
        "--dsn=", DsnOf(services_own_schemas_ ? "owner" : service, CellOfProcess(process))));
  }
  if (service == "rules") {
    for (const char* name : {"bot", "ratings", "matchmaking"}) peer(name);
    out.push_back(absl::StrCat("--seed_key_file=", directory_, "/seed.keys"));
    if (options_.cells > 1) {
      out.push_back(absl::StrCat("--cell=", CellOfProcess(process)));
      out.push_back(absl::StrCat("--cells=", Addresses("rules")));
    }
    out.insert(out.end(), options_.rules_flags.begin(), options_.rules_flags.end());
  } else if (service == "admin") {
    for (const char* name : {"rules", "matchmaking", "ratings"}) peer(name);
    out.push_back(absl::StrCat("--operator_key_file=", directory_, "/operator.keys"));
  } else if (service == "bot") {
    peer("rules");
  } else if (service == "matchmaking") {
    for (const char* name : {"rules", "ratings"}) peer(name);
    out.push_back(absl::StrCat("--population=", options_.population));
  } else if (service == "gateway") {
    for (const char* name : {"rules", "matchmaking", "ratings", "bot"}) peer(name);
    out.push_back(absl::StrCat("--gateway_key_file=", directory_, "/gateway.keys"));
    if (!options_.door) out.push_back("--loopback_players");
    out.push_back(absl::StrCat("--http_address=",
                               HasDoor(process) ? SocketOf(process) + ".http"
                                                : absl::StrCat("127.0.0.1:", page_port(process))));
    out.insert(out.end(), options_.gateway_flags.begin(), options_.gateway_flags.end());
  }
  return out;
}

void Cluster::Fork(const std::string& process) {
  const std::vector<std::string> arguments = Arguments(process);
  if (IsDoor(process)) WriteDoorConfiguration(process);
  const std::string log = absl::StrCat(directory_, "/", process, ".log");
  const pid_t pid = fork();
  TAROT_CHECK(pid >= 0);
  if (pid == 0) {
    surroundings_.Enter(IsDoor(process) ? GatewayOf(process) : process);
    if (IsDoor(process)) SetDoorEnvironment(process);
    Exec(arguments, log);
  }
  pids_[process] = pid;
}

bool Cluster::Reap(const std::string& process) {
  return waitpid(pids_.at(process), nullptr, WNOHANG) != 0;
}

void Cluster::Start(const std::string& process) {
  Fork(process);
  const bool faulty = options_.surroundings != nullptr;
  const bool up = Eventually(absl::Seconds(60), [&] {
    if (Reap(process)) Fork(process);  // The process may have ended, because its start failed.
    return Is(faulty ? rpc::kLiveness : rpc::kReadiness, process);
  });
  if (!up)
    std::fprintf(stderr, "%s does not serve:\n%s\n", process.c_str(), LogOf(process).c_str());
  TAROT_CHECK(up);
  if (HasDoor(process) && pids_.count(DoorOf(process)) == 0) Start(DoorOf(process));
}

int Cluster::Kill(const std::string& process, int signal) {
  const pid_t pid = pids_.at(process);
  int status = 0;
  kill(pid, signal);
  waitpid(pid, &status, 0);
  pids_.erase(process);
  return status;
}

std::optional<int> Cluster::Stop(const std::string& process, absl::Duration grace) {
  const pid_t pid = pids_.at(process);
  int status = 0;
  kill(pid, SIGTERM);
  if (!Eventually(grace, [&] { return waitpid(pid, &status, WNOHANG) == pid; })) {
    Kill(process, SIGKILL);
    return std::nullopt;
  }
  pids_.erase(process);
  return status;
}

void Cluster::Signal(const std::string& process, int signal) { kill(pids_.at(process), signal); }

std::unique_ptr<client::Client> Cluster::SignIn(const std::string& name,
                                                const std::string& gateway) {
  return SignInAt(AddressOf(gateway), name);
}

std::unique_ptr<client::Client> Cluster::SignInAt(const std::string& address,
                                                  const std::string& name, bool own_connection) {
  auto player = std::make_unique<client::Client>(rpc::MakeChannel(address, own_connection),
                                                 client::Options{}, scheduler_, entropy_);
  const absl::Status status = player->SignInAsGuest(name);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  TAROT_CHECK(status.ok());
  return player;
}

std::string Cluster::LogOf(const std::string& process) const {
  std::ostringstream text;
  text << std::ifstream(absl::StrCat(directory_, "/", process, ".log")).rdbuf();
  return text.str();
}

}  // namespace tarot::e2e
