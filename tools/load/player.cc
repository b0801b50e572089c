#include "tools/load/player.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/rules/codec.h"
#include "libs/wire/convert.h"

namespace tarot::load {
namespace {

namespace v1 = ::tarot::rules::v1;
using Kind = Event::Kind;

constexpr absl::Duration kCallTimeout = absl::Seconds(3);
constexpr int kSignInAttempts = 150;  // One attempt every 200 ms.
constexpr absl::Duration kRetryMean = absl::Milliseconds(200);
// The mean pause after the player has closed a watch.
constexpr absl::Duration kReopenMean = absl::Milliseconds(20);
// The pause before the player asks about its ticket again.
constexpr absl::Duration kAskAgain = absl::Milliseconds(400);
// If a client cancels a call on purpose, it cancels the call within this time.
constexpr absl::Duration kLostAfterMax = absl::Milliseconds(8);
// After this share of the calls with an unknown outcome, the client starts anew.
constexpr double kGiveUp = 0.1;
constexpr double kOtherCard = 0.1;  // The share of actions that are a random legal card.
// A player with at most kClaimCards cards in hand sometimes claims all tricks in place of an
// action. kClaims is the probability of such a claim.
constexpr double kClaims = 0.1;
constexpr int kClaimCards = 5;

// Returns the uuid of "tables/{uuid}" or "players/{uuid}".
template <typename SomeId>
SomeId IdOf(const std::string& name) {
  return SomeId::Parse(name.substr(name.find('/') + 1)).value_or(SomeId{});
}

// Returns a text such as "UNAVAILABLE/STORAGE_AWAY", without spaces.
std::string Word(const absl::Status& status) {
  const std::string reason = GetErrorDetails(status).reason;
  return absl::StrCat(absl::StatusCodeToString(status.code()), reason.empty() ? "" : "/", reason);
}

// Returns whether the server has refused the request for good.
bool IsRefusal(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsFailedPrecondition(status) ||
         absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ||
         absl::IsNotFound(status);
}

bool IsClaimRefused(const absl::Status& status) {
  return GetErrorDetails(status).reason == "CLAIM_REFUSED";
}

// Returns true for errors that a correct server may give: after a lost connection, a change of the
// table, or an overload. Any other error is a bug.
bool IsExpected(const absl::Status& status) {
  return client::IsLost(status) || absl::IsAborted(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

// Returns whether it is the viewer's turn and the viewer has a choice. The server plays the last
// trick of a deal for all seats.
bool MustAct(const v1::Table& table) {
  const v1::DealView& deal = table.deal();
  if (table.state() != v1::Table::PLAYING || !table.has_viewer()) return false;
  if (!deal.has_turn() || deal.turn() != table.viewer()) return false;
  return deal.phase() != v1::PLAYING || deal.hand_size() > 1;
}

bool MayClaim(const v1::DealView& deal) {
  return deal.phase() == v1::PLAYING && deal.hand_size() <= kClaimCards;
}

rules::Action AnyLegal(const rules::View& view, Rng& rng) {
  std::vector<rules::Card> cards;
  for (const rules::Card card : view.legal.cards) cards.push_back(card);
  return rules::Action::Play(
      cards[static_cast<std::size_t>(rng.Below(static_cast<int>(cards.size())))]);
}

}  // namespace

Player::Player(Shared& shared, int number)
    : shared_(shared),
      number_(number),
      rng_(shared.options.seed * 1'000'003 + static_cast<std::uint64_t>(number)) {
  const auto& gateways = shared.gateways[static_cast<std::size_t>(number / kPlayersPerConnection)];
  const int count = static_cast<int>(gateways.size()) / shared.options.roads;
  const int first = number % shared.options.roads * count;
  for (int i = first; i < first + count; ++i) {
    clients_.push_back(std::make_unique<client::Client>(
        gateways[static_cast<std::size_t>(i)],
        client::Options{.call_timeout = kCallTimeout, .retry = {.attempts_max = 1}},
        shared.scheduler, shared.entropy));
  }
}

Player::~Player() = default;

absl::Status Player::SignIn() {
  absl::Status status;
  for (int attempt = 0; attempt < kSignInAttempts; ++attempt) {
    client::Client& client = AnyGateway();
    status = client.SignInAsGuest(absl::StrCat("load-", number_));
    if (status.ok()) {
      const gateway::v1::Session session = client.session();
      name_ = session.player();
      for (const auto& each : clients_) each->set_session(session);
      return status;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return status;
}

void Player::Sit(const std::string& table, std::function<void()> done) {
  const std::lock_guard lock(mutex_);
  table_ = table;
  table_id_ = IdOf<TableId>(table);
  done_ = std::move(done);
  seen_.reset();
  newest_.reset();
  intent_.reset();
  ++stream_;
  Event event = At(Kind::kSeat);
  event.player = IdOf<PlayerId>(name_);
  shared_.history.Write(event);
  Open();
}

void Player::Stop() {
  // The watch is destroyed without mutex_, because its callbacks lock mutex_.
  std::unique_ptr<client::Watch> watch;
  {
    const std::lock_guard lock(mutex_);
    watch = std::move(watch_);
    if (attempt_ != nullptr && !attempt_->answered) attempt_->cancel();
  }
}

Event Player::At(Event::Kind kind) const {
  return {.kind = kind, .time_us = NowMicros(), .client = number_, .table = table_id_};
}

// Chooses a random gateway of the player's road. If the road has several gateways, avoids the
// gateway where the last call was lost. Real clients do the same.
std::size_t Player::ChooseGateway() {
  const std::size_t count = clients_.size();
  const auto choice = static_cast<std::size_t>(rng_.Below(static_cast<int>(count)));
  return choice == avoided_ ? (choice + 1) % count : choice;
}

bool Player::Chance(double probability) {
  return static_cast<double>(rng_.Next() >> 11) * 0x1p-53 < probability;
}

absl::Duration Player::Around(absl::Duration mean) {
  const double part = static_cast<double>(rng_.Next() >> 11) * 0x1p-53;
  return mean * std::min(5.0, -std::log(1 - part));
}

void Player::After(absl::Duration wait, void (Player::*then)()) {
  ++shared_.running;
  shared_.scheduler.After(wait, [this, then] {
    {
      const std::lock_guard lock(mutex_);
      if (!shared_.stopping) (this->*then)();
    }
    --shared_.running;
  });
}

void Player::Open() {
  if (shared_.stopping || watching_ || table_.empty()) return;
  Close();
  watching_ = true;
  const int watch = ++watches_;
  watch_ = AnyGateway().WatchTable(
      table_, seen_, [this, watch](const v1::Table& table) { OnView(watch, table); },
      [this, watch](const absl::Status& status) { OnWatchEnd(watch, status); });
}

// Destroys the watch on another thread. The destructor waits for the watch's callbacks, and a
// callback may hold mutex_ or be the caller of this function.
void Player::Close() {
  watching_ = false;
  if (watch_ == nullptr) return;
  ++shared_.running;
  shared_.scheduler.After(absl::ZeroDuration(), [this, old = std::move(watch_)]() mutable {
    old.reset();
    --shared_.running;
  });
}

void Player::OnView(int watch, const v1::Table& table) {
  const std::lock_guard lock(mutex_);
  if (watch != watches_ || !watching_ || shared_.stopping) return;
  See(table, stream_);
  Consider(Around(shared_.options.think));
  if (!Chance(shared_.options.drop_rate)) return;
  Close();
  After(Around(kReopenMean), &Player::Open);
}

void Player::See(const v1::Table& table, int stream) {
  ++shared_.counters.views;
  Event event = At(Kind::kView);
  event.stream = stream;
  event.revision = table.revision();
  event.bytes = table.SerializeAsString();
  shared_.history.Write(event);
  if (stream != 0) seen_ = table.revision();
  if (!newest_ || table.revision() > newest_->revision()) newest_ = table;
}

void Player::OnWatchEnd(int watch, const absl::Status& status) {
  std::function<void()> done;
  {
    const std::lock_guard lock(mutex_);
    if (watch != watches_ || !watching_) return;
    watching_ = false;
    if (shared_.stopping) return;
    if (status.ok()) {  // The match is over.
      table_.clear();
      done = std::exchange(done_, nullptr);
    } else {
      if (!IsExpected(status)) Odd(status);
      // The database has lost entries, so the revisions that the client knew have another meaning
      // now.
      if (absl::IsDataLoss(status)) BeginAnew();
      After(Around(absl::IsCancelled(status) ? kReopenMean : kRetryMean), &Player::Open);
    }
  }
  if (done) done();
}

void Player::Odd(const absl::Status& status) {
  ++shared_.counters.odd;
  Event event = At(Kind::kOdd);
  event.text = Word(status);
  shared_.history.Write(event);
}

void Player::Consider(absl::Duration wait) {
  if (thinking_ || intent_ || !newest_ || table_.empty()) return;
  if (!MustAct(*newest_)) return;
  thinking_ = true;
  After(wait, &Player::Decide);
}

void Player::Decide() {
  thinking_ = false;
  if (intent_ || !newest_ || table_.empty()) return;
  const v1::Table& table = *newest_;
  if (!MustAct(table)) return;
  const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
  if (!view.ok()) return Odd(view.status());
  Intent& intent = intent_.emplace();
  intent.request.set_name(table_);
  intent.request.set_expected_revision(table.revision());
  intent.request.set_request_id(shared_.entropy.NewUuid().ToString());
  if (MayClaim(table.deal()) && Chance(kClaims)) {
    intent.action = std::string(kClaimBytes);
    return Send();
  }
  static const ai::Policy* const policy = ai::FindPolicy("novice");
  const bool any =
      (std::exchange(other_choice_, false) || Chance(kOtherCard)) && !view->legal.cards.Empty();
  const rules::Action action =
      any ? AnyLegal(*view, rng_) : policy->Choose(*view, Rng(rng_.Next()), {}).action;
  intent.action = rules::EncodeAction(action);
  wire::EncodeAction(action, intent.request.mutable_action());
  Send();
}

void Player::Send() {
  if (!intent_) return;
  const auto attempt = std::make_shared<Attempt>();
  attempt_ = attempt;
  attempt->table = intent_->request.name();
  attempt->request_id = intent_->request.request_id();
  attempt->number = ++intent_->attempts;
  attempt->gateway = ChooseGateway();
  attempt->claims = intent_->claims();
  Event event = At(Kind::kCall);
  event.request = IdOf<RequestId>(attempt->request_id);
  event.attempt = attempt->number;
  event.revision = intent_->request.expected_revision();
  event.bytes = intent_->action;
  shared_.history.Write(event);
  ++shared_.running;
  attempt->cancel = Start(attempt);
  if (!Chance(shared_.options.drop_rate)) return;
  ++shared_.running;
  shared_.scheduler.After(kLostAfterMax * (rng_.Below(1000) * 1e-3), [this, attempt] {
    {
      const std::lock_guard lock(mutex_);
      if (!attempt->answered) attempt->cancel();
    }
    --shared_.running;
  });
}

std::function<void()> Player::Start(const std::shared_ptr<Attempt>& attempt) {
  const auto on_answer = [this, attempt](const auto& answer) {
    if (answer.ok()) {
      OnAnswer(*attempt, &(*answer)->table());
    } else {
      OnAnswer(*attempt, answer.status());
    }
    --shared_.running;
  };
  client::Client& client = *clients_[attempt->gateway];
  if (!attempt->claims) {
    return client.Start(&client::Tables::SubmitAction, intent_->request, on_answer);
  }
  v1::ClaimTricksRequest claim;
  claim.set_name(intent_->request.name());
  claim.set_expected_revision(intent_->request.expected_revision());
  claim.set_request_id(intent_->request.request_id());
  return client.Start(&client::Tables::ClaimTricks, claim, on_answer);
}

void Player::OnAnswer(Attempt& attempt, const absl::StatusOr<const v1::Table*>& answer) {
  const std::lock_guard lock(mutex_);
  attempt.answered = true;
  const absl::Status& why = answer.status();
  Event event = At(Kind::kUnknown);
  event.table = IdOf<TableId>(attempt.table);
  event.request = IdOf<RequestId>(attempt.request_id);
  event.attempt = attempt.number;
  event.text = why.ok() ? "" : Word(why);
  const bool ours = intent_ && intent_->request.request_id() == attempt.request_id;
  avoided_.reset();
  if (absl::IsUnavailable(why) || absl::IsUnknown(why) || absl::IsDeadlineExceeded(why)) {
    avoided_ = attempt.gateway;
  }
  if (why.ok()) {
    event.kind = Kind::kOk;
    event.revision = (*answer)->revision();
    shared_.history.Write(event);
    ++shared_.counters.moves;
    if (ours) intent_.reset();
    if (table_ == attempt.table) See(**answer, 0);
    return Consider(Around(shared_.options.think));
  }
  if (!IsExpected(why) && !(attempt.claims && IsClaimRefused(why))) Odd(why);
  if (IsRefusal(why)) {
    event.kind = Kind::kRefused;
    shared_.history.Write(event);
    ++shared_.counters.refused;
    if (ours) intent_.reset();
    // The player waits for a newer view, which usually comes before this pause ends.
    return Consider(absl::Milliseconds(300));
  }
  shared_.history.Write(event);
  ++shared_.counters.unknown;
  if (ours && !shared_.stopping) OnUnknownOutcome();
}

void Player::OnUnknownOutcome() {
  if (!Chance(kGiveUp)) return After(Around(kRetryMean), &Player::Send);
  BeginAnew();
  other_choice_ = true;
  Close();
  After(Around(kReopenMean), &Player::Open);
}

// Acts like a program that was started again: it knows neither the request nor any revision.
void Player::BeginAnew() {
  intent_.reset();
  newest_.reset();
  seen_.reset();
  ++stream_;
}

void Player::Queue() { After(absl::ZeroDuration(), &Player::CreateTicket); }

void Player::CreateTicket() {
  if (ticket_request_.empty()) ticket_request_ = shared_.entropy.NewUuid().ToString();
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue(shared_.options.queue);
  request.set_request_id(ticket_request_);
  ++shared_.running;
  AnyGateway().Start(&client::Matchmaking::CreateTicket, request, [this](const auto& answer) {
    OnTicket(answer.ok() ? TicketAnswer((*answer)->ticket()) : answer.status());
    --shared_.running;
  });
}

void Player::PollTicket() {
  matchmaking::v1::GetTicketRequest request;
  request.set_name(ticket_);
  ++shared_.running;
  AnyGateway().Start(&client::Matchmaking::GetTicket, request, [this](const auto& answer) {
    OnTicket(answer.ok() ? TicketAnswer((*answer)->ticket()) : answer.status());
    --shared_.running;
  });
}

void Player::OnTicket(const TicketAnswer& answer) {
  using matchmaking::v1::Ticket;
  {
    const std::lock_guard lock(mutex_);
    if (shared_.stopping) return;
    if (!answer.ok()) {
      // ALREADY_EXISTS: perhaps matchmaking does not know yet that the last match is over.
      if (absl::IsAlreadyExists(answer.status())) ticket_request_.clear();
      return After(kAskAgain, ticket_.empty() ? &Player::CreateTicket : &Player::PollTicket);
    }
    ticket_ = answer->name();
    const bool waits = answer->state() == Ticket::WAITING || answer->state() == Ticket::PLACING;
    if (waits) return After(kAskAgain, &Player::PollTicket);
    ticket_.clear();
    ticket_request_.clear();
    if (answer->state() != Ticket::MATCHED) return After(kAskAgain, &Player::CreateTicket);
  }
  Sit(answer->table(), [this] {
    ++shared_.counters.matches;
    Queue();
  });
}

}  // namespace tarot::load
