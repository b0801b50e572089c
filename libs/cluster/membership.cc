#include "libs/cluster/membership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::cluster {
namespace {

// If a node sends no heartbeat during this many heartbeats of this node, this node removes the
// other node's row. So the table stays small.
constexpr int kHeartbeatsToRemoval = 60;

}  // namespace

absl::StatusOr<std::string> AdvertisedAddress(const std::string& advertise_address,
                                              const std::string& listen_address, int port) {
  if (!advertise_address.empty()) return advertise_address;
  const std::string host = listen_address.substr(0, listen_address.rfind(':'));
  if (host.empty() || host == "0.0.0.0" || host == "[::]") {
    return BadRequest("advertise_address", "required when listening on every address");
  }
  return absl::StrCat(host, ":", port);
}

Membership::Membership(MemberStore& store, WorkerPool& worker, Clock& clock, Scheduler& scheduler,
                       std::string address, const Uuid& incarnation, Callbacks callbacks)
    : store_(store),
      worker_(worker),
      clock_(clock),
      scheduler_(scheduler),
      address_(std::move(address)),
      incarnation_(incarnation),
      callbacks_(std::move(callbacks)) {}

absl::Status Membership::Start() {
  const absl::Time started = clock_.Now();
  TAROT_RETURN_IF_ERROR(HeartbeatOnce());
  Plan(started);
  return absl::OkStatus();
}

// Plans the next heartbeat one interval after the start of the last one. A slow heartbeat must not
// delay the next, because other nodes would treat this node as dead.
void Membership::Plan(absl::Time last_started) {
  const absl::Duration wait = std::clamp(last_started + kHeartbeatInterval - clock_.Now(),
                                         absl::ZeroDuration(), kHeartbeatInterval);
  scheduler_.After(wait, [this] {
    const bool queued = worker_.TryRun([this] {
      const absl::Time started = clock_.Now();
      const absl::Status status = HeartbeatOnce();
      if (!status.ok()) callbacks_.on_failed(status);
      Plan(started);
    });
    if (!queued) Plan(clock_.Now());
  });
}

absl::Status Membership::HeartbeatOnce() {
  const std::lock_guard one_at_a_time(sending_);
  {
    const std::lock_guard lock(mutex_);
    if (left_) return absl::OkStatus();
  }
  const absl::Time started = clock_.Now();
  TAROT_ASSIGN_OR_RETURN(const std::vector<Member> members, HeartbeatOrStepAside());
  callbacks_.on_heartbeat(Digest(members, started));
  {
    const std::lock_guard lock(mutex_);
    fresh_since_ = started;
  }
  RemoveLongDead();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Member>> Membership::HeartbeatOrStepAside() {
  const bool first = Current()->empty();
  if (first || !callbacks_.reachable || callbacks_.reachable()) {
    return store_.Heartbeat(address_, incarnation_);
  }
  // First remove this node's row, then read the list. If two nodes do this at the same time, at
  // least one of them sees that no other node is left.
  TAROT_RETURN_IF_ERROR(store_.Remove(address_, incarnation_));
  TAROT_ASSIGN_OR_RETURN(std::vector<Member> others, store_.List());
  if (AnyLives(others)) return others;
  return store_.Heartbeat(address_, incarnation_);
}

// Returns how many heartbeats of this node in a row, the current one included, have found the row
// of `member` unchanged.
int Membership::Unmoved(const Member& member) const {
  const auto before = seen_.find(member.address);
  if (before == seen_.end()) return 0;
  const Member& old = before->second.member;
  const bool moved = old.heartbeat != member.heartbeat || old.incarnation != member.incarnation;
  return moved ? 0 : before->second.unmoved + 1;
}

bool Membership::AnyLives(const std::vector<Member>& members) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(members.begin(), members.end(),
                     [this](const Member& m) { return Unmoved(m) < kHeartbeatsToDeath; });
}

// Returns how many heartbeats the other node has sent since this node last saw its row. If this
// node did not see the row at its last heartbeat, or saw a higher number in it, the row is new.
// Then returns the number in the row.
std::int64_t Membership::HeartbeatsSince(const Member& member) const {
  const auto before = seen_.find(member.address);
  const bool known = before != seen_.end() && before->second.member.heartbeat <= member.heartbeat;
  return member.heartbeat - (known ? before->second.member.heartbeat : 0);
}

HeartbeatNews Membership::Digest(const std::vector<Member>& members, absl::Time started) {
  HeartbeatNews news;
  NodeList living;
  std::map<std::string, Seen> seen;
  const std::lock_guard lock(mutex_);
  const bool first = fresh_since_ == absl::InfinitePast();
  news.outage = !first && started - fresh_since_ >= kHeartbeatsToDeath * kHeartbeatInterval;
  for (const Member& member : members) {
    const int unmoved = Unmoved(member);
    seen[member.address] = {.member = member, .unmoved = unmoved};
    // If another node sent more than kHeartbeatsToDeath heartbeats since the last heartbeat of this
    // node, it has treated this node as dead.
    const bool other = member.address != address_;
    if (!first && other && HeartbeatsSince(member) > kHeartbeatsToDeath) news.rejoined = true;
    if (unmoved < kHeartbeatsToDeath) living.push_back(member.address);
  }
  seen_ = std::move(seen);
  Publish(std::move(living), news);
  return news;
}

void Membership::Publish(NodeList nodes, HeartbeatNews& news) {
  std::sort(nodes.begin(), nodes.end());
  news.changed = nodes != *nodes_;
  if (news.changed) nodes_ = std::make_shared<NodeList>(std::move(nodes));
  news.nodes = nodes_;
}

void Membership::RemoveLongDead() {
  std::vector<Member> dead;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, seen] : seen_) {
      if (seen.unmoved >= kHeartbeatsToRemoval) dead.push_back(seen.member);
    }
  }
  // If such a node was only paused, its next heartbeat writes the row again.
  for (const Member& member : dead) (void)store_.Remove(member.address, member.incarnation);
}

std::shared_ptr<const NodeList> Membership::Current() const {
  const std::lock_guard lock(mutex_);
  return nodes_;
}

bool Membership::Fresh() const {
  const std::lock_guard lock(mutex_);
  return clock_.Now() - fresh_since_ < kHeartbeatsToDeath * kHeartbeatInterval;
}

std::shared_ptr<const NodeList> Membership::Leave() {
  const std::lock_guard one_at_a_time(sending_);
  // If the store is away, the row stays, but the other nodes notice that its heartbeat does not
  // grow.
  (void)store_.Remove(address_, incarnation_);
  HeartbeatNews news;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(left_, true)) return nodes_;
    NodeList others = *nodes_;
    std::erase(others, address_);
    Publish(std::move(others), news);
  }
  callbacks_.on_heartbeat(news);
  return news.nodes;
}

}  // namespace tarot::cluster
