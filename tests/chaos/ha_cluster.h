// A Patroni cluster of three Postgres nodes for tests, with the configuration of deploy/ha. Tests
// can kill and freeze its parts.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "libs/testkit/reaper.h"

namespace tarot::chaos {

// Node N (1, 2 or 3) listens on 127.0.0.N and runs etcd, Patroni and Postgres. If a program is
// missing or the cluster does not start, the test aborts.
class HaCluster {
 public:
  // Returns when the cluster has a primary with a synchronous standby and an empty database.
  HaCluster();
  ~HaCluster();

  // Returns a DSN that names all nodes and finds the primary.
  std::string dsn() const;

  // Returns the node of the primary, or 0 if there is none now.
  int Primary() const;
  // Returns the node that may replace the primary. It is the standby for which commits wait, and
  // Patroni has stored its name in etcd. Returns 0 if there is no such node now.
  int SyncStandby() const;
  // Waits until there is a primary with a synchronous standby. Returns false after three minutes.
  bool WaitUntilSafe() const;
  // Waits until `count` standbys stream from the primary. Returns false after three minutes.
  bool WaitForStandbys(int count) const;

  void KillServer(int node);  // Kills Postgres, but not Patroni and etcd.
  void KillNode(int node);    // Kills all programs of the node.
  void StartNode(int node);   // Starts all programs of the node that do not run.
  void FreezeServer(int node);
  void FreezeNode(int node);
  void Thaw(int node);
  // Makes the synchronous standby the primary, as an operator does before maintenance.
  void Switchover();

 private:
  // Makes the certificate of the nodes.
  void MakeIdentity() const;
  // Returns the part of a DSN that authenticates the superuser and the server.
  std::string Login() const;
  void Start(const std::string& name, const std::string& command);
  std::optional<pid_t> Postmaster(int node) const;
  // Sends the signal to the postmaster and its children.
  void SignalServer(int node, int signal) const;
  void Signal(const std::string& name, int signal) const;
  // Runs a statement on the node. Returns nullopt if the node does not answer within two seconds.
  std::optional<std::string> Ask(int node, const std::string& sql) const;

  std::string folder_;
  // The user that runs the programs if this process is root. If not, the text is empty.
  std::string user_;
  int port_ = 0;
  std::map<std::string, pid_t> pids_;  // Keys: program and node, for example "etcd1".
  std::optional<testkit::Reaper> reaper_;
};

}  // namespace tarot::chaos
