#include "tools/load/player.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/rpc/channel.h"
#include "libs/rules/codec.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"

namespace tarot::load {
namespace {

namespace v1 = ::tarot::rules::v1;
using Kind = Event::Kind;

constexpr absl::Duration kCallTimeout = absl::Seconds(3);  // As of client::Options.
constexpr int kSignInAttempts = 150;                       // Each fifth of a second.
constexpr absl::Duration kRetryMean = absl::Milliseconds(200);
constexpr absl::Duration kLostAfterMax = absl::Milliseconds(8);  // Of a call: on either way.
constexpr double kGiveUp = 0.1;     // Of intents in doubt: the client begins a new life.
constexpr double kOtherCard = 0.1;  // Of actions: any legal card instead of the best.

// The uuid of "tables/{uuid}" or "players/{uuid}".
template <typename SomeId>
SomeId IdOf(const std::string& name) {
  return SomeId::Parse(name.substr(name.find('/') + 1)).value_or(SomeId{});
}

// "UNAVAILABLE/STORAGE_AWAY": one word.
std::string Word(const absl::Status& status) {
  const std::string reason = GetErrorDetails(status).reason;
  return absl::StrCat(absl::StatusCodeToString(status.code()), reason.empty() ? "" : "/", reason);
}

// Whether the server has said that this will never be done.
bool IsRefusal(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsFailedPrecondition(status) ||
         absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ||
         absl::IsNotFound(status);
}

// Answers that a failing network or database, or a flood, may give; no others should ever come.
bool IsExpected(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsUnavailable(status) || absl::IsCancelled(status) ||
         absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status);
}

rules::Action AnyLegal(const rules::View& view, Rng& rng) {
  std::vector<rules::Card> cards;
  for (const rules::Card card : view.legal.cards) cards.push_back(card);
  return rules::Action::Play(
      cards[static_cast<std::size_t>(rng.Below(static_cast<int>(cards.size())))]);
}

}  // namespace

// One server stream. Deletes itself when gRPC is done with it.
class Player::Watch final : public grpc::ClientReadReactor<v1::WatchTableResponse> {
 public:
  Watch(Player& player, Gateway& gateway, v1::WatchTableRequest request, int life)
      : stream(life), player_(player), request_(std::move(request)) {
    player_.Prepare(context_);
    gateway.tables.async()->WatchTable(&context_, &request_, this);
    StartRead(&response_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

  const int stream;

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    player_.OnView(this, response_.table());
    StartRead(&response_);
  }
  void OnDone(const grpc::Status& status) override {
    Player& player = player_;
    player.OnWatchEnd(this, status);
    delete this;
    --player.shared_.running;
  }

  Player& player_;
  grpc::ClientContext context_;
  const v1::WatchTableRequest request_;
  v1::WatchTableResponse response_;
};

struct Player::Attempt {
  grpc::ClientContext context;
  v1::SubmitActionRequest request;
  v1::SubmitActionResponse response;
  int number = 0;
  int gateway = 0;
  bool answered = false;
};

Player::Player(Shared& shared, int number)
    : shared_(shared),
      number_(number),
      rng_(shared.options.seed * 1'000'003 + static_cast<std::uint64_t>(number)) {}

Player::~Player() = default;

absl::Status Player::SignIn() {
  absl::Status status;
  for (int attempt = 0; attempt < kSignInAttempts; ++attempt) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, kCallTimeout);
    gateway::v1::CreateGuestSessionRequest request;
    request.set_display_name(absl::StrCat("load-", number_));
    gateway::v1::CreateGuestSessionResponse response;
    status =
        status::FromGrpc(AnyGateway().sessions.CreateGuestSession(&context, request, &response));
    if (status.ok()) {
      name_ = response.session().player();
      token_ = response.session().token();
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
  const std::lock_guard lock(mutex_);
  if (watch_ != nullptr) watch_->Cancel();
  if (attempt_ != nullptr && !attempt_->answered) attempt_->context.TryCancel();
}

Event Player::At(Event::Kind kind) const {
  return {.kind = kind, .time_us = NowMicros(), .client = number_, .table = table_id_};
}

void Player::Prepare(grpc::ClientContext& context) const {
  context.AddMetadata("authorization", absl::StrCat("Bearer ", token_));
}

// Any of its road; but, as clients do, another one than where the last call was lost.
int Player::ChooseGateway() {
  const int roads = shared_.options.roads;
  const int count = static_cast<int>(shared_.gateways.size()) / roads;
  const int first = number_ % roads * count;
  const int choice = rng_.Below(count);
  return first + (first + choice == avoided_ ? (choice + 1) % count : choice);
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
  if (shared_.stopping || watch_ != nullptr || table_.empty()) return;
  v1::WatchTableRequest request;
  request.set_name(table_);
  if (seen_) request.set_after_revision(*seen_);
  ++shared_.running;
  watch_ = new Watch(*this, AnyGateway(), std::move(request), stream_);
}

void Player::OnView(Watch* watch, const v1::Table& table) {
  const std::lock_guard lock(mutex_);
  if (watch != watch_ || watch->stream != stream_ || shared_.stopping) return;
  See(table, stream_);
  Consider(Around(shared_.options.think));
  if (Chance(shared_.options.drop_rate)) watch->Cancel();
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

void Player::OnWatchEnd(Watch* watch, const grpc::Status& status) {
  std::function<void()> done;
  {
    const std::lock_guard lock(mutex_);
    if (watch != watch_) return;
    watch_ = nullptr;
    if (shared_.stopping) return;
    if (status.ok()) {  // The match is over.
      table_.clear();
      done = std::exchange(done_, nullptr);
    } else {
      const absl::Status why = status::FromGrpc(status);
      if (!IsExpected(why)) Odd(status);
      if (absl::IsDataLoss(why)) BeginAnew();  // Its revisions mean something else now.
      After(absl::IsCancelled(why) ? Around(absl::Milliseconds(20)) : Around(kRetryMean),
            &Player::Open);
    }
  }
  if (done) done();
}

void Player::Odd(const grpc::Status& status) {
  ++shared_.counters.odd;
  Event event = At(Kind::kOdd);
  event.text = Word(status::FromGrpc(status));
  shared_.history.Write(event);
}

void Player::Consider(absl::Duration wait) {
  if (thinking_ || intent_ || !newest_ || table_.empty()) return;
  const v1::Table& table = *newest_;
  if (table.state() != v1::Table::PLAYING || !table.has_viewer()) return;
  if (!table.deal().has_turn() || table.deal().turn() != table.viewer()) return;
  thinking_ = true;
  After(wait, &Player::Decide);
}

void Player::Decide() {
  thinking_ = false;
  if (intent_ || !newest_ || table_.empty()) return;
  const v1::Table& table = *newest_;
  if (table.state() != v1::Table::PLAYING || table.deal().turn() != table.viewer()) return;
  const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
  if (!view.ok()) return Odd(status::ToGrpc(view.status()));
  static const ai::Policy* const policy = ai::FindPolicy("novice");
  const bool any =
      (std::exchange(other_choice_, false) || Chance(kOtherCard)) && !view->legal.cards.Empty();
  const rules::Action action =
      any ? AnyLegal(*view, rng_) : policy->Choose(*view, Rng(rng_.Next()), {}).action;
  Intent& intent = intent_.emplace();
  intent.action = rules::EncodeAction(action);
  intent.request.set_name(table_);
  intent.request.set_expected_revision(table.revision());
  intent.request.set_request_id(shared_.entropy.NewUuid().ToString());
  wire::EncodeAction(action, intent.request.mutable_action());
  Send();
}

void Player::Send() {
  if (!intent_) return;
  const auto attempt = std::make_shared<Attempt>();
  attempt_ = attempt;
  attempt->request = intent_->request;
  attempt->number = ++intent_->attempts;
  attempt->gateway = ChooseGateway();
  Event event = At(Kind::kCall);
  event.request = IdOf<RequestId>(attempt->request.request_id());
  event.attempt = attempt->number;
  event.revision = attempt->request.expected_revision();
  event.bytes = intent_->action;
  shared_.history.Write(event);
  Prepare(attempt->context);
  rpc::SetTimeout(attempt->context, kCallTimeout);
  ++shared_.running;
  GatewayAt(attempt->gateway)
      .tables.async()
      ->SubmitAction(&attempt->context, &attempt->request, &attempt->response,
                     [this, attempt](const grpc::Status& status) {
                       OnAnswer(attempt, status);
                       --shared_.running;
                     });
  if (!Chance(shared_.options.drop_rate)) return;
  ++shared_.running;
  shared_.scheduler.After(kLostAfterMax * (rng_.Below(1000) * 1e-3), [this, attempt] {
    {
      const std::lock_guard lock(mutex_);
      if (!attempt->answered) attempt->context.TryCancel();
    }
    --shared_.running;
  });
}

void Player::OnAnswer(const std::shared_ptr<Attempt>& attempt, const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  attempt->answered = true;
  const absl::Status why = status::FromGrpc(status);
  Event event = At(Kind::kUnknown);
  event.table = IdOf<TableId>(attempt->request.name());
  event.request = IdOf<RequestId>(attempt->request.request_id());
  event.attempt = attempt->number;
  event.text = why.ok() ? "" : Word(why);
  const bool ours = intent_ && intent_->request.request_id() == attempt->request.request_id();
  avoided_ = absl::IsUnavailable(why) || absl::IsDeadlineExceeded(why) ? attempt->gateway : -1;
  if (why.ok()) {
    event.kind = Kind::kOk;
    event.revision = attempt->response.table().revision();
    shared_.history.Write(event);
    ++shared_.counters.moves;
    if (ours) intent_.reset();
    if (table_ == attempt->request.name()) See(attempt->response.table(), 0);
    return Consider(Around(shared_.options.think));
  }
  if (!IsExpected(why)) Odd(status);
  if (IsRefusal(why)) {
    event.kind = Kind::kRefused;
    shared_.history.Write(event);
    ++shared_.counters.refused;
    if (ours) intent_.reset();
    return Consider(absl::Milliseconds(300));  // Most often a newer view comes before.
  }
  shared_.history.Write(event);
  ++shared_.counters.unknown;
  if (ours && !shared_.stopping) Doubt();
}

void Player::Doubt() {
  if (!Chance(kGiveUp)) return After(Around(kRetryMean), &Player::Send);
  BeginAnew();
  other_choice_ = true;
  if (watch_ != nullptr) watch_->Cancel();
}

// As somebody who starts the program again: it knows neither the request nor any revision.
void Player::BeginAnew() {
  intent_.reset();
  newest_.reset();
  seen_.reset();
  ++stream_;
}

}  // namespace tarot::load
