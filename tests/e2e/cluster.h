// Runs the platform for tests: each service is a process on free ports of loopback, and Postgres is
// real. Tests can kill processes and start them again.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "libs/testkit/pg_fixture.h"
#include "tests/e2e/eventually.h"
#include "tests/e2e/surroundings.h"

namespace tarot::e2e {

// Returns the first of `count` consecutive loopback ports that were all free a moment ago.
int FreePorts(int count);

// Makes `folder` with a new certificate for localhost: cert.pem, key.pem, and both in both.pem, as
// HAProxy reads them. Returns false if openssl fails; then openssl.log in the folder says why.
bool MakeCertificate(const std::string& folder);

// Runs deploy/postgres/roles.sql as the superuser "tarot" of a testkit::PgCluster. `host` is
// "host=DIRECTORY". Returns false if psql fails.
bool MakeRoles(const std::string& host);

struct ClusterOptions {
  int population = 8;
  // The number of deals of a match in every queue. If 0, each queue keeps the number in
  // deploy/queues.json.
  int deal_count = 0;
  std::vector<std::string> rules_flags = {"--bot_delay=10ms", "--bots_only_delay=10ms",
                                          "--deal_pause=50ms"};
  std::vector<std::string> gateway_flags = {};
  // The value of --lame_duck of a gateway behind HAProxy, which needs some time to notice that the
  // gateway is not ready. Other processes get no such time, because in a test no program checks
  // whether they are ready.
  absl::Duration lame_duck = absl::Milliseconds(2'500);
  // The number of cells. Each cell has a Postgres of its own. The Postgres of cell 0 also has the
  // schemas of the other services. The replicas of rules belong to the cells in turn: with two
  // cells, "rules" and "rules.3" to cell 0, "rules.2" and "rules.4" to cell 1.
  int cells = 1;
  // The number of replicas of each service. A service that is not listed has one replica, and rules
  // has one in each cell. Exception: if admin is not listed, it has no replica.
  std::map<std::string, int> replicas = {};
  // Name of the program by service. The default is "tarot-SERVICE".
  std::map<std::string, std::string> binaries = {};
  // The folder of the programs, as in UsePrograms(). The default is the folder of this build.
  std::string programs = "";
  bool services_own_schemas = false;
  // If true, players reach each gateway through HAProxy, as in production. If false, players
  // connect to the gateway directly.
  bool door = false;
  // If true, the processes use mTLS, and each service has its own certificate and signing key, as
  // in production. If false, the processes use no TLS and share one key ring. Then the cluster
  // starts sooner. The test process then has the identity of the operators.
  bool identities = false;
  // Used only with `door`. If true, all gateways share one HAProxy, which is the door of the first
  // gateway. If false, each gateway has an HAProxy of its own.
  bool one_door = false;
  // The network and the route to Postgres. nullptr means loopback and a Unix socket. The object
  // must outlive the cluster.
  Surroundings* surroundings = nullptr;
  // Says whether Postgres uses fsync. Set it to false in tests that measure times and do not kill
  // Postgres: fsync is slow while the disk still writes the results of a build.
  bool fsync = true;
};

class Cluster {
 public:
  explicit Cluster(const ClusterOptions& options = {});
  ~Cluster();  // Kills all processes and removes their files.

  // A process is "rules", "matchmaking", "bot", "ratings", "gateway" or "admin"; further replicas
  // are "rules.2", "rules.3". The door (HAProxy) of "gateway.2" is "door.2", or "door" with
  // one_door. Normally, Start waits until the process is ready. With Surroundings, the database may
  // be out of reach, so Start only waits until the process is live. If the process ends during the
  // wait, Start starts it again.
  void Start(const std::string& process);
  // From now on, processes start from the programs in `folder`, for example those of another
  // version. Processes that run stay as they are. If `services_own_schemas` is true, the processes
  // use the role that owns the schemas. Old versions need this role, because their processes apply
  // migrations when they start.
  void UsePrograms(const std::string& folder, bool services_own_schemas = false);
  // Applies the migrations of the present programs to the schema of each service that has a
  // replica, as the job of a deployment does. Aborts the test if this fails.
  void Migrate();

  // Starts a process and does not wait.
  void Launch(const std::string& process) { Fork(process); }
  // Returns what --check says about a service's process, or whether HAProxy listens.
  bool Is(const std::string& health, const std::string& process) const;
  // Sends `signal`, waits for the end of the process, and returns its wait status.
  int Kill(const std::string& process, int signal);
  // Sends SIGTERM and returns the wait status. If the process still runs after `grace`, kills it
  // and returns nullopt.
  std::optional<int> Stop(const std::string& process, absl::Duration grace);
  // Sends SIGSTOP or SIGCONT and does not wait.
  void Signal(const std::string& process, int signal);

  // Returns the processes of a service: "rules", "rules.2", ...
  std::vector<std::string> Replicas(const std::string& service) const;
  // Returns the addresses of the service's replicas, host:port, separated by commas. For rules with
  // several cells, returns the form of rpc::ParseCells().
  std::string Addresses(const std::string& service) const;

  // Returns the address of a process, host:port. For a gateway with a door (HAProxy), returns the
  // address of the door.
  std::string AddressOf(const std::string& process) const;
  std::string MetricsAddressOf(const std::string& process) const;
  int port(const std::string& process) const { return ports_.at(process); }
  int metrics_port(const std::string& process) const { return ports_.at(process) + 1; }
  // Returns the port where browsers reach this gateway, or its door.
  int page_port(const std::string& gateway) const { return ports_.at(gateway) + 2; }
  const std::map<std::string, pid_t>& pids() const { return pids_; }
  // Returns the DSN of the role of `service`, or of the role "owner" that owns the schemas. If the
  // surroundings have a Postgres of their own, there are no such roles. `cell` is the cell whose
  // Postgres is meant.
  std::string DsnOf(const std::string& service, int cell = 0) const;
  // Returns the DSN for the test itself.
  const std::string& dsn(int cell = 0) const;
  const std::string& directory() const { return directory_; }
  // Returns the flags with the identity of a service. Used only with `identities`.
  std::vector<std::string> IdentityFlags(const std::string& service) const;
  // Runs a command of deploy/identity/identity.sh for these services. By default, runs it for all
  // services.
  void Identity(const std::string& command, const std::string& services = kAllIdentities);
  static constexpr char kAllIdentities[] = "bot ratings rules matchmaking gateway admin operator";
  testkit::PgCluster& postgres(int cell = 0);

  // Returns a player who has signed in at `gateway`.
  std::unique_ptr<client::Client> SignIn(const std::string& name,
                                         const std::string& gateway = "gateway");
  // Returns a player who has signed in at the address host:port or unix:PATH. Players share one
  // connection to each address, except players with `own_connection`.
  std::unique_ptr<client::Client> SignInAt(const std::string& address, const std::string& name,
                                           bool own_connection = false);
  // Returns unix:PATH of the socket between a gateway and its door (HAProxy).
  std::string SocketOf(const std::string& gateway) const;

  // Returns the output of `process` so far.
  std::string LogOf(const std::string& process) const;

 private:
  std::string ProgramOf(const std::string& service) const;
  std::vector<std::string> Arguments(const std::string& process) const;
  bool HasDoor(const std::string& process) const;
  std::string DoorOf(const std::string& gateway) const;
  // Returns the folder of the sockets between a door (HAProxy) and its gateways.
  std::string DoorFolder(const std::string& door) const;
  // Writes HAProxy's shipped configuration, with all gateways of `door` as servers.
  void WriteDoorConfiguration(const std::string& door) const;
  // Sets the environment variables that HAProxy's configuration reads. Runs in the child process.
  void SetDoorEnvironment(const std::string& door) const;
  std::string HostOf(const std::string& process) const;
  // The Postgres of a cell other than cell 0.
  struct CellDatabase {
    explicit CellDatabase(const testkit::PgClusterOptions& options)
        : postgres(options), dsn(MakeDatabase(postgres)) {}

    testkit::PgCluster postgres;
    const std::string dsn;
  };

  // Makes the database and the roles with deploy/postgres/roles.sql, as in production. Returns the
  // DSN of a superuser.
  static std::string MakeDatabase(const testkit::PgCluster& postgres);
  void RunMigrations(const std::string& service, int cell);
  // Returns the cell of a replica of rules, and 0 for all other processes.
  int CellOfProcess(const std::string& process) const;
  // Gives a new database the queues and bots of deploy/queues.json.
  void ApplyQueues();
  void Fork(const std::string& process);
  // Returns whether the process ended by itself.
  bool Reap(const std::string& process);

  const ClusterOptions options_;
  std::string programs_;
  bool services_own_schemas_;
  Surroundings loopback_;
  Surroundings& surroundings_;
  std::string directory_;
  testkit::PgCluster postgres_;
  std::string dsn_;
  std::string dsn_of_processes_;
  std::vector<std::unique_ptr<CellDatabase>> more_cells_;  // Cell 1, cell 2, ...
  std::map<std::string, int> ports_;
  std::map<std::string, pid_t> pids_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
};

}  // namespace tarot::e2e
