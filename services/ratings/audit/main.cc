// The program tarot-ratings-audit checks the ladder of a ratings service against its ledger.
#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "services/ratings/audit/ledger_rows.h"

ABSL_FLAG(std::string, dsn, "",
          "Connection string of the database of the ratings service, in the form of libpq.");

namespace {

constexpr char kUsage[] =
    R"text(compares the ladder of a ratings service with its ledger. Only reads.

  tarot-ratings-audit --dsn='host=/run/postgresql dbname=tarot user=tarot_ratings'

Prints a line for each problem. Exit code 0: none, 1: some, 2: wrong usage, 3: Postgres cannot be
read.)text";

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(kUsage);
  if (absl::ParseCommandLine(argc, argv).size() > 1 || absl::GetFlag(FLAGS_dsn).empty()) {
    std::cerr << "tarot-ratings-audit needs --dsn; see --help\n";
    return 2;
  }
  try {
    pqxx::connection connection(absl::GetFlag(FLAGS_dsn));
    pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> transaction(connection);
    const auto rows = tarot::ratings_service::ReadLedger(transaction);
    const auto problems = tarot::ratings_service::CheckLedger(rows);
    for (const auto& problem : problems) {
      std::cout << "tables/" << problem.table.ToString() << ": " << problem.text << "\n";
    }
    std::cout << rows.rated.size() << " matches, " << problems.size() << " problems\n";
    return problems.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tarot-ratings-audit: " << error.what() << "\n";
    return 3;
  }
}
