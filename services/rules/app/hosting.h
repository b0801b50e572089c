// Declares the interface that says which tables this replica hosts. The host of a table runs its
// clocks, asks its bots and serves its watchers. If two replicas disagree about the host of a
// table, calls may be slow, but no data is lost: the primary key of the log decides which entry is
// stored.
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

  // Normally returns true. Returns false while this replica cannot know whether other replicas have
  // begun to host its tables. In this case, this replica must not decide that a player's time is
  // over.
  virtual bool Fresh() const = 0;
};

// Chooses the host of each table by rendezvous hashing over the members. While the list of members
// is empty, this replica hosts every table. The list is empty before the first heartbeat, and after
// the last member has left.
class MemberHosting final : public Hosting {
 public:
  // Follows the list of `members`, which must outlive this object. Until this call, this replica
  // hosts every table. The constructor cannot take `members`, because the Members object is made
  // after this object.
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
  // Returns the number of replicas on the list.
  std::size_t ReplicaCount() const {
    const cluster::Membership* const members = members_;
    return members == nullptr ? 0 : members->Current()->size();
  }

 private:
  std::atomic<const cluster::Membership*> members_ = nullptr;
};

}  // namespace tarot::rules_service
