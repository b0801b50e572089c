#include "services/rules/app/table_view.h"

namespace tarot::rules_service {

TableView MakeTableView(const TableState& state, rules::Seat viewer) {
  TableView view;
  view.config = state.config;
  view.revision = state.revision;
  view.phase = state.match.DealRunning() ? TablePhase::kPlaying
               : state.match.Finished()  ? TablePhase::kFinished
                                         : TablePhase::kDealing;
  view.viewer = viewer;
  view.deals_scored = state.match.deals_scored;
  view.deal_number = state.match.deals_dealt;
  view.totals = state.match.totals;
  view.seats = state.seats;
  if (view.deal_number > 0) {
    view.deal = rules::MakeView(state.match.deal, viewer);
    view.commitment = state.commitment;
  }
  view.turn_expire_time = state.TurnExpireTime();
  if (state.next && view.phase != TablePhase::kFinished) {
    view.next_commitment = state.next->commitment;
    view.next_nonces = state.next->nonces;
  }
  return view;
}

}  // namespace tarot::rules_service
