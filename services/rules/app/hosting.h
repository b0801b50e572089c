// Which tables this replica hosts: runs their clocks, asks their bots, shows them to watchers. Only
// speed and liveness hang on it: where two replicas disagree, the keys of the log referee.
#pragma once

#include <atomic>
#include <string>

#include "libs/base/ids.h"
#include "libs/cluster/membership.h"
#include "libs/cluster/rendezvous.h"

namespace tarot::rules_service {

// Thread-safe.
class Hosting {
 public:
  virtual ~Hosting() = default;

  // The address of the replica that hosts `table`; empty when it is this one.
  virtual std::string HostOf(TableId table) const = 0;
  bool Here(TableId table) const { return HostOf(table).empty(); }

  // False when others may host in this replica's place without its knowledge: then it must not
  // decide that somebody's time is up.
  virtual bool Fresh() const = 0;
};

// The only replica there is.
class HostsAll final : public Hosting {
 public:
  std::string HostOf(TableId) const override { return ""; }
  bool Fresh() const override { return true; }
};

// By rendezvous hashing over the members. Without any, before the first beat or when the last one
// has left, this replica does what there is to do.
class MemberHosting final : public Hosting {
 public:
  // Which outlive it. Until then nobody else is known. They know their address when the server has
  // its port, and that needs somebody to ask who hosts.
  void Use(const cluster::Membership& members) { members_ = &members; }

  std::string HostOf(TableId table) const override {
    const cluster::Membership* const members = members_;
    if (members == nullptr) return "";
    std::string host = cluster::HostOf(table.uuid, *members->Current());
    if (host == members->address()) host.clear();
    return host;
  }
  bool Fresh() const override {
    const cluster::Membership* const members = members_;
    return members != nullptr && members->Fresh();
  }

 private:
  std::atomic<const cluster::Membership*> members_ = nullptr;
};

}  // namespace tarot::rules_service
