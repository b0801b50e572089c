#include "services/rules/storage/archived_matches.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "libs/base/error.h"
#include "services/rules/app/errors.h"
#include "services/rules/storage/archive_bytes.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {
namespace {

constexpr pg::Statement kFindArchived{"rules_find_archived", R"sql(
  SELECT a.table_id, f.name, a.byte_offset, a.byte_count
  FROM unnest($1::uuid[]) AS i (table_id)
    CROSS JOIN LATERAL (SELECT * FROM rules.archived_matches
                        WHERE archived_matches.table_id = i.table_id LIMIT 1) AS a
    JOIN rules.archive_files f USING (file_id)
)sql"};

// The place of a match in the archive.
struct Place {
  std::string file;
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

// Returns the places of those tables of `tables` that are in the archive.
std::map<TableId, Place> FindArchived(pqxx::transaction_base& tx,
                                      const std::vector<TableId>& tables) {
  std::map<TableId, Place> places;
  if (tables.empty()) return places;
  SqlArray ids;
  for (const TableId table : tables) ids.AddId(table);
  for (const pqxx::row& row : tx.exec_prepared(kFindArchived.name, std::move(ids).Finish())) {
    places[TableId::Parse(row[0].c_str()).value_or(TableId{})] = {
        .file = row[1].as<std::string>(),
        .offset = row[2].as<std::int64_t>(),
        .size = row[3].as<std::int64_t>()};
  }
  return places;
}

absl::StatusOr<StoredTable> ReadArchived(ArchiveStore* store, const Place& place,
                                         const TableConfig& config, const MatchEnd& end) {
  if (store == nullptr) return ArchiveAway();
  TAROT_ASSIGN_OR_RETURN(const std::string bytes,
                         store->Read(place.file, place.offset, place.size));
  return DecodeMatch(config, end, bytes);
}

}  // namespace

std::vector<pg::Statement> ArchivedMatchStatements() { return {kFindArchived}; }

absl::StatusOr<StoredTable> ReadArchivedMatch(pqxx::transaction_base& tx, ArchiveStore* archive,
                                              const StoredTable& without_log) {
  const TableConfig& config = without_log.config;
  const std::map<TableId, Place> places = FindArchived(tx, {config.id});
  if (places.empty()) return without_log;
  return ReadArchived(archive, places.begin()->second, config, *without_log.end);
}

absl::StatusOr<std::vector<StoredDeal>> AddArchivedDeals(
    pqxx::transaction_base& tx, ArchiveStore* archive,
    const absl::flat_hash_map<TableId, StoredTable>& tables, const std::vector<DealKey>& deals,
    std::vector<StoredDeal> stored) {
  if (stored.size() == deals.size()) return stored;
  std::map<std::pair<TableId, int>, StoredDeal> found;
  for (StoredDeal& deal : stored) found[{deal.key.table, deal.key.number}] = std::move(deal);
  std::vector<TableId> missing;
  for (const DealKey& deal : deals) {
    const auto table = tables.find(deal.table);
    const bool over = table != tables.end() && table->second.end;
    if (over && !found.contains({deal.table, deal.number})) missing.push_back(deal.table);
  }
  for (const auto& [id, place] : FindArchived(tx, missing)) {
    const StoredTable& table = tables.at(id);
    TAROT_ASSIGN_OR_RETURN(const StoredTable match,
                           ReadArchived(archive, place, table.config, *table.end));
    TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> of_match, DealsOf(match));
    for (StoredDeal& deal : of_match) {
      found.try_emplace({id, deal.key.number}, std::move(deal));
    }
  }
  std::vector<StoredDeal> in_order;
  for (const DealKey& deal : deals) {
    const auto at = found.find({deal.table, deal.number});
    if (at != found.end()) in_order.push_back(std::move(at->second));
  }
  return in_order;
}

}  // namespace tarot::rules_service
