#include "services/rules/storage/log_partitions.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

constexpr pg::Statement kLockLogs{
    "rules_lock_logs", "SELECT pg_try_advisory_xact_lock(hashtextextended('tarot.rules.logs', 0))"};

constexpr pg::Statement kGetLastPartition{"rules_get_last_partition", R"sql(
  SELECT end_id FROM rules.log_partitions ORDER BY end_id DESC LIMIT 1
)sql"};

constexpr pg::Statement kFindTableInRange{"rules_find_table_in_range", R"sql(
  SELECT table_id FROM rules.tables WHERE table_id >= $1 AND table_id < $2
  ORDER BY table_id LIMIT 1
)sql"};

// The role of the service may not change the form of SQL tables. So these statements call
// procedures of the owner of the schema (migration V0009).
constexpr pg::Statement kCloseRange{"rules_close_log_range", "CALL rules.close_log_range($1, $2)"};
constexpr pg::Statement kCheckRange{"rules_check_log_range", "CALL rules.check_log_range()"};
constexpr pg::Statement kAddPartition{"rules_add_log_partition",
                                      "CALL rules.add_log_partition($1, $2)"};
constexpr pg::Statement kOpenRange{"rules_open_log_range", "CALL rules.open_log_range()"};

// The ids that are at least `first` and less than `end`.
struct Range {
  Uuid first;
  Uuid end;
};

// Returns the first midnight (UTC) after `time`.
absl::Time MidnightAfter(absl::Time time) {
  const std::int64_t day = absl::ToUnixSeconds(time) / absl::ToInt64Seconds(kPartitionSpan);
  return absl::UnixEpoch() + static_cast<double>(day + 1) * kPartitionSpan;
}

Uuid IdFrom(const pqxx::row& row) { return Uuid::Parse(row[0].c_str()).value_or(Uuid()); }

// Returns the next range of ids that needs a partition, or nullopt if there are enough partitions.
// Ids grow with time, and normally a range ends at midnight. But a game table may already have an
// id in the range. The log of this game table is in the default partition and stays there. So the
// range ends before the id of this game table, and the next range begins after it.
std::optional<Range> NextRange(pqxx::transaction_base& tx, absl::Time now) {
  Uuid first = FirstTimeOrderedUuid(MidnightAfter(now + kPartitionMargin));
  for (const pqxx::row& row : tx.exec_prepared(kGetLastPartition.name)) {
    first = std::max(first, IdFrom(row));
  }
  for (;;) {
    if (first >= FirstTimeOrderedUuid(now + kPartitionsAhead)) return std::nullopt;
    const Uuid end = FirstTimeOrderedUuid(MidnightAfter(TimeOfUuid(first)));
    const pqxx::result known =
        tx.exec_prepared(kFindTableInRange.name, first.ToString(), end.ToString());
    if (known.empty()) return Range{first, end};
    const Uuid id = IdFrom(known[0]);
    if (id != first) return Range{first, id};
    first = NextId(id);
  }
}

// Calls `work` in a transaction that holds the lock. Returns false if another replica holds it.
template <typename Work>
bool Locked(pqxx::connection& connection, Work work) {
  pqxx::work tx(connection);
  if (!LockLogs(tx)) return false;
  work(tx);
  tx.commit();
  return true;
}

// Makes one partition in three steps, so that play never waits for a scan of the default partition.
// Step 1 adds a constraint: the default partition accepts no new rows of the range. Step 2 checks
// that the default partition has no old rows of the range. The check needs no exclusive lock. Step
// 3 adds the partition. Postgres needs no scan for step 3, because of the constraint.
bool MakePartition(pqxx::connection& connection, const Range& range,
                   const std::function<void(PartitionStep)>& on_step) {
  const std::string first = range.first.ToString(), end = range.end.ToString();
  const auto call = [&](const pg::Statement& procedure, PartitionStep step, const auto&... ids) {
    const bool done =
        Locked(connection, [&](pqxx::work& tx) { tx.exec_prepared0(procedure.name, ids...); });
    if (done) on_step(step);
    return done;
  };
  if (!call(kCloseRange, PartitionStep::kClosed, first, end)) return false;
  try {
    return call(kCheckRange, PartitionStep::kChecked) &&
           call(kAddPartition, PartitionStep::kAdded, first, end);
  } catch (const pqxx::sql_error&) {
    // Removes the constraint. If it stayed, the service could make no tables on the day of this
    // range.
    Locked(connection, [&](pqxx::work& tx) { tx.exec_prepared0(kOpenRange.name); });
    throw;
  }
}

}  // namespace

std::vector<pg::Statement> LogPartitionStatements() {
  return {kLockLogs,   kGetLastPartition, kFindTableInRange, kCloseRange,
          kCheckRange, kAddPartition,     kOpenRange};
}

bool LockLogs(pqxx::transaction_base& tx) {
  return tx.exec_prepared1(kLockLogs.name)[0].as<bool>();
}

Uuid NextId(const Uuid& id) {
  std::array<std::uint8_t, 16> bytes = id.bytes();
  for (std::size_t i = bytes.size(); i > 0 && ++bytes[i - 1] == 0; --i) continue;
  return Uuid(bytes);
}

void UpkeepStop::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

bool UpkeepStop::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

UpkeepStop::Guard::Guard(UpkeepStop& stop, const pqxx::connection& connection) : stop_(stop) {
  const std::lock_guard lock(stop_.mutex_);
  stop_.socket_ = connection.sock();
  if (stop_.stopped_) ::shutdown(stop_.socket_, SHUT_RDWR);
}

UpkeepStop::Guard::~Guard() {
  const std::lock_guard lock(stop_.mutex_);
  stop_.socket_ = -1;
}

absl::StatusOr<int> LogPartitioner::MakeAhead(absl::Time now) {
  using MaybeRange = std::optional<Range>;
  const auto next = [&](pqxx::connection& connection) -> absl::StatusOr<MaybeRange> {
    const UpkeepStop::Guard guard(stop_, connection);
    pqxx::nontransaction tx(connection);
    return NextRange(tx, now);
  };
  for (int made = 0;; ++made) {
    TAROT_ASSIGN_OR_RETURN(const MaybeRange range, pool_.With(kGetLastPartition, next));
    if (!range) return made;
    const auto make = [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      const UpkeepStop::Guard guard(stop_, connection);
      return MakePartition(connection, *range, on_step_);
    };
    TAROT_ASSIGN_OR_RETURN(const bool done, slow_pool_.With(kAddPartition, make));
    if (!done) return made;
  }
}

}  // namespace tarot::rules_service
