#include "tools/tarotctl/view/record_notation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/card_names.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "libs/rules/parameters.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

using notation::Check;
using notation::Document;
using notation::Record;
using notation::Slot;
using notation::Truth;
using rules::v1::DealRecord;
using rules::v1::DealResult;

// From seats of the table to seats in the order of play.
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
  if (bytes.size() != kSize) return BadRequest(field, absl::StrCat("is not ", kSize, " bytes"));
  std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
  return absl::OkStatus();
}

// Where the cards come from, and the taker of the board.
absl::Status ReadDealing(const DealRecord& in, const Turn& turn, Record& out) {
  if (in.has_board_taker()) {
    TAROT_ASSIGN_OR_RETURN(out.board_taker, turn.Seat(in.board_taker(), "board_taker"));
  }
  if (in.procedure() < 2) return absl::OkStatus();
  if (in.procedure() > 2) return BadRequest("procedure", "is not known");
  out.procedure = dealing::Procedure::kSeedAndNonces;
  out.first_chair = turn.Of(0);
  out.first_deal = absl::EndsWith(in.name(), "/deals/1");
  if (in.nonces_size() > out.players) return BadRequest("nonces", "one a seat");
  for (int seat = 0; seat < in.nonces_size(); ++seat) {
    out.nonces[Slot(turn.Of(seat))] = in.nonces(seat);
  }
  if (in.gathered().empty()) return absl::OkStatus();
  rules::PackOrder& pack = out.gathered.emplace();
  if (in.gathered_size() != rules::kCardCount) return BadRequest("gathered", "the whole pack");
  for (int i = 0; i < in.gathered_size(); ++i) {
    TAROT_ASSIGN_OR_RETURN(pack[Slot(i)], wire::DecodeCard(in.gathered(i), "gathered"));
  }
  return absl::OkStatus();
}

absl::Status ReadSeats(const DealRecord& in, const Turn& turn, Record& out) {
  for (int seat = 0; seat < out.players; ++seat) {
    const std::size_t slot = Slot(turn.Of(seat));
    out.names[slot] = Safe(in.players(seat).display_name());
    TAROT_ASSIGN_OR_RETURN(out.hands[slot], wire::DecodeCards(in.hands(seat).cards(), "hands"));
    const std::string& level = in.players(seat).bot_level();
    if (!level.empty()) {
      const std::string letter = notation::SeatName(turn.Of(seat));
      out.tags[absl::StrCat("Bot", letter)] = Safe(level);
    }
  }
  TAROT_ASSIGN_OR_RETURN(out.dog, wire::DecodeCards(in.dog(), "dog"));
  for (const DealRecord::Entry& entry : in.entries()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Seat seat, turn.Seat(entry.seat(), "entries.seat"));
    TAROT_ASSIGN_OR_RETURN(const rules::Action action,
                           wire::DecodeAction(entry.action(), "entries.action"));
    out.entries.push_back({seat, action});
  }
  TAROT_RETURN_IF_ERROR(ReadDealing(in, turn, out));
  TAROT_RETURN_IF_ERROR(Bytes(in.seed(), "seed", out.seed));
  return Bytes(in.seed_commitment(), "seed_commitment", out.commitment);
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
      return absl::OkStatus();
    default:
      out.outcome = rules::Outcome::kNone;
      return absl::OkStatus();
  }
  TAROT_ASSIGN_OR_RETURN(out.taker, turn.Seat(in.taker(), "result.taker"));
  if (players == 5) out.partner = rules::kNoSeat;
  if (in.has_partner()) {
    TAROT_ASSIGN_OR_RETURN(out.partner, turn.Seat(in.partner(), "result.partner"));
  }
  TAROT_ASSIGN_OR_RETURN(out.contract, wire::DecodeContract(in.contract(), "result.contract"));
  out.attack_half_points = static_cast<int>(in.attack_half_points());
  out.needed_half_points = static_cast<int>(in.needed_half_points());
  out.bouts = static_cast<int>(in.bouts());
  out.account = {.won = in.won(),
                 .difference = static_cast<int>(in.difference()),
                 .petit_au_bout = in.petit_au_bout(),
                 .slam_points = in.slam_points(),
                 .handful_points = in.handful_points(),
                 .unit = in.unit()};
  if (in.scores_size() != players) return BadRequest("result.scores", "not a score a seat");
  out.scores.emplace();
  for (int seat = 0; seat < players; ++seat) {
    (*out.scores)[Slot(turn.Of(seat))] = in.scores(seat);
  }
  return absl::OkStatus();
}

std::string Mark(Truth truth, const Style& style) {
  switch (truth) {
    case Truth::kTrue:
      return "ok";
    case Truth::kFalse:
      return style.Paint(Tone::kBold, "FALSE");
    case Truth::kUnknown:
      return "-";
  }
  return "";
}

}  // namespace

absl::StatusOr<Document> ToDocument(const DealRecord& in) {
  const int players = in.hands_size();
  if (players < rules::kPlayersMin || players > rules::kPlayersMax ||
      in.players_size() != players || in.dealer() >= static_cast<std::uint32_t>(players)) {
    return BadRequest("record", "its hands, players and dealer do not fit together");
  }
  const Turn turn(in);
  Document document;
  Record& record = document.record;
  record.event = "Tarot";
  record.site = Safe(in.name());
  record.date = absl::FormatTime("%Y.%m.%d", absl::FromUnixSeconds(in.finish_time().seconds()),
                                 absl::UTCTimeZone());
  const std::size_t slash = record.site.rfind('/');
  if (slash != std::string::npos) record.round = record.site.substr(slash + 1);
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetOf(in, "rules"));
  record.rule_set = rules::RuleSetText(rules);
  record.players = players;
  TAROT_RETURN_IF_ERROR(ReadSeats(in, turn, record));
  TAROT_RETURN_IF_ERROR(ReadResult(in.result(), turn, players, document.claims));
  return document;
}

absl::StatusOr<std::vector<Document>> ParseRecords(absl::string_view text) {
  if (notation::IsArchive(text)) {
    TAROT_ASSIGN_OR_RETURN(const auto parts, notation::SplitArchive(text));
    std::vector<Document> documents;
    for (const absl::string_view part : parts) {
      TAROT_ASSIGN_OR_RETURN(documents.emplace_back(), notation::DecodeRecord(part));
    }
    return documents;
  }
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{")) {
    return notation::ParseTdn(text);
  }
  rules::v1::GetRecordResponse response;
  const google::protobuf::StringPiece json(text.data(), text.size());
  if (!google::protobuf::util::JsonStringToMessage(json, &response).ok() ||
      !response.has_record()) {
    response.Clear();
    const auto status =
        google::protobuf::util::JsonStringToMessage(json, response.mutable_record());
    if (!status.ok()) return BadRequest("record", std::string(status.message()));
  }
  TAROT_ASSIGN_OR_RETURN(Document document, ToDocument(response.record()));
  return std::vector<Document>{std::move(document)};
}

std::string RenderProof(const Record& record, const std::vector<Check>& checks,
                        const Style& style) {
  std::string out =
      absl::StrCat(style.Paint(Tone::kBold, Safe(record.site)), "  ", Safe(record.rule_set), "\n");
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    absl::StrAppend(&out, "  ", notation::SeatName(seat), " ", Safe(record.names[Slot(seat)]),
                    seat == record.Dealer() ? " (dealer)" : "", "\n");
  }
  std::vector<std::vector<std::string>> rows;
  int failed = 0, unknown = 0;
  for (const Check& check : checks) {
    failed += check.truth == Truth::kFalse ? 1 : 0;
    unknown += check.truth == Truth::kUnknown ? 1 : 0;
    const std::string where = check.truth == Truth::kFalse && check.line > 0
                                  ? absl::StrCat("line ", check.line, ": ")
                                  : "";
    rows.push_back({Mark(check.truth, style), check.what, Safe(where + check.text)});
  }
  absl::StrAppend(&out, "\n", Columns(rows, {}), "\n");
  const int passed = static_cast<int>(checks.size()) - failed - unknown;
  return absl::StrCat(out, failed == 0 ? "True: " : "Untrue: ", passed, " of ", checks.size(),
                      " checks passed, ", failed, " failed, ", unknown, " not stated\n");
}

}  // namespace tarot::tarotctl
