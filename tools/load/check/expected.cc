#include "tools/load/check/expected.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/rules/app/table_state.h"
#include "services/rules/transport/table_views.h"
#include "tools/load/check/known_cards.h"

namespace tarot::check {
namespace {

using rules_service::LogEntry;
using rules_service::TableState;

void Add(const google::protobuf::RepeatedField<std::uint32_t>& cards, rules::CardSet& out) {
  for (const std::uint32_t card : cards) {
    if (card < rules::kCardCount) out.Insert(rules::CardAt(static_cast<int>(card)));
  }
}

Moment MomentOf(const TableState& state, const KnownCards& known, std::vector<bool> seeds_public) {
  Moment moment{.decided_revision = state.decided_revision,
                .seeds_public = std::move(seeds_public)};
  for (int seat = rules::kNoSeat; seat < state.match.players; ++seat) {
    const std::size_t at = seat == rules::kNoSeat ? kViewers - 1 : static_cast<std::size_t>(seat);
    rules::v1::Table view;
    EncodeTable(MakeTableView(state, seat), &view);
    moment.prints[at] = FingerprintOf(std::move(view));
    moment.known[at] = known.Of(seat);
    if (seat != rules::kNoSeat) moment.hands[at] = state.match.deal.hands[at];
  }
  return moment;
}

// Appends a Moment to an Expected for each state of the table, and follows the cards that each seat
// knows.
class Follower {
 public:
  explicit Follower(Expected& out) : out_(out) {}

  void Add(const TableState& state, const LogEntry* entry) {
    const rules::Deal& deal = state.match.deal;
    if (entry != nullptr) {
      if (std::holds_alternative<rules_service::DealStarted>(entry->body)) known_.Deal(deal);
      if (const auto* action = std::get_if<rules::Action>(&entry->body)) known_.Act(deal, *action);
      if (std::holds_alternative<rules_service::DealVoided>(entry->body)) known_.Void(deal);
      if (const auto* claimed = std::get_if<rules_service::TricksClaimed>(&entry->body)) {
        for (const rules::Card card : claimed->cards) {
          known_.Act(deal, rules::Action::Play(card));
        }
      }
    }
    const auto seeds = static_cast<std::size_t>(state.match.deals_dealt) + 1;
    if (state.next && out_.seeds.size() < seeds) out_.seeds.push_back(state.next->seed);
    out_.moments.push_back(MomentOf(state, known_, SeedsPublic(state)));
  }

 private:
  // Returns, for each deal, whether its seed is public. The seed of a deal without a score is
  // public once the match is over.
  std::vector<bool> SeedsPublic(const TableState& state) {
    const rules::Match& match = state.match;
    scored_.resize(static_cast<std::size_t>(match.deals_dealt));
    if (match.DealRunning() || scored_.empty()) return scored_;
    scored_.back() = match.deal.result.outcome == rules::Outcome::kScored;
    return match.Finished() ? std::vector<bool>(scored_.size(), true) : scored_;
  }

  Expected& out_;
  KnownCards known_;
  std::vector<bool> scored_;  // By deal.
};

}  // namespace

std::uint64_t FingerprintOf(rules::v1::Table view) {
  // Clears the time at which the turn ends, because a new host restarts the clock of the seat whose
  // turn it is.
  view.clear_turn_expire_time();
  // The hash needs deterministic bytes: by default, protobuf writes a map's entries in any order.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    view.SerializeToCodedStream(&coded);
  }
  return std::hash<std::string>()(bytes);
}

rules::CardSet CardsIn(const rules::v1::Table& view) {
  const rules::v1::DealView& deal = view.deal();
  rules::CardSet cards;
  Add(deal.hand(), cards);
  Add(deal.dog(), cards);
  Add(deal.discard(), cards);
  Add(deal.discard_shown(), cards);
  for (const rules::v1::Handful& handful : deal.handfuls()) Add(handful.cards(), cards);
  for (const rules::v1::Trick& trick : deal.tricks()) Add(trick.cards(), cards);
  Add(deal.result().petit_sec_hand(), cards);
  Add(deal.legal().discards(), cards);
  Add(deal.legal().handful_cards(), cards);
  Add(deal.legal().cards(), cards);
  return cards;
}

Expected Replay(const rules_service::StoredTable& stored) {
  Expected expected;
  Follower follower(expected);
  TableState state = NewTable(std::make_shared<const rules_service::TableConfig>(stored.config));
  follower.Add(state, nullptr);
  for (const LogEntry& entry : stored.log) {
    if (!expected.requests.emplace(entry.request, &entry).second) {
      expected.faults.push_back(
          absl::StrCat("the request of entry ", entry.revision, " is stored twice"));
    }
    const absl::Status status = Advance(state, entry);
    if (!status.ok()) {
      expected.faults.push_back(absl::StrCat("entry ", entry.revision, ": ", status.ToString()));
      return expected;
    }
    follower.Add(state, &entry);
  }
  expected.finished = state.match.Finished();
  return expected;
}

}  // namespace tarot::check
