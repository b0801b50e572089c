#include "services/ratings/storage/pg_account_store.h"

#include <pqxx/pqxx>
#include <utility>

#include "libs/pg/pool.h"
#include "services/ratings/storage/revoke_tokens.h"
#include "services/ratings/storage/sql_values.h"

namespace tarot::ratings_service {
namespace {

// $1 is the player and $2 is the login key. One of the two is NULL.
constexpr pg::Statement kFindAccount{"ratings_find_account", R"sql(
    SELECT player_id, display_name, login_key, passphrase_hash, recovery_hash, recovery_request_id,
           (extract(epoch FROM create_time) * 1000000)::bigint AS create_micros
    FROM ratings.accounts WHERE player_id = $1::uuid OR login_key = $2::text
)sql"};

constexpr pg::Statement kAddAccount{"ratings_add_account", R"sql(
    INSERT INTO ratings.accounts
      (player_id, display_name, login_key, passphrase_hash, recovery_hash, create_time)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
)sql"};

// Inserts a row for each of the two keys if no account has this key yet.
constexpr pg::Statement kAddNameKeys{"ratings_add_name_keys", R"sql(
    INSERT INTO ratings.account_name_keys (name_key, player_id)
    SELECT DISTINCT key, $1::uuid FROM unnest(ARRAY[$2::text, $3::text]) AS key
    ON CONFLICT DO NOTHING
)sql"};

constexpr pg::Statement kReplaceRecoveryCode{"ratings_replace_recovery_code", R"sql(
    UPDATE ratings.accounts SET recovery_hash = $3 WHERE player_id = $1 AND recovery_hash = $2
)sql"};

constexpr pg::Statement kRecoverAccount{"ratings_recover_account", R"sql(
    UPDATE ratings.accounts
    SET recovery_hash = $3, passphrase_hash = $4, recovery_request_id = $5
    WHERE player_id = $1 AND recovery_hash = $2
)sql"};

constexpr pg::Statement kListAccountNames{"ratings_list_account_names", R"sql(
    SELECT player_id, display_name FROM ratings.accounts WHERE player_id > $1
    ORDER BY player_id LIMIT $2
)sql"};

class PgAccountStore final : public AccountStore {
 public:
  PgAccountStore(const std::string& dsn, int connections, prometheus::Registry& registry)
      : pool_({.dsn = dsn, .connections = connections, .application_name = "tarot-ratings"},
              {kFindAccount, kAddAccount, kAddNameKeys, kReplaceRecoveryCode, kRecoverAccount,
               kRevokeTokens, kListAccountNames},
              registry) {}

  absl::StatusOr<std::optional<Account>> FindByPlayer(PlayerId player) override {
    return Find(player.ToString(), std::nullopt);
  }

  absl::StatusOr<std::optional<Account>> FindByLogin(const std::string& login_key) override {
    return Find(std::nullopt, login_key);
  }

  absl::StatusOr<AddAccountOutcome> Add(const Account& account,
                                        const std::string& look_key) override {
    return pool_.With(
        kAddAccount, [&](pqxx::connection& connection) -> absl::StatusOr<AddAccountOutcome> {
          pqxx::work tx(connection);
          const std::string player = account.player.ToString();
          const auto added = tx.exec_prepared(
              kAddAccount.name, player, account.display_name, account.login_key,
              account.passphrase_hash, account.recovery_hash, Timestamp(account.create_time));
          if (added.affected_rows() == 0) {
            const bool own =
                !tx.exec_prepared(kFindAccount.name, player, std::optional<std::string>()).empty();
            return own ? AddAccountOutcome::kPlayerHasAccount : AddAccountOutcome::kNameTaken;
          }
          const auto keys =
              tx.exec_prepared(kAddNameKeys.name, player, account.login_key, look_key);
          const std::size_t wanted = account.login_key == look_key ? 1 : 2;
          // The destructor of `tx` undoes the change.
          if (keys.affected_rows() < wanted) return AddAccountOutcome::kNameTaken;
          tx.commit();
          return AddAccountOutcome::kAdded;
        });
  }

  absl::StatusOr<bool> ReplaceRecoveryCode(PlayerId player, const std::string& old_hash,
                                           const std::string& new_hash) override {
    return pool_.With(
        kReplaceRecoveryCode, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
          pqxx::nontransaction tx(connection);
          return tx.exec_prepared(kReplaceRecoveryCode.name, player.ToString(), old_hash, new_hash)
                     .affected_rows() == 1;
        });
  }

  absl::StatusOr<RecoverOutcome> Recover(const Account& changed, const std::string& old_hash,
                                         const Revocation& revocation, int limit) override {
    return pool_.With(
        kRecoverAccount, [&](pqxx::connection& connection) -> absl::StatusOr<RecoverOutcome> {
          pqxx::work tx(connection);
          const auto updated = tx.exec_prepared(
              kRecoverAccount.name, changed.player.ToString(), old_hash, changed.recovery_hash,
              changed.passphrase_hash, changed.recovery_request.ToString());
          if (updated.affected_rows() == 0) return RecoverOutcome::kCodeUsed;
          if (!RevokeTokens(tx, revocation, limit)) return RecoverOutcome::kRevocationsFull;
          tx.commit();
          return RecoverOutcome::kDone;
        });
  }

  absl::StatusOr<std::vector<AccountName>> ListNames(PlayerId after, int limit) override {
    return pool_.With(
        kListAccountNames,
        [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<AccountName>> {
          pqxx::nontransaction tx(connection);
          std::vector<AccountName> names;
          for (const pqxx::row& row :
               tx.exec_prepared(kListAccountNames.name, after.ToString(), limit)) {
            names.push_back({.player = IdOf<PlayerId>(row["player_id"]),
                             .display_name = row["display_name"].as<std::string>()});
          }
          return names;
        });
  }

 private:
  absl::StatusOr<std::optional<Account>> Find(const std::optional<std::string>& player,
                                              const std::optional<std::string>& login_key) {
    return pool_.With(
        kFindAccount, [&](pqxx::connection& connection) -> absl::StatusOr<std::optional<Account>> {
          pqxx::nontransaction tx(connection);
          const pqxx::result rows = tx.exec_prepared(kFindAccount.name, player, login_key);
          if (rows.empty()) return std::nullopt;
          const pqxx::row row = rows[0];
          Account account{.player = IdOf<PlayerId>(row["player_id"]),
                          .display_name = row["display_name"].as<std::string>(),
                          .login_key = row["login_key"].as<std::string>(),
                          .passphrase_hash = row["passphrase_hash"].as<std::string>(),
                          .recovery_hash = row["recovery_hash"].as<std::string>(),
                          .create_time = TimeOf(row["create_micros"])};
          const pqxx::field request = row["recovery_request_id"];
          if (!request.is_null()) account.recovery_request = IdOf<RequestId>(request);
          return account;
        });
  }

  pg::Pool pool_;
};

}  // namespace

std::unique_ptr<AccountStore> MakePgAccountStore(const std::string& dsn, int connections,
                                                 prometheus::Registry& registry) {
  return std::make_unique<PgAccountStore>(dsn, connections, registry);
}

}  // namespace tarot::ratings_service
