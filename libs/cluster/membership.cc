#include "libs/cluster/membership.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::cluster {
namespace {

// If another node sends no heartbeat while this node sends this number of heartbeats, this node
// removes the other node's row. So the SQL table stays small.
constexpr int kHeartbeatsToRemoval = 60;

// If two processes with one address send their first heartbeats at the same time, neither process
// sees the row of the other process. So neither process knows which of them is younger, and each
// replaces the row of the other process again and again. Each process counts how often its row has
// been replaced. When the count is kReplacedToLeave, the process with the greater incarnation
// leaves.
constexpr int kReplacedToLeave = 5;

// If a call of the store takes longer than kMeasureMax, this node does not use it to measure its
// own clock.
constexpr absl::Duration kMeasureMax = absl::Seconds(10);

}  // namespace

absl::StatusOr<std::string> AdvertisedAddress(const std::string& advertise_address,
                                              const std::string& listen_address, int port) {
  if (!advertise_address.empty()) return advertise_address;
  const std::string host = listen_address.substr(0, listen_address.rfind(':'));
  if (host.empty() || host == "0.0.0.0" || host == "[::]") {
    return BadRequest("advertise_address", "is required if the service listens on every address");
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
  TAROT_RETURN_IF_ERROR(CheckBeforeJoining());
  const absl::Time started = clock_.Now();
  TAROT_RETURN_IF_ERROR(HeartbeatOnce());
  Plan(started);
  return absl::OkStatus();
}

absl::Status Membership::CheckBeforeJoining() {
  TAROT_ASSIGN_OR_RETURN(Roll roll, Measure([this] { return store_.List(); }));
  std::erase_if(roll.members, [this](const Member& m) { return m.address == address_; });
  NodeList others;
  {
    const std::lock_guard lock(mutex_);
    // Ignores the rows whose clock differs from this node's clock. Such a row may belong to a dead
    // node whose clock was wrong.
    std::erase_if(roll.members, [this](const Member& m) { return !AgreesWith(m.clock_offset); });
    if (ClockIsWrong(roll.members)) {
      const bool ahead = clock_offset_ > absl::ZeroDuration();
      return Error(absl::StatusCode::kFailedPrecondition, "CLOCK_WRONG",
                   absl::StrCat("The clock of this machine is ",
                                absl::FormatDuration(absl::Trunc(absl::AbsDuration(clock_offset_),
                                                                 absl::Milliseconds(1))),
                                ahead ? " ahead of" : " behind", " the database's clock; at most ",
                                absl::FormatDuration(kClockOffsetMax), " is allowed."));
    }
    for (const Member& other : roll.members) others.push_back(other.address);
  }
  return callbacks_.may_join ? callbacks_.may_join(others) : absl::OkStatus();
}

// Plans the next heartbeat one interval after the start of the last heartbeat. If a heartbeat is
// slow, the next heartbeat must still come in time. If it did not, the other nodes would treat this
// node as dead.
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
  TAROT_ASSIGN_OR_RETURN(const Roll roll, HeartbeatOrStepAside());
  callbacks_.on_heartbeat(Digest(roll, started));
  bool address_taken = false;
  {
    const std::lock_guard lock(mutex_);
    fresh_since_ = started;
    address_taken = address_taken_;
  }
  if (address_taken) {
    // This node does not remove the row of its address, because this row now belongs to the older
    // process.
    TakeOffList();
    if (callbacks_.on_address_taken) callbacks_.on_address_taken();
    return absl::OkStatus();
  }
  RemoveLongDead();
  return absl::OkStatus();
}

absl::StatusOr<Roll> Membership::HeartbeatOrStepAside() {
  absl::Duration offset;
  bool clock_wrong = false;
  {
    const std::lock_guard lock(mutex_);
    offset = clock_offset_;
    clock_wrong = clock_wrong_;
  }
  const auto heartbeat = [&] {
    return Measure([&] { return store_.Heartbeat(address_, incarnation_, offset); });
  };
  const std::shared_ptr<const NodeList> nodes = Current();
  const bool first = nodes->empty();
  const bool reachable = first || !callbacks_.reachable || callbacks_.reachable();
  const bool last = std::all_of(nodes->begin(), nodes->end(),
                                [this](const std::string& node) { return node == address_; });
  if (last || (reachable && !clock_wrong)) return heartbeat();
  // Removes this node's row first, and reads the list afterwards. If two nodes leave at the same
  // time, at least one of the two then reads a list without the other.
  TAROT_RETURN_IF_ERROR(store_.Remove(address_, incarnation_));
  TAROT_ASSIGN_OR_RETURN(Roll others, Measure([&] { return store_.List(); }));
  if (AnyLives(others.members)) return others;
  return heartbeat();
}

absl::StatusOr<Roll> Membership::Measure(const std::function<absl::StatusOr<Roll>()>& read) {
  const absl::Time sent = clock_.Now();
  absl::StatusOr<Roll> roll = read();
  if (!roll.ok()) return roll;
  // The store read its clock at an unknown time during the call. If the call took long, for example
  // because this process was paused, the measured offset could be far from the true offset.
  const absl::Duration elapsed = clock_.Now() - sent;
  if (absl::AbsDuration(elapsed) > kMeasureMax) return roll;
  const absl::Time middle = sent + elapsed / 2;
  const std::lock_guard lock(mutex_);
  clock_offset_ = middle - roll->store_time;
  return roll;
}

bool Membership::AgreesWith(absl::Duration other_offset) const {
  // Two clocks agree if they differ by at most `limit`. While this node's clock counts as wrong,
  // the limit is half as large. So a clock near the limit does not make the node leave and return
  // again and again.
  const absl::Duration limit = clock_wrong_ ? kClockOffsetMax / 2 : kClockOffsetMax;
  return absl::AbsDuration(clock_offset_ - other_offset) <= limit;
}

bool Membership::ClockIsWrong(const std::vector<Member>& living) const {
  int agree = 1;  // This node's own clock.
  int differ = 0;
  const auto count = [&](absl::Duration offset) { ++(AgreesWith(offset) ? agree : differ); };
  count(absl::ZeroDuration());  // The store's clock.
  for (const Member& other : living) count(other.clock_offset);
  return differ >= agree;
}

void Membership::NoticeSharedAddress(const Roll& roll, HeartbeatNews& news) {
  if (!roll.replaced || *roll.replaced == incarnation_) return;
  if (fresh_since_ == absl::InfinitePast()) {  // This is the first heartbeat.
    predecessor_ = roll.replaced;
    return;
  }
  news.address_shared = true;
  ++times_replaced_;
  address_taken_ = roll.replaced == predecessor_ ||
                   (times_replaced_ >= kReplacedToLeave && *roll.replaced < incarnation_);
}

// Returns how many successive heartbeats of this node have found the row of `member` unchanged. The
// current heartbeat counts too.
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

// Returns how many heartbeats another node has sent since this node last read that node's row.
// `member` is the row now. If this node reads the row for the first time, or if the row's count of
// heartbeats has become smaller, all heartbeats in this count are new.
std::int64_t Membership::HeartbeatsSince(const Member& member) const {
  const auto before = seen_.find(member.address);
  const bool known = before != seen_.end() && before->second.member.heartbeat <= member.heartbeat;
  return member.heartbeat - (known ? before->second.member.heartbeat : 0);
}

HeartbeatNews Membership::Digest(const Roll& roll, absl::Time started) {
  HeartbeatNews news;
  NodeList living;
  std::vector<Member> living_others;
  std::map<std::string, Seen> seen;
  const std::lock_guard lock(mutex_);
  const bool first = fresh_since_ == absl::InfinitePast();
  news.outage = !first && started - fresh_since_ >= kHeartbeatsToDeath * kHeartbeatInterval;
  for (const Member& member : roll.members) {
    const int unmoved = Unmoved(member);
    seen[member.address] = {.member = member, .unmoved = unmoved};
    // If another node sent more than kHeartbeatsToDeath heartbeats since this node's last
    // heartbeat, that node has treated this node as dead.
    const bool other = member.address != address_;
    if (!first && other && HeartbeatsSince(member) > kHeartbeatsToDeath) news.rejoined = true;
    if (unmoved >= kHeartbeatsToDeath) continue;
    living.push_back(member.address);
    if (other) living_others.push_back(member);
  }
  seen_ = std::move(seen);
  // The row of each node says how far its clock is ahead of the store's clock. If the store's clock
  // jumps, these numbers are wrong until all nodes have sent a heartbeat. Until then, this node's
  // clock seems to differ from the clocks of the other nodes. So a clock counts as wrong only after
  // several heartbeats.
  clock_doubts_ = ClockIsWrong(living_others) ? clock_doubts_ + 1 : 0;
  clock_wrong_ = clock_doubts_ >= kHeartbeatsToDeath;
  NoticeSharedAddress(roll, news);
  Publish(std::move(living), news);
  return news;
}

void Membership::Publish(NodeList nodes, HeartbeatNews& news) {
  std::sort(nodes.begin(), nodes.end());
  news.changed = nodes != *nodes_;
  if (news.changed) nodes_ = std::make_shared<NodeList>(std::move(nodes));
  news.nodes = nodes_;
  news.listed = std::binary_search(nodes_->begin(), nodes_->end(), address_);
  news.clock_offset = clock_offset_;
  news.clock_wrong = clock_wrong_;
}

void Membership::RemoveLongDead() {
  std::vector<Member> dead;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, seen] : seen_) {
      if (seen.unmoved >= kHeartbeatsToRemoval) dead.push_back(seen.member);
    }
  }
  // Removes the rows of dead nodes. If one of these nodes was only paused, its next heartbeat adds
  // its row again.
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
  {
    const std::lock_guard lock(mutex_);
    if (left_) return nodes_;
  }
  // If the store is away, the row stays. But then the other nodes see that the heartbeat in the row
  // no longer grows.
  (void)store_.Remove(address_, incarnation_);
  TakeOffList();
  return Current();
}

void Membership::TakeOffList() {
  HeartbeatNews news;
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
    NodeList others = *nodes_;
    std::erase(others, address_);
    Publish(std::move(others), news);
    news.address_shared = address_taken_;
  }
  callbacks_.on_heartbeat(news);
}

}  // namespace tarot::cluster
