// The store of the admin service: the calls of operators, and the flags of collusion. All rows are
// append-only. PgAdminStore and FakeAdminStore implement the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/ids.h"

namespace tarot::admin_service {

// The data of an operator's call that the store gets before the call does anything.
struct OperatorCall {
  std::string operator_name;  // The name of the key that has signed the call.
  std::string method;         // For example "BanPlayer".
  std::string subject;        // For example "players/{player}"; may be empty.
  std::string details;        // The other fields of the request, as JSON; may be empty.
  std::string why;

  friend bool operator==(const OperatorCall&, const OperatorCall&) = default;
};

struct StoredCall {
  std::int64_t id = 0;  // Later calls have higher ids.
  absl::Time call_time;
  OperatorCall call;
  // "OK" or an error reason. Empty if the end of the call is not stored.
  std::string outcome;
};

enum class Verdict { kCollusion, kDismissed };

struct Judgement {
  Verdict verdict = Verdict::kDismissed;
  std::string operator_name;
  std::string why;
  absl::Time time;
};

// Two players who may help each other (docs/collusion.md).
struct Flag {
  std::int64_t id = 0;  // Later flags have higher ids.
  PlayerId first;       // The texts of the evidence call the two players "first" and "second".
  PlayerId second;
  double z = 0;
  int deal_count = 0;
  double lost_credit = 0;
  // The deals that show best how the players help each other. The clearest one is first.
  std::vector<std::string> evidence;
  absl::Time create_time;
  std::optional<Judgement> judgement;
};

struct FlagQuery {
  bool only_open = false;   // If true, flags with a judgement are left out.
  std::int64_t before = 0;  // Only flags with an id below this number are listed.
  int limit = 0;
};

// Thread-safe. Every method waits for the store, and may return UNAVAILABLE STORAGE_AWAY or
// STORAGE_SLOW.
class AdminStore {
 public:
  virtual ~AdminStore() = default;

  // Stores a call before it does anything. Returns its id.
  virtual absl::StatusOr<std::int64_t> BeginCall(const OperatorCall& call) = 0;
  // Stores the outcome of a call. If the call already has an outcome, does nothing.
  virtual absl::Status EndCall(std::int64_t id, const std::string& outcome) = 0;
  // Returns at most `limit` calls with an id below `before`, newest first.
  virtual absl::StatusOr<std::vector<StoredCall>> ListCalls(std::int64_t before, int limit) = 0;
  // Returns true if a call of `method` about `subject` has ended with OK. Returns false if
  // `subject` is empty.
  virtual absl::StatusOr<bool> HasCall(const std::string& method, const std::string& subject) = 0;

  // Adds the flags, and ignores their ids, times and judgements. Leaves out a flag if a stored flag
  // has the same players (in any order), the same deal count and the same value of Flag::z. Returns
  // the number of added flags.
  virtual absl::StatusOr<int> AddFlags(absl::Span<const Flag> flags) = 0;
  // Returns flags, newest first.
  virtual absl::StatusOr<std::vector<Flag>> ListFlags(const FlagQuery& query) = 0;
  virtual absl::StatusOr<std::optional<Flag>> GetFlag(std::int64_t id) = 0;
  // Stores the judgement of a flag, and ignores the time in the judgement. Returns false if the
  // flag already has a judgement.
  virtual absl::StatusOr<bool> Judge(std::int64_t id, const Judgement& judgement) = 0;
};

}  // namespace tarot::admin_service
