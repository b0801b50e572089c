#include "libs/wire/finished_deal.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/score_check.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"

namespace tarot::wire {
namespace {

using notation::Document;
using notation::Record;
using notation::Slot;
using v1::DealRecord;
using v1::DealResult;

// Returns the seat of a record for a seat of the table. In a record, the seat after the dealer has
// number 0.
class Turn {
 public:
  explicit Turn(const DealRecord& record)
      : players_(record.hands_size()), first_(static_cast<int>(record.dealer()) + 1) {}

  absl::StatusOr<rules::Seat> Seat(std::uint32_t seat, absl::string_view field) const {
    if (seat >= static_cast<std::uint32_t>(players_)) return BadRequest(field, "no such seat");
    return Of(static_cast<int>(seat));
  }
  rules::Seat Of(int seat) const { return (seat - first_ % players_ + players_) % players_; }

 private:
  const int players_;
  const int first_;
};

template <std::size_t kSize>
absl::Status Bytes(const std::string& bytes, absl::string_view field,
                   std::optional<std::array<std::uint8_t, kSize>>& out) {
  if (bytes.empty()) return absl::OkStatus();
  if (bytes.size() != kSize) return BadRequest(field, absl::StrCat("must be ", kSize, " bytes"));
  std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
  return absl::OkStatus();
}

// Reads the taker that the board names, and the provenance of the cards without the seed.
absl::Status ReadDealing(const DealRecord& in, const Turn& turn, Record& out) {
  if (in.has_board_taker()) {
    TAROT_ASSIGN_OR_RETURN(out.board_taker, turn.Seat(in.board_taker(), "board_taker"));
  }
  if (in.procedure() < 2) return absl::OkStatus();
  if (in.procedure() > 3) return BadRequest("procedure", "there is no such procedure");
  out.procedure = static_cast<dealing::Procedure>(in.procedure());
  out.first_chair = turn.Of(0);
  out.first_deal = absl::EndsWith(in.name(), "/deals/1");
  if (in.nonces_size() > out.players)
    return BadRequest("nonces", "must be at most one for each seat");
  for (int seat = 0; seat < in.nonces_size(); ++seat) {
    out.nonces[Slot(turn.Of(seat))] = in.nonces(seat);
  }
  TAROT_ASSIGN_OR_RETURN(out.piles, DecodePiles(in, "gathered_piles"));
  if (in.gathered().empty()) return absl::OkStatus();
  rules::PackOrder& pack = out.gathered.emplace();
  if (in.gathered_size() != rules::kCardCount)
    return BadRequest("gathered", "must be the whole pack");
  for (int i = 0; i < in.gathered_size(); ++i) {
    TAROT_ASSIGN_OR_RETURN(pack[Slot(i)], DecodeCard(in.gathered(i), "gathered"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<rules::PileSizes> DecodePiles(const DealRecord& record, absl::string_view field) {
  rules::PileSizes piles;
  for (const DealRecord::GatheredPile& pile : record.gathered_piles()) {
    std::vector<std::uint8_t>& packets = piles.emplace_back();
    for (const std::uint32_t size : pile.packet_sizes()) {
      if (size > rules::kCardCount) return BadRequest(field, "a packet is larger than the pack");
      packets.push_back(static_cast<std::uint8_t>(size));
    }
  }
  if (!piles.empty() && !rules::HoldsWholePack(piles))
    return BadRequest(field, "must hold the whole pack");
  if (piles.empty() == (record.procedure() == 3 && record.gathered_size() > 0)) {
    return BadRequest(field,
                      "must be set with procedure 3 and a gathered pack, and unset otherwise");
  }
  return piles;
}

void EncodePiles(const rules::PileSizes& piles, DealRecord* out) {
  for (const std::vector<std::uint8_t>& packets : piles) {
    DealRecord::GatheredPile* const pile = out->add_gathered_piles();
    for (const std::uint8_t size : packets) pile->add_packet_sizes(size);
  }
}

namespace {

absl::Status ReadSeats(const DealRecord& in, const Turn& turn, Record& out) {
  for (int seat = 0; seat < out.players; ++seat) {
    const std::size_t slot = Slot(turn.Of(seat));
    out.names[slot] = in.players(seat).display_name();
    TAROT_ASSIGN_OR_RETURN(out.hands[slot], DecodeCards(in.hands(seat).cards(), "hands"));
    const std::string& level = in.players(seat).bot_level();
    if (!level.empty()) {
      const std::string letter = notation::SeatName(turn.Of(seat));
      out.tags[absl::StrCat("Bot", letter)] = level;
    }
  }
  TAROT_ASSIGN_OR_RETURN(out.dog, DecodeCards(in.dog(), "dog"));
  for (const DealRecord::Entry& entry : in.entries()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Seat seat, turn.Seat(entry.seat(), "entries.seat"));
    TAROT_ASSIGN_OR_RETURN(const rules::Action action,
                           DecodeAction(entry.action(), "entries.action"));
    out.entries.push_back({seat, action});
  }
  TAROT_RETURN_IF_ERROR(ReadDealing(in, turn, out));
  TAROT_RETURN_IF_ERROR(Bytes(in.seed(), "seed", out.seed));
  return Bytes(in.seed_commitment(), "seed_commitment", out.commitment);
}

absl::Status ReadPetitSec(const DealResult& in, const Turn& turn, notation::Claims& out) {
  // Records of an older version do not have the seat and the hand of a petit sec.
  if (!in.has_petit_sec_seat()) return absl::OkStatus();
  TAROT_ASSIGN_OR_RETURN(out.petit_sec_seat,
                         turn.Seat(in.petit_sec_seat(), "result.petit_sec_seat"));
  TAROT_ASSIGN_OR_RETURN(out.petit_sec_hand,
                         DecodeCards(in.petit_sec_hand(), "result.petit_sec_hand"));
  return absl::OkStatus();
}

absl::Status ReadResult(const DealResult& in, const Turn& turn, int players,
                        notation::Claims& out) {
  switch (in.outcome()) {
    case DealResult::SCORED:
      break;
    case DealResult::ALL_PASSED:
      out.outcome = rules::Outcome::kAllPassed;
      return absl::OkStatus();
    case DealResult::PETIT_SEC:
      out.outcome = rules::Outcome::kPetitSec;
      return ReadPetitSec(in, turn, out);
    default:
      out.outcome = rules::Outcome::kNone;
      return absl::OkStatus();
  }
  if (in.scores_size() != players) return BadRequest("result.scores", "must be one for each seat");
  out.scores.emplace();
  for (int seat = 0; seat < players; ++seat) {
    (*out.scores)[Slot(turn.Of(seat))] = in.scores(seat);
  }
  if (!in.has_taker()) return absl::OkStatus();  // Each seat plays alone.
  TAROT_ASSIGN_OR_RETURN(out.taker, turn.Seat(in.taker(), "result.taker"));
  if (players == 5) out.partner = rules::kNoSeat;
  if (in.has_partner()) {
    TAROT_ASSIGN_OR_RETURN(out.partner, turn.Seat(in.partner(), "result.partner"));
  }
  TAROT_ASSIGN_OR_RETURN(out.contract, DecodeContract(in.contract(), "result.contract"));
  out.attack_half_points = static_cast<int>(in.attack_half_points());
  out.needed_half_points = static_cast<int>(in.needed_half_points());
  out.bouts = static_cast<int>(in.bouts());
  out.account = {.won = in.won(),
                 .difference = static_cast<int>(in.difference()),
                 .petit_au_bout = in.petit_au_bout(),
                 .slam_points = in.slam_points(),
                 .handful_points = in.handful_points(),
                 .unit = in.unit()};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Document> DecodeRecord(const DealRecord& in, absl::string_view field) {
  const int players = in.hands_size();
  if (players < rules::kPlayersMin || players > rules::kPlayersMax ||
      in.players_size() != players || in.dealer() >= static_cast<std::uint32_t>(players)) {
    return BadRequest(field, "its hands, players and dealer do not fit together");
  }
  const Turn turn(in);
  Document document;
  Record& record = document.record;
  record.event = "Tarot";
  record.site = in.name();
  record.date = absl::FormatTime("%Y.%m.%d", absl::FromUnixSeconds(in.finish_time().seconds()),
                                 absl::UTCTimeZone());
  const std::size_t slash = record.site.rfind('/');
  if (slash != std::string::npos) record.round = record.site.substr(slash + 1);
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, RuleSetOf(in, absl::StrCat(field, ".rules")));
  record.rule_set = rules::RuleSetText(rules);
  record.players = players;
  TAROT_RETURN_IF_ERROR(ReadSeats(in, turn, record));
  TAROT_RETURN_IF_ERROR(ReadResult(in.result(), turn, players, document.claims));
  return document;
}

namespace {

absl::Status AddHandfuls(const google::protobuf::RepeatedField<std::uint32_t>& levels,
                         const char* field, std::array<int, 4>* out) {
  for (const std::uint32_t level : levels) {
    if (level < 1 || level > 3) return BadRequest(field, "1, 2 or 3");
    ++(*out)[level];
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<rules::ScoreInput> DecodeScore(const v1::ScoreDealRequest& request,
                                              const rules::RuleSet& rules) {
  if (rules.scoring == rules::Scoring::kPointPerCourtOrBout) {
    return BadRequest("rules",
                      "every seat plays alone, for the court cards it wins: use ScorePlay");
  }
  rules::ScoreInput in{.players = rules.Playing(static_cast<int>(request.player_count())),
                       .bouts = static_cast<int>(request.bouts()),
                       .attack_half_points = static_cast<int>(request.attack_half_points()),
                       .petit_au_bout = request.petit_au_bout(),
                       .slam = static_cast<rules::SlamOutcome>(request.slam()),
                       .has_partner = request.has_partner()};
  TAROT_ASSIGN_OR_RETURN(in.contract, DecodeContract(request.contract(), "contract"));
  if (in.contract == rules::Contract::kPass)
    return BadRequest("contract", "no player took the contract");
  if (request.bouts() > 3) return BadRequest("bouts", "0 to 3");
  if (request.attack_half_points() > rules::kTotalHalfPoints) {
    return BadRequest("attack_half_points", "0 to 182");
  }
  const bool honours = rules.scoring == rules::Scoring::kTakerCountsHonours;
  if (honours &&
      (request.honours() < request.bouts() || request.honours() > request.bouts() + 16)) {
    return BadRequest("honours", "must be from the number of bouts to 16 more");
  }
  if (honours) in.honours = static_cast<int>(request.honours());
  if (in.petit_au_bout < -1 || in.petit_au_bout > 1) {
    return BadRequest("petit_au_bout", "-1, 0 or 1");
  }
  if (!v1::ScoreDealRequest::SlamOutcome_IsValid(request.slam())) {
    return BadRequest("slam", "unknown");
  }
  if (in.has_partner && in.players != 5) return BadRequest("has_partner", "needs five players");
  TAROT_RETURN_IF_ERROR(
      AddHandfuls(request.attack_handfuls(), "attack_handfuls", &in.attack_handfuls));
  TAROT_RETURN_IF_ERROR(
      AddHandfuls(request.defence_handfuls(), "defence_handfuls", &in.defence_handfuls));
  TAROT_RETURN_IF_ERROR(
      rules::CheckScoreInput(rules, static_cast<int>(request.player_count()), in));
  return in;
}

absl::StatusOr<rules::PlayedDeal> DecodePlay(const v1::ScorePlayRequest& request,
                                             const rules::RuleSet& rules) {
  const auto seat = [](std::uint32_t number) {
    return number < rules::kPlayersMax ? static_cast<rules::Seat>(number) : rules::kPlayersMax;
  };
  rules::PlayedDeal played{
      .rules = rules,
      .players = static_cast<int>(request.player_count()),
      .taker = rules.teams == rules::Teams::kEveryoneAlone ? rules::kNoSeat : seat(request.taker()),
      .slam_announced = request.slam_announced()};
  if (request.has_partner()) played.partner = seat(request.partner());
  if (request.has_called_card()) {
    TAROT_ASSIGN_OR_RETURN(played.called_card, DecodeCard(request.called_card(), "called_card"));
  }
  TAROT_ASSIGN_OR_RETURN(played.contract, DecodeContract(request.contract(), "contract"));
  TAROT_ASSIGN_OR_RETURN(played.counted_apart,
                         DecodeCards(request.counted_apart(), "counted_apart"));
  if (request.hands_size() != played.players)
    return BadRequest("hands", "must be one for each seat");
  for (int i = 0; i < request.hands_size(); ++i) {
    TAROT_ASSIGN_OR_RETURN(played.hands[static_cast<std::size_t>(i)],
                           DecodeCards(request.hands(i).cards(), "hands.cards"));
  }
  for (const v1::Trick& trick : request.tricks()) {
    rules::PlayedDeal::PlayedTrick& out = played.tricks.emplace_back();
    out.leader = seat(trick.leader());
    for (const std::uint32_t number : trick.cards()) {
      TAROT_ASSIGN_OR_RETURN(const rules::Card card, DecodeCard(number, "tricks.cards"));
      out.cards.push_back(card);
    }
  }
  for (const auto& shown : request.handfuls()) {
    played.handfuls.push_back({.seat = seat(shown.seat()),
                               .level = shown.level() <= 3 ? static_cast<int>(shown.level()) : 0});
  }
  return played;
}

}  // namespace tarot::wire
