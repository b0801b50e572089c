// Declares how a revocation of tokens is stored. A sign-out runs the statement alone. The recovery
// of an account runs the statement in the transaction of the recovery.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "libs/pg/pool.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/storage/sql_values.h"

namespace tarot::ratings_service {

// $2 is the limit. The update of the counter waits until the previous revocation has committed. So
// revocations become visible in the order of their sequence numbers.
inline constexpr pg::Statement kRevokeTokens{"ratings_revoke_tokens", R"sql(
    WITH next AS (
      UPDATE ratings.revocation_counter SET last_sequence = last_sequence + 1
      WHERE last_sequence - coalesce((SELECT min(sequence) FROM ratings.revocations),
                                     last_sequence + 1) < $2 - 1
      RETURNING last_sequence
    )
    INSERT INTO ratings.revocations (sequence, subject_id, latest_sign_in_time, expire_time)
    SELECT last_sequence, $1::uuid, $3::timestamptz, $4::timestamptz FROM next
    ON CONFLICT (subject_id) DO UPDATE
      SET sequence = excluded.sequence,
          latest_sign_in_time =
            greatest(revocations.latest_sign_in_time, excluded.latest_sign_in_time),
          expire_time = greatest(revocations.expire_time, excluded.expire_time)
    RETURNING sequence
)sql"};

// If the limit is reached, changes nothing and returns false (see RatingStore::Revoke()). The
// connection must have prepared kRevokeTokens.
inline bool RevokeTokens(pqxx::transaction_base& tx, const Revocation& revocation, int limit) {
  std::optional<std::string> sign_in_time;
  if (revocation.latest_sign_in_time) sign_in_time = Timestamp(*revocation.latest_sign_in_time);
  return !tx.exec_prepared(kRevokeTokens.name, revocation.subject.ToString(), limit, sign_in_time,
                           Timestamp(revocation.expire_time))
              .empty();
}

}  // namespace tarot::ratings_service
