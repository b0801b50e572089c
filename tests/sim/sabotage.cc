#include "tests/sim/sabotage.h"

#include <set>

#include "libs/base/entropy.h"
#include "tests/sim/process.h"

namespace tarot::sim {
namespace {

using rules_service::Appended;
using rules_service::FakeTableStore;
using rules_service::NewEntry;
using Results = std::vector<absl::StatusOr<Appended>>;

class HastyTableStore : public FakeTableStore {
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

class ForgetfulTableStore : public FakeTableStore {
 public:
  Results Append(const std::vector<NewEntry>& entries) override {
    std::vector<NewEntry> renamed = entries;
    for (NewEntry& entry : renamed) entry.entry.request = RequestId{entropy_.NewUuid()};
    return FakeTableStore::Append(renamed);
  }

 private:
  SeededEntropy entropy_{1};
};

class SilentTableStore : public FakeTableStore {
 public:
  absl::StatusOr<std::vector<rules_service::OutboxItem>> ListOutbox(int, int) override {
    return Run([](auto&) -> absl::StatusOr<std::vector<rules_service::OutboxItem>> {
      return std::vector<rules_service::OutboxItem>();
    });
  }
};

class EarlyTicketStore final : public matchmaking_service::FakeTicketStore {
 public:
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Confirm(
      absl::Span<const TableId> tables) override {
    const std::vector<TableId> ids(tables.begin(), tables.end());
    return Run([=, this](auto&) {
      auto matched = FakeTicketStore::Confirm(ids);
      for (const TableId table : ids) (void)Release({table});
      return matched;
    });
  }
};

class TwiceRatingStore final : public ratings_service::FakeRatingStore {
 public:
  absl::StatusOr<std::vector<ratings_service::Recorded>> RecordBatch(
      const std::vector<ratings_service::MatchResult>& matches,
      const ratings_service::RateBatch& rate) override {
    return Run([=, this](auto&) {
      std::vector<ratings_service::MatchResult> again = matches;
      for (ratings_service::MatchResult& match : again) {
        if (!known_.insert(match.table).second) match.table = TableId{entropy_.NewUuid()};
      }
      return FakeRatingStore::RecordBatch(again, rate);
    });
  }

 private:
  std::set<TableId> known_;
  SeededEntropy entropy_{1};
};

// A table store that tells `reader` of each commit, within the statement that commits.
template <typename Store>
class ReadTableStore final : public Store {
 public:
  explicit ReadTableStore(LogReader& reader) : reader_(reader) {}

  std::vector<absl::StatusOr<bool>> CreateMany(
      const std::vector<rules_service::TableConfig>& configs) override {
    using Made = std::vector<absl::StatusOr<bool>>;
    const absl::StatusOr<Made> done = this->Run([=, this](auto&) -> absl::StatusOr<Made> {
      const Made made = Store::CreateMany(configs);
      for (std::size_t i = 0; i < configs.size(); ++i) {
        if (made[i].ok() && *made[i]) reader_.Created(configs[i]);
      }
      return made;
    });
    return done.ok() ? *done : Made(configs.size(), done.status());
  }

  Results Append(const std::vector<NewEntry>& entries) override {
    const Life& life = *Life::Current();
    const Writer writer{life.node().name, life.start()};
    const absl::StatusOr<Results> done = this->Run([=, this](auto&) -> absl::StatusOr<Results> {
      const Results results = Store::Append(entries);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (results[i].ok() && !results[i]->replayed) reader_.Stored(writer, entries[i]);
      }
      return results;
    });
    if (done.ok()) return *done;
    reader_.Unanswered(writer, entries);
    return Results(entries.size(), done.status());
  }

 private:
  LogReader& reader_;
};

}  // namespace

std::unique_ptr<rules_service::FakeTableStore> MakeTableStore(Sabotage sabotage,
                                                              LogReader& reader) {
  switch (sabotage) {
    case Sabotage::kAnswerBeforeCommit:
      return std::make_unique<ReadTableStore<HastyTableStore>>(reader);
    case Sabotage::kForgetRequests:
      return std::make_unique<ReadTableStore<ForgetfulTableStore>>(reader);
    case Sabotage::kLoseEnd:
      return std::make_unique<ReadTableStore<SilentTableStore>>(reader);
    default:
      return std::make_unique<ReadTableStore<FakeTableStore>>(reader);
  }
}

std::unique_ptr<matchmaking_service::FakeTicketStore> MakeTicketStore(Sabotage sabotage) {
  if (sabotage == Sabotage::kReleaseEarly) return std::make_unique<EarlyTicketStore>();
  return std::make_unique<matchmaking_service::FakeTicketStore>();
}

std::unique_ptr<ratings_service::FakeRatingStore> MakeRatingStore(Sabotage sabotage) {
  if (sabotage == Sabotage::kRateTwice) return std::make_unique<TwiceRatingStore>();
  return std::make_unique<ratings_service::FakeRatingStore>();
}

}  // namespace tarot::sim
