// Says which tables this replica hosts. The host of a table runs its clocks, asks its bots and
// serves its watchers. If two replicas disagree about a host, calls may be slow, but no data is
// lost: the primary key of the log decides which entry is stored.
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

  // Returns the address of the replica that hosts `table`. Returns an empty string if this replica
  // hosts it.
  virtual std::string HostOf(TableId table) const = 0;
  bool Here(TableId table) const { return HostOf(table).empty(); }

  // Returns false if other replicas may now host tables of this replica without its knowledge. In
  // that case this replica must not decide that a player's time is up.
  virtual bool Fresh() const = 0;
};

// Hosts by rendezvous hashing over the members. While the list is empty, before the first heartbeat
// or after the last member left, this replica hosts every table.
class MemberHosting final : public Hosting {
 public:
  // Follows the list of `members`, which must outlive this object. Until this call, this replica
  // hosts every table. The constructor cannot take `members`, because `members` is made later.
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
