#include "services/rules/transport/record_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/rules/score_text.h"
#include "libs/rules/view.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/values.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/list_call.h"
#include "services/rules/transport/table_views.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

using rpc::Access;
using rpc::Caller;

absl::StatusOr<DealQuery> Decode(const v1::ListRecordsRequest& request) {
  DealQuery query;
  if (!request.player().empty()) {
    TAROT_ASSIGN_OR_RETURN(query.player, ParsePlayerName(request.player(), "player"));
  }
  if (!request.table().empty()) {
    TAROT_ASSIGN_OR_RETURN(query.table, ParseTableName(request.table(), "table"));
  }
  if (request.has_start_time()) {
    TAROT_ASSIGN_OR_RETURN(query.start_time, wire::DecodeTime(request.start_time(), "start_time"));
  }
  if (request.has_end_time()) {
    TAROT_ASSIGN_OR_RETURN(query.end_time, wire::DecodeTime(request.end_time(), "end_time"));
  }
  TAROT_ASSIGN_OR_RETURN(query.limit, PageSize(request.page_size()));
  TAROT_ASSIGN_OR_RETURN(query.after, ParseDealPageToken(request.page_token()));
  return query;
}

// Encodes the taker that the board names, and the values that determine the cards of the deal.
void EncodeOrigin(const DealRecord& record, v1::DealRecord* out) {
  const dealing::Provenance& from = record.origin.provenance;
  out->set_seed(AsString(from.seed));
  out->set_procedure(static_cast<std::uint32_t>(from.procedure));
  const bool added = std::any_of(from.nonces.begin(), from.nonces.end(),
                                 [](const std::string& nonce) { return !nonce.empty(); });
  for (std::size_t seat = 0; added && seat < record.config.seats.size(); ++seat) {
    out->add_nonces(from.nonces[seat]);
  }
  if (from.gathered) {
    for (const rules::Card card : *from.gathered) {
      out->add_gathered(static_cast<std::uint32_t>(rules::Index(card)));
    }
  }
  wire::EncodePiles(from.piles, out);
  if (record.origin.taker != rules::kNoSeat) {
    out->set_board_taker(static_cast<std::uint32_t>(record.origin.taker));
  }
}

// Encodes the record without its entries, without the cards, and without the values that determine
// the cards.
void EncodeSummary(const DealRecord& record, v1::DealRecord* out) {
  out->set_name(DealName(record.key.table, record.key.number));
  wire::EncodeRuleSetOf(record.config.rule_set, record.config.rules, out);
  out->set_dealer(static_cast<std::uint32_t>(record.deal.dealer));
  out->set_seed_commitment(AsString(dealing::Commit(record.origin.provenance.seed)));
  std::vector<std::uint32_t> stand_ins(record.config.seats.size());
  for (const DealRecord::Entry& entry : record.entries) {
    if (entry.stand_in) ++stand_ins.at(static_cast<std::size_t>(entry.seat));
  }
  for (const SeatConfig& seat : record.config.seats) {
    v1::DealRecord::Player* player = out->add_players();
    player->set_player(PlayerName(seat.player));
    player->set_display_name(seat.display_name);
    player->set_bot_level(seat.bot_level);
    player->set_stand_in_actions(stand_ins.at(static_cast<std::size_t>(out->players_size() - 1)));
  }
  wire::EncodeResult(rules::MakeView(record.deal, rules::kNoSeat), out->mutable_result());
  out->mutable_result()->set_void_reason(record.void_reason);
  EncodeClaim(record.claim, out->mutable_result());
  wire::EncodeTime(record.key.finish_time, out->mutable_finish_time());
}

}  // namespace

void EncodeRecord(const DealRecord& record, v1::DealRecord* out) {
  EncodeSummary(record, out);
  EncodeOrigin(record, out);
  for (rules::Seat seat = 0; seat < record.deal.players; ++seat) {
    wire::EncodeCards(record.deal.dealt[static_cast<std::size_t>(seat)],
                      out->add_hands()->mutable_cards());
  }
  wire::EncodeCards(record.deal.dog, out->mutable_dog());
  for (const DealRecord::Entry& entry : record.entries) {
    v1::DealRecord::Entry* wire_entry = out->add_entries();
    wire_entry->set_seat(static_cast<std::uint32_t>(entry.seat));
    wire::EncodeAction(entry.action, wire_entry->mutable_action());
    wire_entry->set_stand_in(entry.stand_in);
  }
}

namespace {

v1::ScoreSheet::Alone EncodeAlone(rules::Alone alone) {
  switch (alone) {
    case rules::Alone::kNone:
      return v1::ScoreSheet::ALONE_NONE;
    case rules::Alone::kCalledOwnCard:
      return v1::ScoreSheet::CALLED_OWN_CARD;
    case rules::Alone::kCalledCardInDog:
      return v1::ScoreSheet::CALLED_CARD_IN_DOG;
    case rules::Alone::kCalledNoCard:
      return v1::ScoreSheet::CALLED_NO_CARD;
  }
  return v1::ScoreSheet::ALONE_NONE;
}

void EncodeLine(const ScoreLine& line, v1::ScoreSheet::Deal* out) {
  const rules::Deal& deal = line.deal;
  out->set_number(static_cast<std::uint32_t>(line.number));
  out->set_dealer(static_cast<std::uint32_t>(deal.dealer));
  wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), out->mutable_result());
  out->mutable_result()->set_void_reason(line.void_reason);
  EncodeClaim(line.claim, out->mutable_result());
  if (deal.called_card != rules::kNoCard) {
    out->set_called_card(static_cast<std::uint32_t>(rules::Index(deal.called_card)));
  }
  out->set_alone(EncodeAlone(WhyAlone(deal)));
  for (int i = 0; i < deal.handful_count; ++i) {
    const rules::ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    v1::Handful* const handful = out->add_handfuls();
    handful->set_seat(static_cast<std::uint32_t>(shown.seat));
    handful->set_level(static_cast<std::uint32_t>(shown.level));
    // The cards of a deal without a score stay hidden until the match is over.
    if (deal.result.outcome == rules::Outcome::kScored) {
      wire::EncodeCards(shown.cards, handful->mutable_cards());
    }
  }
  out->set_slam_announced(deal.slam_announced);
  out->set_arithmetic(UnitArithmetic(deal));
  for (int seat = 0; seat < deal.players; ++seat) {
    out->add_totals(line.totals[static_cast<std::size_t>(seat)]);
  }
  wire::EncodeTime(line.finish_time, out->mutable_finish_time());
  if (deal.sits_out != rules::kNoSeat) {
    out->set_sits_out(static_cast<std::uint32_t>(deal.sits_out));
  }
}

void EncodeSheet(const ScoreSheet& sheet, v1::ScoreSheet* out) {
  const TableConfig& config = sheet.config;
  out->set_table(TableName(config.id));
  wire::EncodeRuleSetOf(config.rule_set, config.rules, out);
  for (const SeatConfig& seat : config.seats) {
    v1::ScoreSheet::Player* const player = out->add_players();
    player->set_player(PlayerName(seat.player));
    player->set_display_name(seat.display_name);
    player->set_bot_level(seat.bot_level);
  }
  out->set_deal_count(static_cast<std::uint32_t>(config.deal_count));
  out->set_finished(sheet.match_over);
  if (sheet.draw) {
    out->set_first_dealer(static_cast<std::uint32_t>(sheet.draw->dealer));
    for (const dealing::DrawnCard& card : sheet.draw->cards) {
      v1::ScoreSheet::DrawnCard* const drawn = out->add_first_dealer_draw();
      drawn->set_seat(static_cast<std::uint32_t>(card.seat));
      drawn->set_card(static_cast<std::uint32_t>(rules::Index(card.card)));
      drawn->set_round(static_cast<std::uint32_t>(card.round));
      drawn->set_put_aside(card.put_aside);
    }
  }
  for (const ScoreLine& line : sheet.lines) EncodeLine(line, out->add_deals());
}

// The order of ListRecords.
using DealOrder = std::tuple<absl::Time, TableId, int>;

absl::StatusOr<ListPart<DealOrder, v1::DealRecord>> DealPart(v1::ListRecordsResponse response) {
  ListPart<DealOrder, v1::DealRecord> part;
  for (v1::DealRecord& record : *response.mutable_records()) {
    TAROT_ASSIGN_OR_RETURN(const absl::Time time,
                           wire::DecodeTime(record.finish_time(), "finish_time"));
    TAROT_ASSIGN_OR_RETURN(const DealId id, ParseDealName(record.name(), "name"));
    part.rows.emplace_back(DealOrder(time, id.table, id.number), std::move(record));
  }
  TAROT_ASSIGN_OR_RETURN(const std::optional<DealKey> last,
                         ParseDealPageToken(response.next_page_token()));
  if (last) part.last.emplace(last->finish_time, last->table, last->number);
  return part;
}

void EncodePage(ListPart<DealOrder, v1::DealRecord> page, v1::ListRecordsResponse* response) {
  for (auto& [order, record] : page.rows) *response->add_records() = std::move(record);
  if (!page.last) return;
  const auto& [time, table, number] = *page.last;
  response->set_next_page_token(
      PageToken(DealKey{.table = table, .number = number, .finish_time = time}));
}

class RecordServiceImpl final : public v1::RecordService::CallbackService {
 public:
  RecordServiceImpl(RecordService& records, HostRouter& router, ListGatherer& gatherer,
                    rpc::Dispatcher& dispatcher)
      : records_(records), router_(router), gatherer_(gatherer), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* GetRecord(grpc::CallbackServerContext* context,
                                      const v1::GetRecordRequest* request,
                                      v1::GetRecordResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.rules.v1.RecordService/GetRecord", Access::kPlayer,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const DealId id, ParseDealName(request->name(), "name"));
          TAROT_ASSIGN_OR_RETURN(const DealRecord record, records_.Get(id.table, id.number));
          EncodeRecord(record, response->mutable_record());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListRecords(grpc::CallbackServerContext* context,
                                        const v1::ListRecordsRequest* request,
                                        v1::ListRecordsResponse* response) override {
    static constexpr char kMethod[] = "tarot.rules.v1.RecordService/ListRecords";
    if (!gatherer_.Gathers(*context)) {
      return dispatcher_.Unary(context, kMethod, Access::kPlayer,
                               [=, this](const Caller&) -> absl::Status {
                                 TAROT_ASSIGN_OR_RETURN(const DealQuery query, Decode(*request));
                                 return ListHere(query, response);
                               });
    }
    return gatherer_.dispatcher().UnaryLater(
        context, kMethod, Access::kPlayer,
        [=, this](const Caller& caller, rpc::Dispatcher::Finish finish) {
          const absl::StatusOr<DealQuery> query = Decode(*request);
          if (!query.ok()) return finish(query.status());
          GatherList(gatherer_, ListCallOf(*context, router_, caller, kMethod, query->table),
                     *request, response, query->limit, DealPart, EncodePage, std::move(finish));
        });
  }

  grpc::ServerUnaryReactor* GetScoreSheet(grpc::CallbackServerContext* context,
                                          const v1::GetScoreSheetRequest* request,
                                          v1::GetScoreSheetResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.rules.v1.RecordService/GetScoreSheet", Access::kPlayer,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TableId table, ParseTableName(request->name(), "name"));
          TAROT_ASSIGN_OR_RETURN(const ScoreSheet sheet, records_.Sheet(table));
          EncodeSheet(sheet, response->mutable_sheet());
          return absl::OkStatus();
        });
  }

 private:
  // Answers ListRecords with the deals of this cell.
  absl::Status ListHere(const DealQuery& query, v1::ListRecordsResponse* response) {
    TAROT_ASSIGN_OR_RETURN(const RecordPage page, records_.List(query));
    for (const DealRecord& record : page.records) EncodeSummary(record, response->add_records());
    if (page.last) response->set_next_page_token(PageToken(*page.last));
    return absl::OkStatus();
  }

  RecordService& records_;
  HostRouter& router_;
  ListGatherer& gatherer_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeRecordService(RecordService& records, HostRouter& router,
                                                 ListGatherer& gatherer,
                                                 rpc::Dispatcher& dispatcher) {
  return std::make_unique<RecordServiceImpl>(records, router, gatherer, dispatcher);
}

}  // namespace tarot::rules_service
