#include "services/ratings/storage/pg_recomputation.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/pg/pool.h"
#include "services/ratings/storage/sql_values.h"

namespace tarot::ratings_service {
namespace {

// The SQL tables of a recomputation have fixed names, because only one recomputation runs at a
// time. A recomputation holds a lock of its database session. If the process dies, the session ends
// and the lock is released. But after a connection is closed, the session ends only some time
// later. So when a recomputation ends, it releases the lock itself.
constexpr char kTakeLock[] =
    "SELECT pg_try_advisory_lock(hashtextextended('tarot ratings recomputation', 0))";
constexpr char kReleaseLock[] = "SELECT pg_advisory_unlock_all()";
// The role of the service may not create, index, swap or drop SQL tables. So the service calls
// procedures that belong to the owner of the schema (migration V0015).
constexpr char kDropTables[] = "CALL ratings.drop_recomputation()";
constexpr char kMakeTables[] = "CALL ratings.make_recomputation()";
// This statement runs after the first standings are stored. Postgres makes an index faster if the
// rows are there already.
constexpr char kMakeIndexes[] = "CALL ratings.index_recomputation()";
// Waits for all transactions that record matches. Until the end of this transaction, new
// transactions that record matches wait, and readers wait too.
constexpr char kBlock[] = R"sql(
    SET LOCAL lock_timeout = '2s';
    LOCK TABLE ratings.ratings, ratings.recomputed_results IN ACCESS EXCLUSIVE MODE
)sql";
constexpr char kSwapTables[] = "CALL ratings.swap_recomputation()";

constexpr char kUpsertStandings[] = R"sql(
    INSERT INTO ratings.next_ratings (player_id, player_count, mu, variance, match_count,
                                      void_count, update_time)
    SELECT *
    FROM unnest($1::uuid[], $2::smallint[], $3::double precision[], $4::double precision[],
                $5::integer[], $6::integer[], $7::timestamptz[])
    ON CONFLICT (player_id, player_count) DO UPDATE
      SET mu = excluded.mu, variance = excluded.variance, match_count = excluded.match_count,
          void_count = excluded.void_count, update_time = excluded.update_time
)sql";

// The text of one row for COPY. It has tabs between the fields, \N for NULL, and a line break at
// the end.
class Fields {
 public:
  explicit Fields(absl::string_view line) : rest_(absl::StripSuffix(line, "\n")) {}

  absl::string_view Next() {
    const std::size_t end = rest_.find('\t');
    const absl::string_view field = rest_.substr(0, end);
    rest_ = end == absl::string_view::npos ? absl::string_view() : rest_.substr(end + 1);
    return field;
  }
  template <typename Number>
  Number NextNumber() {
    return *NextNumberOrNull<Number>();
  }
  template <typename Number>
  std::optional<Number> NextNumberOrNull() {
    const absl::string_view field = Next();
    if (field == "\\N") return std::nullopt;
    Number number{};
    const auto parsed = std::from_chars(field.data(), field.data() + field.size(), number);
    TAROT_CHECK(parsed.ec == std::errc());  // The column has a numeric type.
    return number;
  }
  bool NextBool() { return Next() == "t"; }
  template <typename SomeId>
  SomeId NextId() {
    const auto id = SomeId::Parse(Next());
    TAROT_CHECK(id.has_value());  // The column has the type uuid.
    return *id;
  }

 private:
  absl::string_view rest_;
};

// Reads a row of ReadMatchesSql(). All rows of one match stand together.
void AppendRow(absl::string_view line, std::vector<LedgerMatch>& matches) {
  Fields fields(line);
  const auto sequence = fields.NextNumber<std::int64_t>();
  const auto table = fields.NextId<TableId>();
  const int deal_count = fields.NextNumber<int>();
  const auto match_micros = fields.NextNumber<std::int64_t>();
  const int season = fields.NextNumber<int>();
  const bool voided = fields.NextBool();
  if (matches.empty() || matches.back().sequence != sequence) {
    matches.push_back({.sequence = sequence,
                       .table = table,
                       .deal_count = deal_count,
                       .match_time = absl::FromUnixMicros(match_micros),
                       .season = season,
                       .voided = voided});
  }
  LedgerEntry& entry = matches.back().entries.emplace_back();
  entry.player = fields.NextId<PlayerId>();
  entry.bot = fields.NextBool();
  entry.total = fields.NextNumber<int>();
  const auto luck = fields.NextNumberOrNull<double>();
  const auto result = fields.NextNumberOrNull<double>();
  if (result) entry.luck = PlayerLuck{.luck = luck.value_or(0), .result = *result};
  entry.left = fields.NextBool();
  entry.before.mu = fields.NextNumber<double>();
  entry.before.variance = fields.NextNumber<double>();
  entry.after.mu = fields.NextNumber<double>();
  entry.after.variance = fields.NextNumber<double>();
}

// Calls `work` and returns its result. If `work` throws an exception, returns a Status.
template <typename Work>
auto Try(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return pg::StatusFromCurrentException();
  }
}

class PgRecomputation final : public Recomputation {
 public:
  // Begin() and all private functions throw the exceptions of pqxx.
  explicit PgRecomputation(const std::string& dsn) : reader_(dsn), writer_(dsn) {}

  ~PgRecomputation() override {
    const bool begun = begun_ && !finished_;
    (void)Try([&] {
      reading_.reset();
      block_.reset();
      // If this statement fails, the next recomputation drops the SQL tables of this one.
      if (begun) pqxx::nontransaction(writer_).exec0(kDropTables);
      if (begun_) pqxx::nontransaction(writer_).exec1(kReleaseLock);
      return absl::OkStatus();
    });
  }

  // If another recomputation runs, returns false.
  bool Begin() {
    if (!pqxx::nontransaction(writer_).exec1(kTakeLock)[0].as<bool>()) return false;
    begun_ = true;
    pqxx::work tx(writer_);
    tx.exec0(kDropTables);
    tx.exec0(kMakeTables);
    last_void_ =
        tx.exec1("SELECT coalesce(max(void_id), 0) FROM ratings.voids")[0].as<std::int64_t>();
    tx.commit();
    return true;
  }

  absl::StatusOr<std::vector<LedgerMatch>> ReadMatches(int limit) override {
    return Try([&]() -> absl::StatusOr<std::vector<LedgerMatch>> {
      while (true) {
        std::vector<LedgerMatch> matches = ReadPage(limit);
        if (matches.empty()) {
          EndRound();
          return matches;
        }
        after_ = matches.back().sequence;
        std::erase_if(matches, [&](const LedgerMatch& match) { return !MarkReturned(match); });
        if (!matches.empty()) return matches;
      }
    });
  }

  absl::Status AddResults(absl::Span<const RecomputedResult> results) override {
    return Write([&](pqxx::transaction_base& tx) {
      if (results.empty()) return;
      const std::array<std::string, 6> columns = {"sequence",        "player_id", "mu_before",
                                                  "variance_before", "mu_after",  "variance_after"};
      pqxx::stream_to stream(tx, "ratings.next_recomputed_results", columns);
      for (const RecomputedResult& result : results) {
        std::array<std::string, 4> texts;
        if (result.before && result.after) {
          texts = {DoubleText(result.before->mu), DoubleText(result.before->variance),
                   DoubleText(result.after->mu), DoubleText(result.after->variance)};
        }
        // A null pointer becomes NULL.
        const auto text = [&](std::size_t i) {
          return texts[i].empty() ? nullptr : texts[i].c_str();
        };
        stream << std::make_tuple(result.sequence, result.player.ToString(), text(0), text(1),
                                  text(2), text(3));
      }
      stream.complete();
    });
  }

  absl::Status SetStandings(absl::Span<const LadderStanding> standings) override {
    return Write([&](pqxx::transaction_base& tx) {
      if (!std::exchange(indexed_, true)) return CopyStandings(tx, standings);
      if (!standings.empty()) UpsertStandings(tx, standings);
    });
  }

  absl::Status BlockRecording() override {
    return Try([&] {
      auto block = std::make_unique<pqxx::work>(writer_);
      block->exec0(kBlock);
      block_ = std::move(block);
      return absl::OkStatus();
    });
  }

  absl::Status Finish() override {
    TAROT_CHECK(block_ != nullptr);
    return Try([&] {
      block_->exec0(kSwapTables);
      block_->exec0(
          absl::StrCat("INSERT INTO ratings.recomputations (void_id) VALUES (", last_void_, ")"));
      block_->commit();
      finished_ = true;
      return absl::OkStatus();
    });
  }

 private:
  using ReadTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

  // Returns the next matches of this round. All reads of a round see the same snapshot. The first
  // round reads all matches. Each later round reads the matches that the snapshot of the previous
  // round did not show. So it also finds a match with a low sequence number whose transaction
  // committed late. If a snapshot shows a match, it also shows all earlier matches of the same
  // players. In a restored database, a round may return a match a second time (see MarkReturned()).
  std::vector<LedgerMatch> ReadPage(int limit) {
    if (reading_ == nullptr) {
      reading_ = std::make_unique<ReadTransaction>(reader_);
      snapshot_ = reading_->exec1("SELECT pg_current_snapshot()::text")[0].as<std::string>();
      after_ = 0;
    }
    std::vector<LedgerMatch> matches;
    const pqxx::row end = reading_->exec1(EndOfPageSql(limit));
    if (end[0].is_null()) return matches;
    pqxx::stream_from stream(*reading_, ReadMatchesSql(end[0].as<std::int64_t>()));
    for (std::string line; stream.get_raw_line(line);) AppendRow(line, matches);
    stream.complete();
    return matches;
  }

  // Returns the SQL condition for the matches that this round still has to read. COPY takes no
  // parameters, so the text contains the values. This is safe, because each value is a number or
  // comes from Postgres.
  std::string NextMatchesSql() const {
    std::string next = absl::StrCat("rated AND sequence > ", after_);
    if (last_snapshot_.empty()) return next;
    return absl::StrCat(next, " AND stored_by >= pg_snapshot_xmin('", last_snapshot_,
                        "') AND NOT pg_visible_in_snapshot(stored_by, '", last_snapshot_, "')");
  }

  // Selects the sequence number of the last match of the next page, or NULL.
  std::string EndOfPageSql(int limit) const {
    return absl::StrCat("SELECT max(sequence) FROM (SELECT sequence FROM ratings.matches WHERE ",
                        NextMatchesSql(), " ORDER BY sequence LIMIT ", limit, ") page");
  }

  // Selects the matches of one page, with their ledger rows. The conditions on l.sequence follow
  // from the join, but Postgres does not know this. Without these conditions, Postgres would read
  // the whole ledger for each page.
  std::string ReadMatchesSql(std::int64_t end) const {
    return absl::StrCat(
        "(SELECT m.sequence, m.table_id, m.deal_count,"
        " (extract(epoch FROM m.match_time) * 1000000)::bigint, coalesce(m.season, 0),"
        " EXISTS (SELECT FROM ratings.voided_matches v WHERE v.sequence = m.sequence"
        " AND v.void_id <= ",
        last_void_,
        "), l.player_id, l.bot, l.total, l.luck, l.result, l.left_match,"
        " l.mu_before, l.variance_before, l.mu_after, l.variance_after"
        " FROM (SELECT * FROM ratings.matches WHERE ",
        NextMatchesSql(), " AND sequence <= ", end,
        ") m JOIN ratings.ledger l ON l.sequence = m.sequence AND l.sequence > ", after_,
        " AND l.sequence <= ", end, " ORDER BY m.sequence, l.player_id)");
  }

  void EndRound() {
    reading_->commit();
    reading_.reset();
    last_snapshot_ = snapshot_;
  }

  // Returns false if an earlier call has already returned the match. This can happen in a restored
  // database: the transaction ids of old matches may come from another cluster. Such an id does not
  // show whether a snapshot contains the match.
  bool MarkReturned(const LedgerMatch& match) {
    const auto at = static_cast<std::size_t>(match.sequence);
    if (at >= returned_.size()) returned_.resize(at + at / 2 + 1);
    if (returned_[at]) return false;
    returned_[at] = true;
    return true;
  }

  template <typename Work>
  absl::Status Write(const Work& work) {
    return Try([&] {
      if (block_ != nullptr) {
        work(*block_);
      } else {
        pqxx::work tx(writer_);
        work(tx);
        tx.commit();
      }
      return absl::OkStatus();
    });
  }

  static void CopyStandings(pqxx::transaction_base& tx,
                            absl::Span<const LadderStanding> standings) {
    const std::array<std::string, 7> columns = {
        "player_id", "player_count", "mu", "variance", "match_count", "void_count", "update_time"};
    pqxx::stream_to stream(tx, "ratings.next_ratings", columns);
    for (const auto& [player_count, standing] : standings) {
      stream << std::make_tuple(standing.player.ToString(), player_count,
                                DoubleText(standing.skill.mu), DoubleText(VarianceOf(standing)),
                                standing.match_count, standing.void_count,
                                Timestamp(standing.update_time));
    }
    stream.complete();
    tx.exec0(kMakeIndexes);
  }

  static void UpsertStandings(pqxx::transaction_base& tx,
                              absl::Span<const LadderStanding> standings) {
    using Row = const LadderStanding&;
    const auto of_rows = [&](auto to_text) { return ArrayOf(standings, to_text); };
    tx.exec_params0(kUpsertStandings, of_rows([](Row r) { return r.standing.player.ToString(); }),
                    of_rows([](Row r) { return absl::StrCat(r.player_count); }),
                    of_rows([](Row r) { return DoubleText(r.standing.skill.mu); }),
                    of_rows([](Row r) { return DoubleText(VarianceOf(r.standing)); }),
                    of_rows([](Row r) { return absl::StrCat(r.standing.match_count); }),
                    of_rows([](Row r) { return absl::StrCat(r.standing.void_count); }),
                    of_rows([](Row r) { return Timestamp(r.standing.update_time); }));
  }

  // The SQL table refuses a variance of zero. A player without matches has no skill, so this
  // function returns 1 for such a player.
  static double VarianceOf(const Standing& standing) {
    return standing.match_count == 0 ? 1 : standing.skill.variance;
  }

  pqxx::connection reader_;
  pqxx::connection writer_;  // The session of this connection holds the lock that allows only one
                             // recomputation.
  bool begun_ = false;
  bool finished_ = false;
  bool indexed_ = false;
  std::int64_t last_void_ = 0;  // Voids with a higher id are ignored.

  // The transaction of this round. It is null between two rounds.
  std::unique_ptr<ReadTransaction> reading_;
  std::string snapshot_;        // The snapshot of this round.
  std::string last_snapshot_;   // The snapshot of the previous round, or empty.
  std::int64_t after_ = 0;      // The last sequence number that this round has read.
  std::vector<bool> returned_;  // Indexed by the number of a match.

  std::unique_ptr<pqxx::work> block_;  // Set after BlockRecording().
};

}  // namespace

absl::StatusOr<std::unique_ptr<Recomputation>> BeginPgRecomputation(const std::string& dsn) {
  return Try([&]() -> absl::StatusOr<std::unique_ptr<Recomputation>> {
    auto recomputation = std::make_unique<PgRecomputation>(dsn);
    if (recomputation->Begin()) return recomputation;
    return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT", "Another recomputation runs.");
  });
}

}  // namespace tarot::ratings_service
