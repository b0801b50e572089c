#include <pqxx/pqxx>

#include "services/rules/storage/pg_table_store.h"

namespace tarot::rules_service {
namespace {

constexpr pg::Statement kExportPlayer{"rules_export_player", R"sql(
  SELECT jsonb_build_object(
    'seats', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'table_id', s.table_id, 'seat', s.seat, 'display_name', s.display_name,
                       'bot_level', s.bot_level, 'rule_set', t.rule_set, 'ranked', t.ranked,
                       'create_time', t.create_time, 'finish_time', t.finish_time,
                       'totals', t.totals) ORDER BY t.create_time, s.table_id), '[]')
              FROM rules.table_seats s JOIN rules.tables t USING (table_id)
              WHERE s.player_id = $1),
    'deals', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'table_id', d.table_id, 'number', d.number, 'finish_time', d.finish_time)
                       ORDER BY d.finish_time, d.table_id, d.number), '[]')
              FROM (SELECT p.table_id, p.number, p.finish_time
                    FROM rules.deal_players p WHERE p.player_id = $1
                    UNION
                    SELECT a.table_id, t.number, t.finish_time
                    FROM rules.table_seats s JOIN rules.archived_matches a USING (table_id)
                      CROSS JOIN LATERAL unnest(a.finish_times) WITH ORDINALITY
                        AS t (finish_time, number)
                    WHERE s.player_id = $1) AS d)
  )::text
)sql"};

constexpr pg::Statement kFindPlayersTable{"rules_find_players_table", R"sql(
  SELECT t.table_id FROM rules.table_seats s JOIN rules.tables t USING (table_id)
  WHERE s.player_id = $1 AND t.finish_time IS NULL LIMIT 1
)sql"};

constexpr pg::Statement kRenamePlayer{"rules_rename_player", R"sql(
  UPDATE rules.table_seats SET display_name = $2 WHERE player_id = $1 AND display_name <> $2
)sql"};

class PgPlayerDataStore final : public PlayerDataStore {
 public:
  explicit PgPlayerDataStore(pg::Pool& pool) : pool_(pool) {}

  absl::StatusOr<std::string> Export(PlayerId player) override {
    return pool_.With(
        kExportPlayer, [&](pqxx::connection& connection) -> absl::StatusOr<std::string> {
          pqxx::nontransaction tx(connection);
          return tx.exec_prepared1(kExportPlayer.name, player.ToString())[0].as<std::string>();
        });
  }

  absl::StatusOr<DeletedSeats> Delete(PlayerId player) override {
    return pool_.With(
        kRenamePlayer, [&](pqxx::connection& connection) -> absl::StatusOr<DeletedSeats> {
          pqxx::work tx(connection);
          const std::string id = player.ToString();
          const pqxx::result tables = tx.exec_prepared(kFindPlayersTable.name, id);
          if (!tables.empty()) {
            return DeletedSeats{.busy = TableId::Parse(tables[0][0].c_str()).value_or(TableId())};
          }
          const auto renamed = tx.exec_prepared(kRenamePlayer.name, id, kDeletedName);
          tx.commit();
          return DeletedSeats{.seats = static_cast<int>(renamed.affected_rows())};
        });
  }

 private:
  pg::Pool& pool_;
};

}  // namespace

std::unique_ptr<PlayerDataStore> MakePgPlayerDataStore(pg::Pool& pool) {
  return std::make_unique<PgPlayerDataStore>(pool);
}

std::vector<pg::Statement> PlayerDataStatements() {
  return {kExportPlayer, kFindPlayersTable, kRenamePlayer};
}

}  // namespace tarot::rules_service
