#include "tests/sim/person.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "tests/sim/calls.h"
#include "tests/sim/other_processes.h"
#include "tests/sim/rules_process.h"

namespace tarot::sim {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(3);
// The longest time after a fault during which the fault may still disturb a request: for example, a
// process is still starting, or a late message arrives.
constexpr absl::Duration kFaultsEffectMax = absl::Seconds(20);

}  // namespace

Person::Person(Life& life, Cluster& cluster, int index)
    : life_(life), cluster_(cluster), index_(index), id_(IdOf(index)) {
  cluster_.auditor.Forgot(id_);
  Queue();
}

PlayerId Person::IdOf(int index) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = 0xA0;
  bytes[15] = static_cast<std::uint8_t>(index + 1);
  return PlayerId{Uuid(bytes)};
}

void Person::Queue(absl::Duration longest) {
  const bool enough =
      cluster_.matches_played[static_cast<std::size_t>(index_)] >= cluster_.options.matches_each;
  if (enough) return;
  life_.After(Between(absl::ZeroDuration(), longest), [this] { AskTicket(NewRequest()); });
}

void Person::AskTicket(RequestId request) {
  using Answer = matchmaking_service::TicketView;
  const matchmaking_service::Joining joining{.player = id_,
                                             .display_name = life_.node().name,
                                             .queue = cluster_.QueueOf(index_),
                                             .request_id = request};
  const auto serve = [joining](MatchmakingProcess& process, const Reply<Answer>& reply) {
    reply(process.tickets.Create(joining));
  };
  Call<Answer>(cluster_.network, life_, cluster_.AnyOf(cluster_.matchmaking), kTimeout,
               OnWorker<MatchmakingProcess, Answer>(serve),
               [this, request, asked = cluster_.world.now()](const absl::StatusOr<Answer>& answer) {
                 if (answer.ok()) return OnTicket(*answer);
                 if (absl::IsAlreadyExists(answer.status())) {
                   ErrorDetails details = GetErrorDetails(answer.status());
                   CheckExistingTicket(details.metadata["table"], asked);
                   absl::string_view name = details.metadata.at("ticket");
                   absl::ConsumePrefix(&name, "tickets/");
                   return Look(*TicketId::Parse(name));
                 }
                 life_.After(Between(absl::Milliseconds(100), absl::Seconds(2)),
                             [this, request] { AskTicket(request); });
               });
}

void Person::CheckExistingTicket(absl::string_view table, absl::Time asked) {
  if (over_.empty() || table != absl::StrCat("tables/", over_.ToString())) return;
  if (asked - cluster_.last_fault < kFaultsEffectMax) return;
  cluster_.world.Fail("without faults, ", life_.node().name,
                      " cannot queue again after the end of a match");
}

void Person::Look(TicketId ticket) {
  using Answer = matchmaking_service::TicketView;
  const auto serve = [id = id_, ticket](MatchmakingProcess& process, const Reply<Answer>& reply) {
    reply(process.tickets.Get(id, ticket));
  };
  Call<Answer>(cluster_.network, life_, cluster_.AnyOf(cluster_.matchmaking), kTimeout,
               OnWorker<MatchmakingProcess, Answer>(serve),
               [this, ticket](const absl::StatusOr<Answer>& answer) {
                 if (answer.ok()) return OnTicket(*answer);
                 if (absl::IsNotFound(answer.status())) cluster_.world.Fail("a ticket is gone");
                 life_.After(absl::Seconds(1), [this, ticket] { Look(ticket); });
               });
}

void Person::OnTicket(const matchmaking_service::TicketView& view) {
  switch (view.ticket.state) {
    case matchmaking_service::TicketState::kWaiting:
    case matchmaking_service::TicketState::kPlacing:
      life_.After(Between(absl::Milliseconds(200), absl::Seconds(2)),
                  [this, id = view.ticket.id] { Look(id); });
      return;
    case matchmaking_service::TicketState::kMatched:
      return Sit(view.ticket.table);
    case matchmaking_service::TicketState::kCancelled:
    case matchmaking_service::TicketState::kClosed:
      return Queue();
  }
}

void Person::Sit(TableId table) {
  cluster_.auditor.Sat(id_, table);
  table_ = table;
  ++sitting_;
  view_.reset();
  thinking_about_ = nonce_for_ = 0;
  acting_ = resuming_ = talking_ = proposing_ = ending_break_ = false;
  answered_ = 0;
  Connect();
  Watchdog(sitting_);
}

void Person::Connect() {
  if (stream_ != nullptr) stream_->Close();
  Node& server = cluster_.RulesFor(table_);
  stream_revision_ = view_ ? view_->revision : -1;
  cluster_.world.Note(life_.node().name, " watches ", table_.ToString().substr(0, 8), " at ",
                      server.name, " after ", stream_revision_);
  stream_ = std::make_shared<TableStream>(
      cluster_.network, life_, server,
      [this](const View& view) {
        // After an outage, a view of the same revision may come again, with another end of the
        // turn.
        if (view.revision < stream_revision_) {
          cluster_.world.Fail("a stream of ", life_.node().name, " at ",
                              view.config->id.ToString().substr(0, 8), " went back from revision ",
                              stream_revision_, " to ", view.revision);
        }
        stream_revision_ = view.revision;
        const bool hidden = cluster_.options.sabotage == Sabotage::kHideEnd &&
                            view.phase == rules_service::TablePhase::kFinished;
        if (!hidden) OnView(view);
      },
      [this] {
        life_.After(Between(absl::Milliseconds(50), absl::Milliseconds(500)),
                    [this, sitting = sitting_] {
                      if (sitting == sitting_ && !table_.empty()) Connect();
                    });
      });
  const auto serve = [stream = stream_, table = table_, player = id_, after = stream_revision_](
                         RulesProcess& rules, const Reply<Done>& reply) {
    if (!stream->Accept(rules.life)) return;
    const auto forget = rules.tables.Watch(table, player, after, stream);
    if (forget.ok()) {
      stream->Attach(*forget);
    } else {
      stream->End(forget.status());
    }
    reply(Done{});
  };
  // Ignores the result. If the call fails, the watchdog finds that the stream is broken.
  Call<Done>(cluster_.network, life_, server, kTimeout, OnWorker<RulesProcess, Done>(serve),
             [](const absl::StatusOr<Done>&) {});
}

void Person::Watchdog(int sitting) {
  life_.After(absl::Seconds(1), [this, sitting] {
    if (sitting != sitting_ || table_.empty()) return;
    // A random reconnect checks that a new stream continues where the old stream ended.
    if (stream_->Broken() || cluster_.world.Chance(100)) Connect();
    Watchdog(sitting);
  });
}

void Person::Leave() {
  stream_->Close();
  over_ = std::exchange(table_, TableId());
  ++sitting_;
  ++cluster_.matches_played[static_cast<std::size_t>(index_)];
  cluster_.world.Note(life_.node().name, " has played a match");
  const bool at_once = cluster_.world.Chance(5000);
  Queue(at_once ? absl::ZeroDuration() : absl::Seconds(3));
}

}  // namespace tarot::sim
