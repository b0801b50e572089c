#include "services/bot/transport/encode_analysis.h"

#include "libs/wire/convert.h"

namespace tarot::bot {
namespace {

std::uint32_t Unsigned(int value) { return static_cast<std::uint32_t>(value); }

}  // namespace

void EncodeDecision(const ai::DecisionReport& report, const SeatOf& seat_of,
                    v1::DecisionAnalysis* out) {
  out->set_entry(Unsigned(report.entry));
  out->set_seat(Unsigned(seat_of(report.seat)));
  wire::EncodeAction(report.played, out->mutable_played());
  out->set_forced(report.forced);
  out->set_worlds(Unsigned(report.worlds));
  for (const ai::OptionReport& option : report.options) {
    v1::DecisionAnalysis::Option* const to = out->add_options();
    wire::EncodeAction(option.action, to->mutable_action());
    if (option.expected) to->set_expected(*option.expected);
    if (option.open_loss) to->set_open_loss(Unsigned(*option.open_loss));
  }
  out->set_expected_cost(Unsigned(report.expected_cost));
  if (report.open_cost) out->set_open_cost(Unsigned(*report.open_cost));
  if (report.margin) out->set_margin(*report.margin);
  if (report.contract_made) out->set_contract_made(*report.contract_made);
}

void EncodeSummary(const ai::DealReport& report, const SeatOf& seat_of, v1::DealAnalysis* out) {
  for (std::size_t i = 0; i < report.seats.size(); ++i) out->add_seats();
  for (std::size_t i = 0; i < report.seats.size(); ++i) {
    v1::DealAnalysis::Seat* const seat = out->mutable_seats(seat_of(static_cast<rules::Seat>(i)));
    seat->set_decisions(Unsigned(report.seats[i].decisions));
    seat->set_expected_cost(Unsigned(report.seats[i].expected_cost));
    seat->set_open_cost(Unsigned(report.seats[i].open_cost));
  }
  for (const int entry : report.turning_points) out->add_turning_points(Unsigned(entry));
  for (const int entry : report.mistakes) out->add_mistakes(Unsigned(entry));
}

}  // namespace tarot::bot
