// Declares the encryption of secrets in the log of a game table. The secrets of a running deal are
// the seeds and the taker's écart. When a deal ends with a score, the SQL table rules.deals stores
// the secrets of this deal without encryption. When the match is over, rules.deals also stores the
// secrets of the other deals without encryption. So the key is needed only for tables in play, and
// a lost key loses no scored deal and no finished match
// (docs/adr/2026-11-22-encrypt-the-secrets-of-running-deals.md).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/entropy.h"
#include "libs/dealing/secret_box.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"
#include "services/rules/app/table_store.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {

// The values of the column `kind` for encrypted entries. The other values are in sql_values.cc.
inline constexpr int kSealedDealKind = 4;
inline constexpr int kSealedDiscardKind = 5;

// Thread-safe if `entropy` is.
class LogEncoder {
 public:
  LogEncoder(const dealing::SecretBox& secrets, Entropy& entropy)
      : secrets_(secrets), entropy_(entropy) {}

  // Encodes the entry with `revision` of the log of `table`. Encrypts the seeds of a deal's start
  // and the cards of an écart.
  StoredBody Encode(TableId table, int revision, const EntryBody& body) const;

  // Encodes the seed of a table's first deal: its commitment, then the encrypted seed.
  std::string EncodeFirstSeed(TableId table, const dealing::DealSeed& seed) const;

 private:
  std::string Seal(TableId table, int revision, int kind, absl::string_view secret) const;

  const dealing::SecretBox& secrets_;
  Entropy& entropy_;
};

// Encodes the secrets of a deal that is over: the seed, and then the action that laid the écart
// aside, if there was one.
std::string EncodeRevealed(const RevealedDeal& deal);

// The secrets of the finished deals of one table, in the form of EncodeRevealed(). The key is the
// number of the deal.
using RevealedDeals = std::map<int, std::string>;

// Decodes the entries of one table's log, in their order.
class LogDecoder {
 public:
  struct Log {
    TableId table;
    int players = 0;
    int first_deal = 1;  // The number of the first deal that starts in the entries.
    // True if the caller needs no deal after these entries. In this case, the seed of the next deal
    // may be unreadable.
    bool ended = false;
  };

  // The function `revealed` reads the finished deals of the table. The decoder calls it at most
  // once, and only if the key of a secret is missing or wrong.
  LogDecoder(const dealing::SecretBox& secrets, const Log& log,
             std::function<RevealedDeals()> revealed)
      : secrets_(&secrets), log_(log), revealed_(std::move(revealed)) {}

  // Decodes the next entry. If neither the keys nor the finished deals reveal a secret of the
  // entry, returns INTERNAL SECRET_UNREADABLE. If no version of the service wrote such bytes,
  // returns INTERNAL BUG.
  absl::StatusOr<EntryBody> Decode(int revision, int kind, absl::string_view payload);

  // Decodes the seed of the first deal. Returns the errors of Decode.
  absl::StatusOr<dealing::DealSeed> DecodeFirstSeed(absl::string_view bytes);

 private:
  absl::StatusOr<EntryBody> DecodeStart(int revision, absl::string_view payload);
  absl::StatusOr<EntryBody> DecodeDiscard(int revision, absl::string_view payload);
  const RevealedDeals& Revealed();
  // Returns the revealed seed of a finished deal if it belongs to `commitment`. If not, returns
  // nullopt.
  std::optional<dealing::DealSeed> RevealedSeed(int deal, const dealing::Commitment& commitment);

  const dealing::SecretBox* secrets_;
  Log log_;
  int deals_ = 0;  // Number of deals that the entries so far have started.
  std::function<RevealedDeals()> revealed_;
  std::optional<RevealedDeals> known_;
};

}  // namespace tarot::rules_service
