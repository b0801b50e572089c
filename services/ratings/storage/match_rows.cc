#include "services/ratings/storage/match_rows.h"

#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/storage/sql_values.h"

namespace tarot::ratings_service {

constinit const pg::Statement kLockStandings{"ratings_lock_standings", R"sql(
    SELECT r.player_count, r.player_id, r.mu, r.variance, r.match_count, r.void_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM unnest($1::uuid[], $2::smallint[]) AS asked (player_id, player_count)
    JOIN ratings.ratings r USING (player_id, player_count)
    ORDER BY r.player_id, r.player_count
    FOR NO KEY UPDATE OF r
)sql"};

constinit const pg::Statement kReadBatchState{"ratings_read_batch_state", R"sql(
    SELECT table_id, NULL::integer AS player_count, NULL::integer AS season
    FROM ratings.matches WHERE table_id = ANY($1::uuid[])
    UNION ALL
    SELECT NULL, player_count, max(number) FROM ratings.seasons GROUP BY player_count
)sql"};

// Most players keep their names, so the statement looks for the others first. An upsert of all
// players would lock every row of ratings.players, and write each lock to the log of Postgres.
constinit const pg::Statement kRecordMatches{"ratings_record_matches", R"sql(
    WITH batch AS MATERIALIZED (
      SELECT *
      FROM unnest($1::uuid[], $2::smallint[], $3::integer[], $4::timestamptz[], $5::boolean[],
                  $6::integer[])
        WITH ORDINALITY
        AS m (table_id, player_count, deal_count, match_time, rated, season, position)
    ), claimed AS (
      INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time, rated, season)
      SELECT table_id, player_count, deal_count, match_time, rated, season
      FROM batch ORDER BY position
      ON CONFLICT (table_id) DO NOTHING
      RETURNING sequence, table_id
    ), stored AS MATERIALIZED (
      SELECT batch.position, batch.player_count, claimed.sequence
      FROM claimed JOIN batch USING (table_id)
    ), named AS (
      INSERT INTO ratings.players (player_id, display_name, bot)
      SELECT p.* FROM unnest($19::uuid[], $20::text[], $21::boolean[])
        AS p (player_id, display_name, bot)
      LEFT JOIN ratings.players AS old USING (player_id)
      WHERE old.player_id IS NULL
         OR (old.display_name, old.bot) <> (p.display_name, p.bot) AND old.deleted_time IS NULL
      ORDER BY player_id
      ON CONFLICT (player_id) DO UPDATE
        SET display_name = excluded.display_name, bot = excluded.bot
        WHERE (players.display_name, players.bot) <> (excluded.display_name, excluded.bot)
          AND players.deleted_time IS NULL
    ), logged AS (
      INSERT INTO ratings.ledger (sequence, player_id, player_count, bot, total, mu_before,
                                  variance_before, mu_after, variance_after, match_number, luck,
                                  result, left_match)
      SELECT stored.sequence, s.player_id, stored.player_count, s.bot, s.total, s.mu_before,
             s.variance_before, s.mu_after, s.variance_after, s.match_number, s.luck, s.result,
             s.left_match
      FROM stored
      JOIN unnest($7::integer[], $8::uuid[], $9::boolean[], $10::integer[],
                  $11::double precision[], $12::double precision[], $13::double precision[],
                  $14::double precision[], $15::integer[], $16::double precision[],
                  $17::double precision[], $18::boolean[])
        AS s (position, player_id, bot, total, mu_before, variance_before, mu_after,
              variance_after, match_number, luck, result, left_match) USING (position)
      ORDER BY stored.sequence, s.player_id
    ), rated AS (
      INSERT INTO ratings.ratings (player_id, player_count, mu, variance, match_count, void_count,
                                   update_time)
      SELECT *
      FROM unnest($22::uuid[], $23::smallint[], $24::double precision[], $25::double precision[],
                  $26::integer[], $27::integer[], $28::timestamptz[])
        AS r (player_id, player_count, mu, variance, match_count, void_count, update_time)
      ORDER BY player_id, player_count
      ON CONFLICT (player_id, player_count) DO UPDATE
        SET mu = excluded.mu, variance = excluded.variance, match_count = excluded.match_count,
            void_count = excluded.void_count, update_time = excluded.update_time
    ), sheet AS (
      INSERT INTO ratings.match_sheets (sequence, rule_values, seats)
      SELECT stored.sequence, s.rule_values, s.seats::uuid[]
      FROM stored JOIN unnest($29::integer[], $30::text[], $31::text[])
        AS s (position, rule_values, seats) USING (position)
    ), dealt AS (
      INSERT INTO ratings.match_deals (sequence, number, dealer, pack, outcome, scores, stand_ins,
                                       mean_scores, deviation)
      SELECT stored.sequence, d.number, d.dealer, decode(d.pack, 'hex'), d.outcome,
             d.scores::integer[], d.stand_ins, d.mean_scores::double precision[], d.deviation
      FROM stored
      JOIN unnest($32::integer[], $33::integer[], $34::smallint[], $35::text[], $36::smallint[],
                  $37::text[], $38::smallint[], $39::text[], $40::double precision[])
        AS d (position, number, dealer, pack, outcome, scores, stand_ins, mean_scores, deviation)
        USING (position)
      ORDER BY stored.sequence, d.number
    )
    SELECT count(*) FROM claimed
)sql"};
namespace {

std::string ScoresText(const DealtDeal& deal) {
  return absl::StrCat("{", absl::StrJoin(deal.scores, ","), "}");
}

int StandInBits(const DealtDeal& deal) {
  int bits = 0;
  for (const int seat : deal.stand_ins) bits |= 1 << seat;
  return bits;
}

std::optional<std::string> MeansText(const DealtDeal& deal) {
  if (!deal.baseline) return std::nullopt;
  return DoublesText(deal.baseline->mean_scores);
}

std::optional<std::string> DeviationText(const DealtDeal& deal) {
  if (!deal.baseline) return std::nullopt;
  return DoubleText(deal.baseline->deviation);
}

// Reads the state of the batch with the statements kLockStandings and kReadBatchState.
BatchState ReadBatchState(pqxx::transaction_base& tx, const std::vector<MatchResult>& matches) {
  std::vector<std::pair<PlayerId, int>> players;
  for (const MatchResult& match : matches) {
    for (const MatchPlayer& player : match.players) {
      if (match.rated) players.emplace_back(player.player, match.player_count());
    }
  }
  std::sort(players.begin(), players.end());
  players.erase(std::unique(players.begin(), players.end()), players.end());
  BatchState state;
  for (const pqxx::row& row : tx.exec_prepared(
           kLockStandings.name,
           ArrayOf(players, [](const auto& key) { return key.first.ToString(); }),
           ArrayOf(players, [](const auto& key) { return absl::StrCat(key.second); }))) {
    Standing standing = StandingOf(row);
    const std::pair key(row["player_count"].as<int>(), standing.player);
    state.standings[key] = std::move(standing);
  }
  std::set<TableId> recorded;
  for (const pqxx::row& row : tx.exec_prepared(
           kReadBatchState.name,
           ArrayOf(matches, [](const MatchResult& match) { return match.table.ToString(); }))) {
    if (row["table_id"].is_null()) {
      state.newest_seasons[row["player_count"].as<int>()] = row["season"].as<int>();
    } else {
      recorded.insert(IdOf<TableId>(row["table_id"]));
    }
  }
  for (const MatchResult& match : matches) {
    state.recorded.push_back(recorded.contains(match.table));
  }
  return state;
}

// The rows that kRecordMatches inserts. `position` is the number of the match in the batch. Numbers
// begin at 1.
struct NewRows {
  struct Seat {
    std::size_t position = 0;
    const MatchPlayer* player = nullptr;
    const LedgerEntry* entry = nullptr;  // Null in a casual match.
    int match_number = 0;
  };
  struct Deal {
    std::size_t position = 0;
    const DealtDeal* deal = nullptr;
  };

  std::vector<const MatchResult*> matches;
  std::vector<Seat> seats;
  // Each player, with the name that the player has in the last match of the batch.
  std::map<PlayerId, const MatchPlayer*> people;
  // Each standing, as it is after the player's last match in the batch.
  std::map<std::pair<PlayerId, int>, const Standing*> standings;
  std::vector<std::pair<std::size_t, const MatchResult*>> sheets;
  std::vector<Deal> deals;

  // `rated` is null for a casual match.
  void Add(const MatchResult& match, const RatedMatch* rated) {
    matches.push_back(&match);
    const std::size_t position = matches.size();
    for (std::size_t i = 0; i < match.players.size(); ++i) {
      const MatchPlayer& player = match.players[i];
      people[player.player] = &player;
      Seat& seat = seats.emplace_back(Seat{.position = position, .player = &player});
      if (rated == nullptr) continue;
      const Standing& after = rated->after[i];
      seat.entry = &rated->entries[i];
      seat.match_number = after.match_count + after.void_count;
      standings[{after.player, match.player_count()}] = &after;
    }
    if (!match.deals.empty()) sheets.emplace_back(position, &match);
    for (const DealtDeal& deal : match.deals) deals.push_back({position, &deal});
  }
};

// Returns the number of inserted matches. If another transaction has stored some of the matches,
// this number is smaller than the number of `rows.matches`.
std::size_t InsertRows(pqxx::transaction_base& tx, const NewRows& rows) {
  using Match = const MatchResult*;
  using Seat = const NewRows::Seat&;
  using Deal = const NewRows::Deal&;
  using Text = std::optional<std::string>;
  const auto of_matches = [&](auto to_text) { return NullableArray(rows.matches, to_text); };
  const auto of_seats = [&](auto to_text) { return NullableArray(rows.seats, to_text); };
  const auto of_people = [&](auto to_text) { return ArrayOf(rows.people, to_text); };
  const auto of_standings = [&](auto to_text) { return ArrayOf(rows.standings, to_text); };
  const auto of_sheets = [&](auto to_text) { return ArrayOf(rows.sheets, to_text); };
  const auto of_deals = [&](auto to_text) { return ArrayOf(rows.deals, to_text); };
  const auto of_skills = [&](rating::Skill LedgerEntry::*skill, double rating::Skill::*number) {
    return of_seats([=](Seat s) -> Text {
      if (s.entry == nullptr) return std::nullopt;
      return DoubleText(s.entry->*skill.*number);
    });
  };
  const auto of_luck = [&](double PlayerLuck::*number) {
    return of_seats([=](Seat s) -> Text {
      if (s.entry == nullptr || !s.entry->luck) return std::nullopt;
      return DoubleText((*s.entry->luck).*number);
    });
  };
  const auto yes_or_no = [](bool yes) { return yes ? "true" : "false"; };
  return tx
      .exec_prepared1(
          kRecordMatches.name, of_matches([](Match m) -> Text { return m->table.ToString(); }),
          of_matches([](Match m) -> Text { return absl::StrCat(m->player_count()); }),
          of_matches([](Match m) -> Text { return absl::StrCat(m->deal_count); }),
          of_matches([](Match m) -> Text { return Timestamp(m->match_time); }),
          of_matches([&](Match m) -> Text { return yes_or_no(m->rated); }),
          of_matches([](Match m) -> Text {
            return m->season == 0 ? std::nullopt : Text(absl::StrCat(m->season));
          }),
          of_seats([](Seat s) -> Text { return absl::StrCat(s.position); }),
          of_seats([](Seat s) -> Text { return s.player->player.ToString(); }),
          of_seats([&](Seat s) -> Text { return yes_or_no(s.player->bot); }),
          of_seats([](Seat s) -> Text { return absl::StrCat(s.player->total); }),
          of_skills(&LedgerEntry::before, &rating::Skill::mu),
          of_skills(&LedgerEntry::before, &rating::Skill::variance),
          of_skills(&LedgerEntry::after, &rating::Skill::mu),
          of_skills(&LedgerEntry::after, &rating::Skill::variance), of_seats([](Seat s) -> Text {
            return s.entry == nullptr ? std::nullopt : Text(absl::StrCat(s.match_number));
          }),
          of_luck(&PlayerLuck::luck), of_luck(&PlayerLuck::result),
          of_seats([&](Seat s) -> Text { return yes_or_no(s.player->left); }),
          of_people([](const auto& p) { return p.first.ToString(); }),
          of_people([](const auto& p) { return p.second->display_name; }),
          of_people([&](const auto& p) { return yes_or_no(p.second->bot); }),
          of_standings([](const auto& r) { return r.first.first.ToString(); }),
          of_standings([](const auto& r) { return absl::StrCat(r.first.second); }),
          of_standings([](const auto& r) { return DoubleText(r.second->skill.mu); }),
          of_standings([](const auto& r) { return DoubleText(r.second->skill.variance); }),
          of_standings([](const auto& r) { return absl::StrCat(r.second->match_count); }),
          of_standings([](const auto& r) { return absl::StrCat(r.second->void_count); }),
          of_standings([](const auto& r) { return Timestamp(r.second->update_time); }),
          of_sheets([](const auto& sheet) { return absl::StrCat(sheet.first); }),
          of_sheets([](const auto& sheet) { return sheet.second->rule_values; }),
          of_sheets([](const auto& sheet) { return UuidArray(sheet.second->seats); }),
          of_deals([](Deal d) { return absl::StrCat(d.position); }),
          of_deals([](Deal d) { return absl::StrCat(d.deal->number); }),
          of_deals([](Deal d) { return absl::StrCat(d.deal->dealer); }),
          of_deals([](Deal d) { return absl::BytesToHexString(d.deal->pack); }),
          of_deals([](Deal d) { return absl::StrCat(static_cast<int>(d.deal->outcome)); }),
          of_deals([](Deal d) { return ScoresText(*d.deal); }),
          of_deals([](Deal d) { return absl::StrCat(StandInBits(*d.deal)); }),
          NullableArray(rows.deals, [](Deal d) { return MeansText(*d.deal); }),
          NullableArray(rows.deals, [](Deal d) { return DeviationText(*d.deal); }))[0]
      .as<std::size_t>();
}

}  // namespace

absl::StatusOr<std::vector<Recorded>> RecordMatches(pqxx::connection& connection,
                                                    const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate) {
  pqxx::work tx(connection);
  const BatchState state = ReadBatchState(tx, matches);
  const std::vector<std::optional<RatedMatch>> rated = rate(matches, state);
  std::vector<Recorded> results;
  NewRows rows;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bool left_out = matches[i].rated && !rated[i];
    results.push_back(state.recorded[i] ? Recorded::kBefore
                      : left_out        ? Recorded::kLeftOut
                                        : Recorded::kNow);
    if (results.back() != Recorded::kNow) continue;
    rows.Add(matches[i], rated[i] ? &*rated[i] : nullptr);
  }
  if (!rows.matches.empty()) {
    if (InsertRows(tx, rows) != rows.matches.size()) return error::StoredFirst();
    tx.commit();
  }
  return results;
}

}  // namespace tarot::ratings_service
