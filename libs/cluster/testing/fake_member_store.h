// A MemberStore in memory. A test can make it unavailable.
#pragma once

#include <map>

#include "libs/base/error.h"
#include "libs/cluster/member_store.h"
#include "libs/testkit/fake_statements.h"

namespace tarot::cluster {

using FakeMembers = std::map<std::string, Member>;  // The keys are addresses.

// Thread-safe.
class FakeMemberStore final : public MemberStore, public testkit::FakeStatements<FakeMembers> {
 public:
  absl::StatusOr<std::vector<Member>> Heartbeat(const std::string& address,
                                                const Uuid& incarnation) override {
    return Run([=](FakeMembers& rows) -> absl::StatusOr<std::vector<Member>> {
      Member& own = rows[address];
      own = {.address = address, .incarnation = incarnation, .heartbeat = own.heartbeat + 1};
      return All(rows);
    });
  }

  absl::StatusOr<std::vector<Member>> List() override {
    return Run(
        [](const FakeMembers& rows) -> absl::StatusOr<std::vector<Member>> { return All(rows); });
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
  static std::vector<Member> All(const FakeMembers& rows) {
    std::vector<Member> all;
    for (const auto& [key, row] : rows) all.push_back(row);
    return all;
  }
};

}  // namespace tarot::cluster
