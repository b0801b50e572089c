#include "tests/sim/sabotage.h"

#include <set>

#include "libs/base/entropy.h"
#include "services/matchmaking/testing/fake_ticket_store.h"
#include "services/ratings/testing/fake_rating_store.h"
#include "services/rules/testing/fake_table_store.h"

namespace tarot::sim {
namespace {

using rules_service::Appended;
using rules_service::FakeTableStore;
using rules_service::NewEntry;
using Results = std::vector<absl::StatusOr<Appended>>;

class HastyTableStore final : public FakeTableStore {
 public:
  Results Append(const std::vector<NewEntry>& entries) override {
    if (++count_ % 50 != 0) return FakeTableStore::Append(entries);
    Results results;
    for (const NewEntry& entry : entries) {
      results.push_back(Appended{.revision = entry.entry.revision});
    }
    return results;
  }

 private:
  int count_ = 0;
};

class ForgetfulTableStore final : public FakeTableStore {
 public:
  Results Append(const std::vector<NewEntry>& entries) override {
    std::vector<NewEntry> renamed = entries;
    for (NewEntry& entry : renamed) entry.entry.request = RequestId{entropy_.NewUuid()};
    return FakeTableStore::Append(renamed);
  }

 private:
  SeededEntropy entropy_{1};
};

class SilentTableStore final : public FakeTableStore {
 public:
  absl::StatusOr<std::vector<rules_service::OutboxItem>> ListOutbox(int, int) override {
    return std::vector<rules_service::OutboxItem>();
  }
};

class EarlyTicketStore final : public matchmaking_service::FakeTicketStore {
 public:
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Confirm(TableId table) override {
    auto matched = FakeTicketStore::Confirm(table);
    (void)Release(table);
    return matched;
  }
};

class TwiceRatingStore final : public ratings_service::FakeRatingStore {
 public:
  absl::StatusOr<MatchState> ReadMatchState(const ratings_service::MatchResult& match) override {
    absl::StatusOr<MatchState> state = FakeRatingStore::ReadMatchState(match);
    if (state.ok()) state->recorded = false;
    return state;
  }
  absl::StatusOr<bool> Record(const ratings_service::MatchResult& match,
                              const ratings_service::RatedMatch& rated) override {
    ratings_service::MatchResult again = match;
    if (!known_.insert(match.table).second) again.table = TableId{entropy_.NewUuid()};
    return FakeRatingStore::Record(again, rated);
  }

 private:
  std::set<TableId> known_;
  SeededEntropy entropy_{1};
};

}  // namespace

std::unique_ptr<rules_service::TableStore> MakeTableStore(Sabotage sabotage) {
  switch (sabotage) {
    case Sabotage::kAnswerBeforeCommit:
      return std::make_unique<HastyTableStore>();
    case Sabotage::kForgetRequests:
      return std::make_unique<ForgetfulTableStore>();
    case Sabotage::kLoseEnd:
      return std::make_unique<SilentTableStore>();
    default:
      return std::make_unique<FakeTableStore>();
  }
}

std::unique_ptr<matchmaking_service::TicketStore> MakeTicketStore(Sabotage sabotage) {
  if (sabotage == Sabotage::kReleaseEarly) return std::make_unique<EarlyTicketStore>();
  return std::make_unique<matchmaking_service::FakeTicketStore>();
}

std::unique_ptr<ratings_service::RatingStore> MakeRatingStore(Sabotage sabotage) {
  if (sabotage == Sabotage::kRateTwice) return std::make_unique<TwiceRatingStore>();
  return std::make_unique<ratings_service::FakeRatingStore>();
}

}  // namespace tarot::sim
