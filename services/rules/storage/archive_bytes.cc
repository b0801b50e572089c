#include "services/rules/storage/archive_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/record_bytes.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/record_service.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {
namespace {

using dealing::DealStart;
using dealing::Procedure;
using rules::Seat;

// Bits of the first byte of a deal. The lowest two bits are the procedure.
constexpr unsigned kProcedureBits = 3;
constexpr unsigned kOwnStart = 1u << 2;  // The bytes have the start of the deal in full.
constexpr unsigned kNonces = 1u << 3;
constexpr unsigned kClaimed = 1u << 4;
constexpr unsigned kVoided = 1u << 5;
constexpr unsigned kEndsMatch = 1u << 6;  // The operator who cancelled the deal ended the match.

constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kChecksumBytes = 4;

absl::Status Wrong(absl::string_view what) {
  return Error(absl::StatusCode::kInternal, "BUG", absl::StrCat("Archive: ", what));
}

std::uint32_t Checksum(absl::string_view bytes) {
  std::uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

void PutNumber(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ... and writes the result. Negative values occur: if the
// clocks of two replicas differ, a deal can end before the time at which its table was made.
void PutSigned(std::int64_t value, std::string& out) {
  PutNumber(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63), out);
}

void PutText(absl::string_view text, std::string& out) {
  PutNumber(text.size(), out);
  out.append(text.data(), text.size());
}

// Reads values from the front of the bytes. After an attempt to read beyond the end, ok() stays
// false.
class Reader {
 public:
  explicit Reader(absl::string_view rest) : rest_(rest) {}

  absl::string_view Take(std::size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  unsigned Byte() {
    const absl::string_view byte = Take(1);
    return ok_ ? static_cast<std::uint8_t>(byte[0]) : 0;
  }
  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const unsigned byte = Byte();
      value |= std::uint64_t{byte & 0x7F} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::int64_t Signed() {
    const std::uint64_t value = Number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  absl::string_view Text() { return Take(Number()); }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  absl::string_view rest_;
  bool ok_ = true;
};

// Returns the number of a seat in a record. A record counts seats from the seat after the dealer.
Seat InRecord(Seat seat, const rules::Deal& deal) {
  return (seat - deal.dealer - 1 + deal.players) % deal.players;
}
Seat AtTable(Seat record_seat, const rules::Deal& deal) {
  return (record_seat + deal.dealer + 1) % deal.players;
}

// Returns the record of a deal that has just begun. The record has no actions yet.
notation::Record EmptyRecord(const rules::Deal& deal) {
  notation::Record record{.players = deal.players, .dog = deal.dog};
  for (Seat seat = 0; seat < deal.players; ++seat) {
    record.hands[notation::Slot(InRecord(seat, deal))] = deal.dealt[notation::Slot(seat)];
  }
  return record;
}

// Predicts the author of each action of a deal. So only the authors that differ from the prediction
// must be stored.
class Authors {
 public:
  explicit Authors(const TableConfig& config) : config_(config) {}

  Actor Expected(const TableState& before, Seat seat) const {
    if (before.InLastTrick()) return Actor::kServer;
    if (config_.seats[notation::Slot(seat)].bot()) return Actor::kBot;
    return last_[notation::Slot(seat)];
  }
  void Note(Seat seat, Actor actor) {
    if (actor != Actor::kServer) last_[notation::Slot(seat)] = actor;
  }

 private:
  const TableConfig& config_;
  std::array<Actor, rules::kPlayersMax> last_{};  // At first, each element is Actor::kPlayer.
};

// Computes the start that a deal should have, from the deals before it. If those deals fixed no
// seed for this deal, returns nullopt.
std::optional<DealStart> ExpectedStart(const TableState& state, const DealStart& start) {
  const dealing::Provenance& from = start.provenance;
  if (state.next == nullptr || from.procedure == Procedure::kSeedAlone) return std::nullopt;
  NextDeal next = *state.next;
  next.seed = from.seed;
  next.nonces = from.nonces;
  return StartOf(state.match, next, start.next_seed, from.procedure);
}

struct CardOfSeat {
  Seat seat;
  rules::Card card;
};

// Returns the claimed cards, each with the seat that plays it.
absl::StatusOr<std::vector<CardOfSeat>> PlaysOf(rules::Match match, const TricksClaimed& claimed) {
  std::vector<CardOfSeat> plays;
  for (const rules::Card card : claimed.cards) {
    plays.push_back({match.deal.turn, card});
    const rules::Action action = rules::Action::Play(card);
    const rules::Verdict verdict = Apply(match, match.deal.turn, action);
    if (!verdict.ok()) return rules::RefusalStatus(action, verdict);
  }
  return plays;
}

// Encodes the deals of one match. For this, `state_` follows the log of the match.
class MatchEncoder {
 public:
  explicit MatchEncoder(const StoredTable& match)
      : match_(match), state_(NewTable(std::make_shared<const TableConfig>(match.config))) {}

  absl::StatusOr<std::string> Run() {
    const auto& id = match_.config.id.uuid.bytes();
    std::string out(id.begin(), id.end());
    const auto deals = std::count_if(match_.log.begin(), match_.log.end(), [](const LogEntry& e) {
      return std::holds_alternative<DealStarted>(e.body);
    });
    PutNumber(static_cast<std::uint64_t>(deals), out);
    absl::Time before = match_.config.create_time;
    for (const LogEntry& entry : match_.log) {
      TAROT_RETURN_IF_ERROR(Add(entry));
      TAROT_RETURN_IF_ERROR(Advance(state_, entry));
      if (std::holds_alternative<DealStarted>(entry.body)) Begin();
      if (state_.match.deals_dealt > 0 && !state_.match.DealRunning() && open_) {
        TAROT_RETURN_IF_ERROR(End(entry.create_time - before, out));
        before = entry.create_time;
      }
    }
    if (open_ || !state_.match.Finished()) return Wrong("the match is not over");
    const std::uint32_t checksum = Checksum(out);
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(checksum >> shift & 0xFF);
    return out;
  }

 private:
  // Adds an entry to the deal. Call this function before `state_` has applied the entry.
  absl::Status Add(const LogEntry& entry) {
    if (const auto* dealt = std::get_if<DealStarted>(&entry.body)) {
      AddStart(*dealt->start);
    } else if (const auto* action = std::get_if<rules::Action>(&entry.body)) {
      if (entry.actor != authors_->Expected(state_, entry.seat)) {
        PutNumber(record_.entries.size(), odd_authors_);
        odd_authors_ += static_cast<char>(entry.actor);
        ++odd_count_;
      }
      authors_->Note(entry.seat, entry.actor);
      AddMove(entry.seat, *action);
    } else if (const auto* claimed = std::get_if<TricksClaimed>(&entry.body)) {
      head_ |= kClaimed;
      PutNumber(record_.entries.size(), end_);
      end_ += static_cast<char>(entry.seat);
      end_ += static_cast<char>(entry.actor);
      TAROT_ASSIGN_OR_RETURN(const auto plays, PlaysOf(state_.match, *claimed));
      for (const CardOfSeat& play : plays) AddMove(play.seat, rules::Action::Play(play.card));
    } else if (const auto* voided = std::get_if<DealVoided>(&entry.body)) {
      head_ |= kVoided | (voided->ends_match ? kEndsMatch : 0u);
      PutText(voided->reason, end_);
    } else if (!std::holds_alternative<NonceAdded>(entry.body)) {
      return Wrong("the log is not condensed");
    }
    return absl::OkStatus();
  }

  void AddStart(const DealStart& start) {
    const dealing::Provenance& from = start.provenance;
    head_ = static_cast<unsigned>(from.procedure);
    start_.clear();
    if (ExpectedStart(state_, start) != start) {
      head_ |= kOwnStart;
      DealStart alone = start;
      alone.next_seed = {};
      PutText(from.procedure == Procedure::kSeedAlone
                  ? std::string(from.seed.begin(), from.seed.end())
                  : EncodeDealStart(alone),
              start_);
      return;
    }
    start_.append(from.seed.begin(), from.seed.end());
    std::string nonces;
    for (std::size_t seat = 0; seat < match_.config.seats.size(); ++seat) {
      if (!from.nonces[seat].empty()) head_ |= kNonces;
      PutText(from.nonces[seat], nonces);
    }
    if ((head_ & kNonces) != 0) start_ += nonces;
  }

  // Begins a deal. Call this function after `state_` has applied the start of the deal.
  void Begin() {
    open_ = true;
    record_ = EmptyRecord(state_.match.deal);
    deal_ = state_.match.deal;
    authors_.emplace(match_.config);
    odd_authors_.clear();
    odd_count_ = 0;
    end_.clear();
  }

  void AddMove(Seat seat, const rules::Action& action) {
    record_.entries.push_back({.seat = InRecord(seat, deal_), .action = action});
  }

  absl::Status End(absl::Duration after, std::string& out) {
    open_ = false;
    out += static_cast<char>(head_);
    PutSigned(absl::ToInt64Microseconds(after), out);
    out += start_;
    TAROT_ASSIGN_OR_RETURN(const std::string moves, notation::EncodeMoves(record_));
    PutText(moves, out);
    PutNumber(odd_count_, out);
    out += odd_authors_;
    out += end_;
    return absl::OkStatus();
  }

  const StoredTable& match_;
  TableState state_;
  bool open_ = false;  // True from Begin() to End().
  unsigned head_ = 0;
  std::string start_;
  notation::Record record_;
  rules::Deal deal_;
  std::optional<Authors> authors_;
  std::string odd_authors_;
  std::uint64_t odd_count_ = 0;
  std::string end_;  // The bytes of the claim and of the operator's reason.
};

// One deal, decoded from the bytes. The string views point into the bytes.
struct ReadDeal {
  unsigned head = 0;
  absl::Time finish_time;
  // If kOwnStart is set, the start is complete. If not, only the seed and the nonces are set.
  DealStart start;
  absl::string_view moves;
  std::vector<std::pair<std::size_t, Actor>> odd_authors;
  std::size_t claimed_from = 0;
  Seat claim_seat = rules::kNoSeat;
  Actor claim_actor = Actor::kPlayer;
  std::string void_reason;
};

// Decodes one match. `state_` follows the log that Run() returns.
class MatchDecoder {
 public:
  MatchDecoder(const TableConfig& config, absl::string_view bytes)
      : config_(config), bytes_(bytes) {}

  absl::StatusOr<StoredTable> Run() {
    std::vector<ReadDeal> deals;
    if (!ReadDeals(deals)) return ArchiveDamaged();
    config_.first_seed.reset();
    const ReadDeal& first = deals.front();
    if ((first.head & kOwnStart) == 0) config_.first_seed = first.start.provenance.seed;
    state_ = NewTable(std::make_shared<const TableConfig>(config_));
    for (std::size_t i = 0; i < deals.size(); ++i) {
      dealing::DealSeed next{};
      const bool chained =
          i + 1 < deals.size() && ProcedureOf(deals[i + 1]) != Procedure::kSeedAlone;
      if (chained) next = deals[i + 1].start.provenance.seed;
      if (!AddDeal(deals[i], next)) return ArchiveDamaged();
    }
    if (!state_.match.Finished()) return ArchiveDamaged();
    return StoredTable{.config = std::move(config_), .log = std::move(log_)};
  }

 private:
  static Procedure ProcedureOf(const ReadDeal& deal) {
    return static_cast<Procedure>(deal.head & kProcedureBits);
  }

  bool ReadDeals(std::vector<ReadDeal>& deals) {
    if (bytes_.size() < kIdBytes + kChecksumBytes) return false;
    const absl::string_view body = bytes_.substr(0, bytes_.size() - kChecksumBytes);
    std::uint32_t checksum = 0;
    for (std::size_t i = 0; i < kChecksumBytes; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[body.size() + i]);
      checksum |= std::uint32_t{byte} << (8 * i);
    }
    if (checksum != Checksum(body)) return false;
    const auto& id = config_.id.uuid.bytes();
    if (!std::equal(id.begin(), id.end(), reinterpret_cast<const std::uint8_t*>(body.data()))) {
      return false;
    }
    Reader reader(body.substr(kIdBytes));
    absl::Time time = config_.create_time;
    for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
      if (!ReadOne(reader, time, deals.emplace_back())) return false;
      time = deals.back().finish_time;
    }
    return reader.ok() && reader.at_end() && !deals.empty();
  }

  bool ReadOne(Reader& reader, absl::Time before, ReadDeal& deal) {
    deal.head = reader.Byte();
    deal.finish_time = before + absl::Microseconds(reader.Signed());
    dealing::Provenance& from = deal.start.provenance;
    ++number_;
    if ((deal.head & kOwnStart) != 0) {
      const auto start =
          dealing::DecodeDealStart(reader.Text(), static_cast<int>(config_.seats.size()), number_);
      if (!start) return false;
      deal.start = *start;
    } else {
      const absl::string_view seed = reader.Take(from.seed.size());
      if (!reader.ok()) return false;
      std::copy(seed.begin(), seed.end(), from.seed.begin());
      for (std::size_t seat = 0; (deal.head & kNonces) != 0 && seat < config_.seats.size();
           ++seat) {
        from.nonces[seat] = std::string(reader.Text());
      }
    }
    deal.moves = reader.Text();
    for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
      const auto at = static_cast<std::size_t>(reader.Number());
      deal.odd_authors.emplace_back(at, static_cast<Actor>(reader.Byte()));
    }
    if ((deal.head & kClaimed) != 0) {
      deal.claimed_from = static_cast<std::size_t>(reader.Number());
      deal.claim_seat = static_cast<Seat>(reader.Byte());
      deal.claim_actor = static_cast<Actor>(reader.Byte());
    }
    if ((deal.head & kVoided) != 0) deal.void_reason = std::string(reader.Text());
    return reader.ok();
  }

  // Adds an entry to the log. If the state refuses the entry, returns false.
  bool Add(const ReadDeal& deal, Actor actor, Seat seat, EntryBody body) {
    log_.push_back({.revision = state_.revision + 1,
                    .actor = actor,
                    .seat = seat,
                    .body = std::move(body),
                    .create_time = deal.finish_time});
    return Advance(state_, log_.back()).ok();
  }

  bool AddDeal(const ReadDeal& deal, const dealing::DealSeed& next_seed) {
    const dealing::Nonces& nonces = deal.start.provenance.nonces;
    for (std::size_t seat = 0; state_.next != nullptr && seat < nonces.size(); ++seat) {
      if (nonces[seat].empty()) continue;
      if (!Add(deal, Actor::kPlayer, static_cast<Seat>(seat), NonceAdded{nonces[seat]}))
        return false;
    }
    DealStart start = deal.start;
    if (ProcedureOf(deal) != Procedure::kSeedAlone) start.next_seed = next_seed;
    if ((deal.head & kOwnStart) == 0) {
      if (state_.next == nullptr) return false;
      start = StartOf(state_.match, *state_.next, next_seed, ProcedureOf(deal));
    }
    DealStarted dealt{std::make_shared<const DealStart>(std::move(start))};
    if (!Add(deal, Actor::kServer, rules::kNoSeat, std::move(dealt))) return false;
    const rules::Deal dealt_deal = state_.match.deal;
    notation::Record record = EmptyRecord(dealt_deal);
    if (!notation::DecodeMoves(deal.moves, record).ok()) return false;
    const bool claimed = (deal.head & kClaimed) != 0;
    const std::size_t own = claimed ? deal.claimed_from : record.entries.size();
    if (own > record.entries.size() || !AddMoves(deal, dealt_deal, record.entries, own))
      return false;
    if (claimed) {
      TricksClaimed tricks;
      for (std::size_t i = own; i < record.entries.size(); ++i) {
        tricks.cards.push_back(record.entries[i].action.card);
      }
      if (deal.claim_seat >= dealt_deal.players) return false;
      if (!Add(deal, deal.claim_actor, deal.claim_seat, std::move(tricks))) return false;
    }
    if ((deal.head & kVoided) == 0) return !state_.match.DealRunning();
    return Add(deal, Actor::kServer, rules::kNoSeat,
               DealVoided{.reason = deal.void_reason, .ends_match = (deal.head & kEndsMatch) != 0});
  }

  bool AddMoves(const ReadDeal& deal, const rules::Deal& dealt,
                const std::vector<notation::Entry>& entries, std::size_t count) {
    Authors authors(config_);
    auto odd = deal.odd_authors.begin();
    for (std::size_t i = 0; i < count; ++i) {
      const Seat seat = AtTable(entries[i].seat, dealt);
      Actor actor = authors.Expected(state_, seat);
      if (odd != deal.odd_authors.end() && odd->first == i) actor = (odd++)->second;
      authors.Note(seat, actor);
      if (!Add(deal, actor, seat, entries[i].action)) return false;
    }
    return odd == deal.odd_authors.end();
  }

  TableConfig config_;
  absl::string_view bytes_;
  int number_ = 0;  // The number of the last deal that was read.
  TableState state_;
  std::vector<LogEntry> log_;
};

bool SameEntry(const DealRecord::Entry& a, const DealRecord::Entry& b) {
  return a.seat == b.seat && a.action == b.action && a.stand_in == b.stand_in;
}

// Returns true if RecordService would give the same answer for both deals.
bool SameRecord(const DealRecord& a, const DealRecord& b) {
  return a.key == b.key && a.config.SameRequest(b.config) && a.match_over == b.match_over &&
         a.origin.dealer == b.origin.dealer && a.origin.taker == b.origin.taker &&
         a.origin.provenance == b.origin.provenance &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    SameEntry) &&
         a.void_reason == b.void_reason && a.claim == b.claim && a.deal.dealt == b.deal.dealt &&
         a.deal.result.outcome == b.deal.result.outcome &&
         a.deal.result.scores == b.deal.result.scores;
}

}  // namespace

absl::StatusOr<StoredTable> CondenseMatch(const StoredTable& stored) {
  if (!stored.end) return Wrong("the match is not over");
  StoredTable condensed{.config = stored.config, .end = stored.end};
  TableState state = NewTable(std::make_shared<const TableConfig>(stored.config));
  std::vector<LogEntry>& log = condensed.log;
  std::size_t deal_begin = 0;  // The current deal's first nonce, or its start if it has none.
  for (const LogEntry& entry : stored.log) {
    const bool running = state.match.DealRunning();
    TAROT_RETURN_IF_ERROR(Advance(state, entry));
    LogEntry kept{.actor = entry.actor, .seat = entry.seat, .body = entry.body};
    if (const auto* dealt = std::get_if<DealStarted>(&entry.body)) {
      const dealing::Provenance& from = dealt->start->provenance;
      deal_begin = log.size();
      for (std::size_t seat = 0; seat < from.nonces.size(); ++seat) {
        if (from.nonces[seat].empty()) continue;
        log.push_back({.seat = static_cast<Seat>(seat), .body = NonceAdded{from.nonces[seat]}});
      }
      kept.actor = Actor::kServer;
      kept.seat = rules::kNoSeat;
      log.push_back(std::move(kept));
    } else if (std::holds_alternative<DealVoided>(entry.body)) {
      kept.actor = Actor::kServer;
      kept.seat = rules::kNoSeat;
      log.push_back(std::move(kept));
    } else if (std::holds_alternative<rules::Action>(entry.body) ||
               std::holds_alternative<TricksClaimed>(entry.body)) {
      log.push_back(std::move(kept));
    } else if (TakesBack(entry.body) && std::holds_alternative<rules::Action>(log.back().body)) {
      const auto& action = std::get<rules::Action>(log.back().body);
      // The seat has taken its last card back, so leave the card out.
      if (action.kind == rules::Action::Kind::kPlay) log.pop_back();
    }
    const bool begins = std::holds_alternative<DealStarted>(entry.body);
    if ((running || begins) && !state.match.DealRunning()) {
      for (std::size_t i = deal_begin; i < log.size(); ++i) log[i].create_time = entry.create_time;
    }
  }
  if (!state.match.Finished()) return Wrong("the log of the match goes on");
  for (std::size_t i = 0; i < log.size(); ++i) log[i].revision = static_cast<int>(i) + 1;
  // The last deal also fixed a seed for one more deal. Remove it, because that deal was never
  // played.
  const auto last = std::find_if(log.rbegin(), log.rend(), [](const LogEntry& entry) {
    return std::holds_alternative<DealStarted>(entry.body);
  });
  DealStart start = *std::get<DealStarted>(last->body).start;
  start.next_seed = {};
  last->body = DealStarted{std::make_shared<const DealStart>(std::move(start))};
  return condensed;
}

absl::StatusOr<std::string> EncodeMatch(const StoredTable& condensed) {
  return MatchEncoder(condensed).Run();
}

absl::StatusOr<StoredTable> DecodeMatch(const TableConfig& config, const MatchEnd& end,
                                        absl::string_view bytes) {
  TAROT_ASSIGN_OR_RETURN(StoredTable match, MatchDecoder(config, bytes).Run());
  match.end = end;
  return match;
}

absl::StatusOr<std::vector<StoredDeal>> DealsOf(const StoredTable& match) {
  TableState state = NewTable(std::make_shared<const TableConfig>(match.config));
  std::vector<StoredDeal> deals;
  bool open = false;
  for (const LogEntry& entry : match.log) {
    TAROT_RETURN_IF_ERROR(Advance(state, entry));
    if (std::holds_alternative<DealStarted>(entry.body)) {
      open = true;
      deals.push_back({.key = {.table = match.config.id, .number = state.match.deals_dealt},
                       .config = match.config,
                       .match_over = true});
    }
    if (!open) continue;
    deals.back().log.push_back(entry);
    if (state.match.DealRunning()) continue;
    open = false;
    deals.back().key.finish_time = entry.create_time;
  }
  if (!state.match.Finished()) return Wrong("the match is not over");
  return deals;
}

absl::Status ProveArchived(const StoredTable& stored, const StoredTable& archived) {
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> before, DealsOf(stored));
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> after, DealsOf(archived));
  if (before.size() != after.size()) return Wrong("another number of deals");
  std::vector<int> totals(stored.config.seats.size());
  int scored = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    TAROT_ASSIGN_OR_RETURN(const DealRecord a, RecordOf(std::move(before[i])));
    TAROT_ASSIGN_OR_RETURN(const DealRecord b, RecordOf(std::move(after[i])));
    if (!SameRecord(a, b)) return Wrong(absl::StrCat("deal ", i + 1, " differs"));
    if (b.deal.result.outcome != rules::Outcome::kScored) continue;
    ++scored;
    for (std::size_t seat = 0; seat < totals.size(); ++seat) {
      totals[seat] += b.deal.result.scores[seat];
    }
  }
  if (!archived.end || archived.end->totals != totals || archived.end->deals_scored != scored) {
    return Wrong("the deals do not sum to the stored end");
  }
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
