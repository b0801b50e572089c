// MemberStore in memory. A test can make it unavailable.
#pragma once

#include <map>
#include <mutex>

#include "libs/base/error.h"
#include "libs/cluster/member_store.h"

namespace tarot::cluster {

// Thread-safe.
class FakeMemberStore final : public MemberStore {
 public:
  absl::StatusOr<std::vector<Member>> Heartbeat(const std::string& address,
                                                const Uuid& incarnation) override {
    const std::lock_guard lock(mutex_);
    if (away_) return Away();
    Member& own = rows_[address];
    own = {.address = address, .incarnation = incarnation, .heartbeat = own.heartbeat + 1};
    return All();
  }

  absl::StatusOr<std::vector<Member>> List() override {
    const std::lock_guard lock(mutex_);
    if (away_) return Away();
    return All();
  }

  absl::Status Remove(const std::string& address, const Uuid& incarnation) override {
    const std::lock_guard lock(mutex_);
    if (away_) return Away();
    const auto row = rows_.find(address);
    if (row != rows_.end() && row->second.incarnation == incarnation) rows_.erase(row);
    return absl::OkStatus();
  }

  // While true, every call is UNAVAILABLE STORAGE_AWAY.
  void set_away(bool away) {
    const std::lock_guard lock(mutex_);
    away_ = away;
  }

 private:
  static absl::Status Away() {
    return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away.");
  }

  std::vector<Member> All() const {
    std::vector<Member> all;
    for (const auto& [key, row] : rows_) all.push_back(row);
    return all;
  }

  std::mutex mutex_;
  std::map<std::string, Member> rows_;
  bool away_ = false;
};

}  // namespace tarot::cluster
