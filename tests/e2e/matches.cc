#include "tests/e2e/matches.h"

#include <gtest/gtest.h>

#include <pqxx/pqxx>
#include <set>

#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"

namespace tarot::e2e {

long Count(const std::string& dsn, const std::string& sql) {
  pqxx::connection connection(dsn);
  return pqxx::nontransaction(connection).exec1(sql)[0].as<long>();
}

bool IsProven(const Cluster& cluster, const rules::v1::DealRecord& record) {
  rules::v1::VerifyRecordRequest verify;
  *verify.mutable_record() = record;
  rules::v1::VerifyRecordResponse verdict;
  grpc::ClientContext context;
  const auto referee = rules::v1::RefereeService::NewStub(
      rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster.port("rules"))));
  EXPECT_TRUE(referee->VerifyRecord(&context, verify, &verdict).ok());
  return verdict.valid();
}

bool Matches::Start(int count) {
  const std::vector<std::string> gateways = cluster_.Replicas("gateway");
  for (int i = 0; i < 4 * count; ++i) {
    const std::string name = absl::StrCat("Player ", players_.size() + 1);
    const std::string& gateway = gateways[static_cast<std::size_t>(i) % gateways.size()];
    players_.push_back(std::make_unique<PlayerThread>(cluster_.SignIn(name, gateway), name));
    players_.back()->Play("queues/ranked4");
  }
  return Eventually(absl::Seconds(60), [&] {
    for (const auto& player : players_) {
      if (player->acknowledged().empty()) return false;
    }
    return true;
  });
}

std::vector<std::string> Matches::tables() {
  std::set<std::string> tables;
  for (const auto& player : players_) {
    const std::string name = player->table();
    if (!name.empty()) tables.insert(name.substr(std::string("tables/").size()));
  }
  return {tables.begin(), tables.end()};
}

std::size_t Matches::Acknowledged() {
  std::size_t sum = 0;
  for (const auto& player : players_) sum += player->acknowledged().size();
  return sum;
}

bool Matches::AllFinished() {
  for (const auto& player : players_) {
    if (!player->finished()) return false;
  }
  return true;
}

bool Matches::Finish(absl::Duration limit) {
  if (!Eventually(limit, [&] { return AllFinished(); })) return false;
  for (auto& player : players_) player->Join();
  return true;
}

void Matches::CheckPromises() {
  for (const auto& player : players_) {
    EXPECT_EQ(player->error(), "");
    for (const std::string& request : player->acknowledged()) {
      EXPECT_EQ(Count(cluster_.dsn(),
                      "SELECT count(*) FROM rules.table_actions "
                      "WHERE request_id = '" +
                          request + "'"),
                1);
    }
  }
  EXPECT_EQ(Count(cluster_.dsn(),
                  "SELECT count(*) FROM (SELECT table_id FROM rules.table_actions "
                  "GROUP BY table_id HAVING max(revision) <> count(*)) gaps"),
            0);
  // Each finished ranked match has one row of ratings.ledger for each of its four players.
  const std::string finished =
      "(SELECT table_id FROM rules.tables WHERE finish_time IS NOT NULL AND ranked "
      "AND deals_scored > 0)";
  EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
    return Count(cluster_.dsn(), "SELECT count(*) FROM " + finished + " f") * 4 ==
           Count(cluster_.dsn(), "SELECT count(*) FROM ratings.ledger WHERE mu_after IS NOT NULL");
  }));
  EXPECT_EQ(Count(cluster_.dsn(),
                  "SELECT count(*) FROM (SELECT table_id FROM ratings.matches "
                  "GROUP BY 1 HAVING count(*) > 1) repeated"),
            0);
}

}  // namespace tarot::e2e
