// A MemberStore in memory. A test can make it unavailable.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "libs/base/error.h"
#include "libs/cluster/member_store.h"
#include "libs/testkit/fake_statements.h"

namespace tarot::cluster {

using FakeMembers = std::map<std::string, Member>;  // The keys are addresses.

// Thread-safe.
class FakeMemberStore final : public MemberStore, public testkit::FakeStatements<FakeMembers> {
 public:
  // `now` returns the time of the store.
  explicit FakeMemberStore(std::function<absl::Time()> now) : now_(std::move(now)) {}

  absl::StatusOr<Roll> Heartbeat(const std::string& address, const Uuid& incarnation,
                                 absl::Duration clock_offset) override {
    return Run([=, this](FakeMembers& rows) -> absl::StatusOr<Roll> {
      const auto before = rows.find(address);
      std::optional<Uuid> replaced;
      if (before != rows.end()) replaced = before->second.incarnation;
      Member& own = rows[address];
      own = {.address = address,
             .incarnation = incarnation,
             .heartbeat = own.heartbeat + 1,
             .clock_offset = clock_offset};
      Roll roll = All(rows);
      roll.replaced = replaced;
      return roll;
    });
  }

  absl::StatusOr<Roll> List() override {
    return Run([this](const FakeMembers& rows) -> absl::StatusOr<Roll> { return All(rows); });
  }

  absl::Status Remove(const std::string& address, const Uuid& incarnation) override {
    return Run([=](FakeMembers& rows) {
      const auto row = rows.find(address);
      if (row != rows.end() && row->second.incarnation == incarnation) rows.erase(row);
      return absl::OkStatus();
    });
  }

  // If `away`, every later call returns UNAVAILABLE STORAGE_AWAY.
  void set_away(bool away) {
    set_failure(away
                    ? Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away.")
                    : absl::OkStatus());
  }

 private:
  Roll All(const FakeMembers& rows) const {
    Roll roll{.store_time = now_()};
    for (const auto& [key, row] : rows) roll.members.push_back(row);
    return roll;
  }

  const std::function<absl::Time()> now_;
};

}  // namespace tarot::cluster
