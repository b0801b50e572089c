// AdminStore in memory, for tests. One contract test checks this store and PgAdminStore
// (services/admin/testing/admin_store_contract.h).
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libs/base/error.h"
#include "libs/testkit/fake_statements.h"
#include "services/admin/app/admin_store.h"

namespace tarot::admin_service {

struct FakeAdminRows {
  std::map<std::int64_t, StoredCall> calls;
  std::map<std::int64_t, Flag> flags;
};

class FakeAdminStore final : public AdminStore, public testkit::FakeStatements<FakeAdminRows> {
 public:
  absl::StatusOr<std::int64_t> BeginCall(const OperatorCall& call) override {
    return Run([=](FakeAdminRows& data) -> absl::StatusOr<std::int64_t> {
      const auto id = static_cast<std::int64_t>(data.calls.size()) + 1;
      data.calls[id] = {.id = id, .call_time = absl::UnixEpoch(), .call = call};
      return id;
    });
  }

  absl::Status EndCall(std::int64_t id, const std::string& outcome) override {
    return Run([=](FakeAdminRows& data) {
      std::string& stored = data.calls[id].outcome;
      if (stored.empty()) stored = outcome;
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<StoredCall>> ListCalls(std::int64_t before, int limit) override {
    return Run([=](const FakeAdminRows& data) -> absl::StatusOr<std::vector<StoredCall>> {
      return Newest(data.calls, before, limit, [](const StoredCall&) { return true; });
    });
  }

  absl::StatusOr<bool> HasCall(const std::string& method, const std::string& subject) override {
    return Run([=](const FakeAdminRows& data) -> absl::StatusOr<bool> {
      return std::any_of(data.calls.begin(), data.calls.end(), [&](const auto& entry) {
        const OperatorCall& call = entry.second.call;
        const bool about = call.method == method && call.subject == subject;
        return about && !subject.empty() && entry.second.outcome == "OK";
      });
    });
  }

  absl::StatusOr<int> AddFlags(absl::Span<const Flag> flags) override {
    const std::vector<Flag> added(flags.begin(), flags.end());
    return Run([=](FakeAdminRows& data) -> absl::StatusOr<int> {
      int count = 0;
      for (const Flag& flag : added) {
        const auto key = [](const Flag& f) {
          return std::tuple(std::min(f.first, f.second), std::max(f.first, f.second), f.deal_count,
                            f.z);
        };
        const bool known = std::any_of(data.flags.begin(), data.flags.end(),
                                       [&](const auto& e) { return key(e.second) == key(flag); });
        if (known) continue;
        const auto id = static_cast<std::int64_t>(data.flags.size()) + 1;
        data.flags[id] = flag;
        data.flags[id].id = id;
        data.flags[id].judgement.reset();
        ++count;
      }
      return count;
    });
  }

  absl::StatusOr<std::vector<Flag>> ListFlags(const FlagQuery& query) override {
    return Run([=](const FakeAdminRows& data) -> absl::StatusOr<std::vector<Flag>> {
      return Newest(data.flags, query.before, query.limit,
                    [&](const Flag& flag) { return !query.only_open || !flag.judgement; });
    });
  }

  absl::StatusOr<std::optional<Flag>> GetFlag(std::int64_t id) override {
    return Run([=](const FakeAdminRows& data) -> absl::StatusOr<std::optional<Flag>> {
      const auto found = data.flags.find(id);
      return found == data.flags.end() ? std::optional<Flag>() : found->second;
    });
  }

  absl::StatusOr<bool> Judge(std::int64_t id, const Judgement& judgement) override {
    return Run([=](FakeAdminRows& data) -> absl::StatusOr<bool> {
      Flag& flag = data.flags[id];
      if (flag.judgement) return false;
      flag.judgement = judgement;
      return true;
    });
  }

 private:
  template <typename T, typename Wanted>
  static std::vector<T> Newest(const std::map<std::int64_t, T>& rows, std::int64_t before,
                               int limit, const Wanted& wanted) {
    std::vector<T> newest;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      const bool fits = row->first < before && wanted(row->second);
      if (fits && static_cast<int>(newest.size()) < limit) newest.push_back(row->second);
    }
    return newest;
  }
};

}  // namespace tarot::admin_service
