#include "tests/chaos/database_play.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <pqxx/pqxx>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "tests/e2e/eventually.h"
#include "tests/e2e/surroundings.h"

namespace tarot::chaos {
namespace {

std::string NewPath() {
  static std::atomic<int> number = 0;
  const char* const folder = std::getenv("TMPDIR");
  return absl::StrCat(folder != nullptr ? folder : "/tmp", "/tarot-play-", getpid(), "-", ++number,
                      ".gz");
}

}  // namespace

// Uses the test's own Postgres instead of the cluster's.
class DatabasePlay::OwnPostgres final : public e2e::Surroundings {
 public:
  explicit OwnPostgres(std::string dsn) : dsn_(std::move(dsn)) {}
  std::string DsnOf(const std::string&) override { return dsn_; }

 private:
  const std::string dsn_;
};

DatabasePlay::DatabasePlay(const std::string& dsn, int tables)
    : path_(NewPath()), surroundings_(std::make_unique<OwnPostgres>(dsn)) {
  cluster_ = std::make_unique<e2e::Cluster>(
      e2e::ClusterOptions{.population = 0, .surroundings = surroundings_.get()});
  options_.gateways = {cluster_->AddressOf("gateway")};
  options_.rules = {cluster_->AddressOf("rules")};
  options_.internal_key_file = cluster_->directory() + "/internal.keys";
  options_.tables = tables;
  options_.think = absl::Milliseconds(100);
  StartPlayers();
}

std::string DatabasePlay::seed_key_file() const { return cluster_->directory() + "/seed.keys"; }

void DatabasePlay::PlayAgain() {
  for (const char* service : {"ratings", "rules", "matchmaking", "bot", "gateway"}) {
    cluster_->Kill(service, SIGTERM);
    cluster_->Start(service);
  }
  StartPlayers();
}

void DatabasePlay::StartPlayers() {
  auto history = load::HistoryWriter::Create(path_);
  TAROT_CHECK(history.ok());
  history_ = *std::move(history);
  auto load = load::Load::Create(options_, clock_, scheduler_, entropy_, *history_);
  TAROT_CHECK(load.ok());
  load_ = *std::move(load);
  TAROT_CHECK(load_->Start().ok());
  TAROT_CHECK(MovesWithin(absl::Seconds(60)));
}

DatabasePlay::~DatabasePlay() {
  load_->Stop();
  unlink(path_.c_str());
}

bool DatabasePlay::MovesWithin(absl::Duration limit) const {
  const long before = moves();
  return e2e::Eventually(limit, [&] { return moves() >= before + 100; });
}

absl::Duration DatabasePlay::StallAfter(absl::Duration limit,
                                        const std::function<void()>& fail) const {
  std::atomic<bool> failed = false;
  const std::jthread thread([&] {
    fail();
    failed = true;
  });
  const Stopwatch total;
  Stopwatch since_move;
  absl::Duration longest;
  long seen = moves();
  std::optional<long> at_failure;
  while (total.Elapsed() < limit) {
    const long now = moves();
    if (now != std::exchange(seen, now)) {
      longest = std::max(longest, since_move.Elapsed());
      since_move = Stopwatch();
    }
    if (failed && !at_failure) at_failure = now;
    if (at_failure && now >= *at_failure + 200) return longest;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return limit;
}

absl::StatusOr<check::Report> DatabasePlay::Finish(const std::string& dsn) {
  load_->Stop();
  history_.reset();
  const bool sent = e2e::Eventually(absl::Seconds(30), [&] {
    pqxx::connection connection(dsn);
    return pqxx::nontransaction(connection)
        .exec1("SELECT NOT EXISTS (SELECT FROM rules.outbox)")[0]
        .as<bool>();
  });
  if (!sent) return absl::DeadlineExceededError("ends of matches are still in the outbox");
  TAROT_ASSIGN_OR_RETURN(const check::Database database, check::ReadDatabase(dsn, seed_key_file()));
  check::Checker checker(database, {});
  TAROT_RETURN_IF_ERROR(
      load::ReadHistory(path_, [&](const load::Event& event) { checker.See(event); }));
  return checker.Finish();
}

}  // namespace tarot::chaos
