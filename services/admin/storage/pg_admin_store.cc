#include "services/admin/storage/pg_admin_store.h"

#include <pqxx/pqxx>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/pg/pool.h"

namespace tarot::admin_service {
namespace {

constexpr pg::Statement kBeginCall{"admin_begin_call", R"sql(
  INSERT INTO admin.calls (operator_name, method, subject, details, why)
  VALUES ($1, $2, $3, $4, $5) RETURNING call_id
)sql"};

// If the answer of Postgres was lost, the repeated statement changes nothing.
constexpr pg::Statement kEndCall{"admin_end_call", R"sql(
  INSERT INTO admin.outcomes (call_id, outcome) VALUES ($1, $2) ON CONFLICT DO NOTHING
)sql"};

constexpr pg::Statement kListCalls{"admin_list_calls", R"sql(
  SELECT c.call_id, (extract(epoch FROM c.call_time) * 1000000)::bigint AS call_micros,
         c.operator_name, c.method, c.subject, c.details, c.why,
         coalesce(o.outcome, '') AS outcome
  FROM admin.calls c LEFT JOIN admin.outcomes o USING (call_id)
  WHERE c.call_id < $1 ORDER BY c.call_id DESC LIMIT $2
)sql"};

constexpr pg::Statement kHasCall{"admin_has_call", R"sql(
  SELECT EXISTS (SELECT FROM admin.calls c JOIN admin.outcomes o USING (call_id)
                 WHERE c.method = $1 AND c.subject = $2 AND c.subject <> '' AND o.outcome = 'OK')
)sql"};

constexpr pg::Statement kAddFlag{"admin_add_flag", R"sql(
  INSERT INTO admin.flags (first_player_id, second_player_id, z, deal_count, lost_credit, evidence)
  VALUES ($1, $2, $3, $4, $5, $6::text[]) ON CONFLICT DO NOTHING
)sql"};

#define TAROT_ADMIN_FLAGS(condition)                                                            \
  "SELECT f.flag_id, f.first_player_id, f.second_player_id, f.z, f.deal_count, f.lost_credit, " \
  "f.evidence AS texts,"                                                                        \
  "       (extract(epoch FROM f.create_time) * 1000000)::bigint AS create_micros,"              \
  "       j.verdict, j.operator_name, j.why,"                                                   \
  "       (extract(epoch FROM j.judge_time) * 1000000)::bigint AS judge_micros"                 \
  " FROM admin.flags f LEFT JOIN admin.judgements j USING (flag_id) " condition

constexpr pg::Statement kListFlags{
    "admin_list_flags", TAROT_ADMIN_FLAGS("WHERE f.flag_id < $1 AND (j.flag_id IS NULL OR NOT $2)"
                                          " ORDER BY f.flag_id DESC LIMIT $3")};
constexpr pg::Statement kGetFlag{"admin_get_flag", TAROT_ADMIN_FLAGS("WHERE f.flag_id = $1")};
#undef TAROT_ADMIN_FLAGS

constexpr pg::Statement kJudgeFlag{"admin_judge_flag", R"sql(
  INSERT INTO admin.judgements (flag_id, verdict, operator_name, why) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING flag_id
)sql"};

absl::Time TimeFrom(const pqxx::field& micros) {
  return absl::FromUnixMicros(micros.as<std::int64_t>());
}

PlayerId PlayerFrom(const pqxx::field& field) {
  return PlayerId::Parse(field.c_str()).value_or(PlayerId());
}

// Returns `texts` as an array literal.
std::string ArrayText(const std::vector<std::string>& texts) {
  return absl::StrCat("{",
                      absl::StrJoin(texts, ",",
                                    [](std::string* out, const std::string& text) {
                                      *out += '"';
                                      for (const char c : text) {
                                        if (c == '"' || c == '\\') *out += '\\';
                                        *out += c;
                                      }
                                      *out += '"';
                                    }),
                      "}");
}

Flag FlagFrom(const pqxx::row& row) {
  Flag flag{.id = row["flag_id"].as<std::int64_t>(),
            .first = PlayerFrom(row["first_player_id"]),
            .second = PlayerFrom(row["second_player_id"]),
            .z = row["z"].as<double>(),
            .deal_count = row["deal_count"].as<int>(),
            .lost_credit = row["lost_credit"].as<double>(),
            .create_time = TimeFrom(row["create_micros"])};
  auto texts = row["texts"].as_array();
  for (auto next = texts.get_next(); next.first != pqxx::array_parser::juncture::done;
       next = texts.get_next()) {
    if (next.first == pqxx::array_parser::juncture::string_value) {
      flag.evidence.push_back(next.second);
    }
  }
  if (!row["verdict"].is_null()) {
    flag.judgement =
        Judgement{.verdict = row["verdict"].as<std::string>() == "collusion" ? Verdict::kCollusion
                                                                             : Verdict::kDismissed,
                  .operator_name = row["operator_name"].as<std::string>(),
                  .why = row["why"].as<std::string>(),
                  .time = TimeFrom(row["judge_micros"])};
  }
  return flag;
}

class PgAdminStore final : public AdminStore {
 public:
  PgAdminStore(const std::string& dsn, int connections, prometheus::Registry& registry)
      : pool_({.dsn = dsn, .connections = connections, .application_name = "tarot-admin"},
              {kBeginCall, kEndCall, kListCalls, kHasCall, kAddFlag, kListFlags, kGetFlag,
               kJudgeFlag},
              registry) {}

  absl::StatusOr<std::int64_t> BeginCall(const OperatorCall& call) override {
    return pool_.With(kBeginCall,
                      [&](pqxx::connection& connection) -> absl::StatusOr<std::int64_t> {
                        pqxx::nontransaction tx(connection);
                        return tx
                            .exec_prepared1(kBeginCall.name, call.operator_name, call.method,
                                            call.subject, call.details, call.why)[0]
                            .as<std::int64_t>();
                      });
  }

  absl::Status EndCall(std::int64_t id, const std::string& outcome) override {
    return pool_.With(kEndCall, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction(connection).exec_prepared0(kEndCall.name, id, outcome);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<StoredCall>> ListCalls(std::int64_t before, int limit) override {
    using Calls = std::vector<StoredCall>;
    return pool_.With(kListCalls, [&](pqxx::connection& connection) -> absl::StatusOr<Calls> {
      pqxx::nontransaction tx(connection);
      Calls calls;
      for (const pqxx::row& row : tx.exec_prepared(kListCalls.name, before, limit)) {
        calls.push_back({.id = row["call_id"].as<std::int64_t>(),
                         .call_time = TimeFrom(row["call_micros"]),
                         .call = {.operator_name = row["operator_name"].as<std::string>(),
                                  .method = row["method"].as<std::string>(),
                                  .subject = row["subject"].as<std::string>(),
                                  .details = row["details"].as<std::string>(),
                                  .why = row["why"].as<std::string>()},
                         .outcome = row["outcome"].as<std::string>()});
      }
      return calls;
    });
  }

  absl::StatusOr<bool> HasCall(const std::string& method, const std::string& subject) override {
    return pool_.With(kHasCall, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return tx.exec_prepared1(kHasCall.name, method, subject)[0].as<bool>();
    });
  }

  absl::StatusOr<int> AddFlags(absl::Span<const Flag> flags) override {
    return pool_.With(kAddFlag, [&](pqxx::connection& connection) -> absl::StatusOr<int> {
      pqxx::work tx(connection);
      int added = 0;
      for (const Flag& flag : flags) {
        added += static_cast<int>(tx.exec_prepared(kAddFlag.name, flag.first.ToString(),
                                                   flag.second.ToString(), flag.z, flag.deal_count,
                                                   flag.lost_credit, ArrayText(flag.evidence))
                                      .affected_rows());
      }
      tx.commit();
      return added;
    });
  }

  absl::StatusOr<std::vector<Flag>> ListFlags(const FlagQuery& query) override {
    using Flags = std::vector<Flag>;
    return pool_.With(kListFlags, [&](pqxx::connection& connection) -> absl::StatusOr<Flags> {
      pqxx::nontransaction tx(connection);
      Flags flags;
      for (const pqxx::row& row :
           tx.exec_prepared(kListFlags.name, query.before, query.only_open, query.limit)) {
        flags.push_back(FlagFrom(row));
      }
      return flags;
    });
  }

  absl::StatusOr<std::optional<Flag>> GetFlag(std::int64_t id) override {
    using Found = std::optional<Flag>;
    return pool_.With(kGetFlag, [&](pqxx::connection& connection) -> absl::StatusOr<Found> {
      pqxx::nontransaction tx(connection);
      const pqxx::result rows = tx.exec_prepared(kGetFlag.name, id);
      return rows.empty() ? Found() : FlagFrom(rows[0]);
    });
  }

  absl::StatusOr<bool> Judge(std::int64_t id, const Judgement& judgement) override {
    return pool_.With(kJudgeFlag, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      const bool collusion = judgement.verdict == Verdict::kCollusion;
      return !tx.exec_prepared(kJudgeFlag.name, id, collusion ? "collusion" : "dismissed",
                               judgement.operator_name, judgement.why)
                  .empty();
    });
  }

 private:
  pg::Pool pool_;
};

}  // namespace

std::unique_ptr<AdminStore> MakePgAdminStore(const std::string& dsn, int connections,
                                             prometheus::Registry& registry) {
  return std::make_unique<PgAdminStore>(dsn, connections, registry);
}

}  // namespace tarot::admin_service
