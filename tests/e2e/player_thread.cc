#include "tests/e2e/player_thread.h"

#include <chrono>
#include <condition_variable>

#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/wire/convert.h"

namespace tarot::e2e {
namespace {

// Players think for this time, so that matches still run when a test breaks something.
constexpr std::chrono::milliseconds kThinking(40);
// If a call ends with UNAVAILABLE, the player repeats it at most this number of times. The client
// library also retries each call, for about 12 s on average.
constexpr int kAttemptsMax = 5;

}  // namespace

PlayerThread::~PlayerThread() { Join(); }

void PlayerThread::Play(const std::string& queue) {
  thread_ = std::thread([this, queue] { Run(queue); });
}

void PlayerThread::PlayAt(const std::string& table) {
  Join();
  finished_ = false;
  thread_ = std::thread([this, table] {
    {
      const std::lock_guard lock(mutex_);
      table_ = table;
    }
    PlayMatch(table);
    finished_ = true;
  });
}

void PlayerThread::Join() {
  if (thread_.joinable()) thread_.join();
}

std::string PlayerThread::table() {
  const std::lock_guard lock(mutex_);
  return table_;
}

std::vector<std::string> PlayerThread::acknowledged() {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

std::string PlayerThread::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

void PlayerThread::Fail(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = absl::StrCat(name_, ": ", what);
}

void PlayerThread::Run(const std::string& queue) {
  const std::string table = WaitForTable(queue);
  {
    const std::lock_guard lock(mutex_);
    table_ = table;
  }
  if (!table.empty()) PlayMatch(table);
  finished_ = true;
}

std::string PlayerThread::WaitForTable(const std::string& queue) {
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue(queue);
  request.set_request_id(client_->NewRequestId());
  const auto created = client_->Call(&client::Matchmaking::CreateTicket, request);
  if (!created.ok()) {
    Fail(created.status().ToString());
    return "";
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::string table;
  const auto watch = client_->WatchTicket(
      created->ticket().name(),
      [&](const matchmaking::v1::Ticket& ticket) {
        const std::lock_guard lock(mutex);
        table = ticket.table();
      },
      [&](const absl::Status& status) {
        if (!status.ok()) Fail(status.ToString());
        const std::lock_guard lock(mutex);
        over = true;
        changed.notify_one();
      });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return over; });
  return table;
}

void PlayerThread::PlayMatch(const std::string& name) {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::optional<rules::v1::Table> newest;
  const auto watch = client_->WatchTable(
      name, std::nullopt,
      [&](const rules::v1::Table& table) {
        const std::lock_guard lock(mutex);
        newest = table;
        changed.notify_one();
      },
      [&](const absl::Status& status) {
        if (!status.ok()) Fail(status.ToString());
        const std::lock_guard lock(mutex);
        over = true;
        changed.notify_one();
      });
  while (true) {
    std::optional<rules::v1::Table> table;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return over || newest; });
      if (!newest) return;
      table = std::exchange(newest, std::nullopt);
    }
    Decide(*table);
  }
}

void PlayerThread::Decide(const rules::v1::Table& table) {
  if (table.state() != rules::v1::Table::PLAYING || !table.has_viewer()) return;
  if (table.has_proposal() || table.has_break_expire_time()) return;
  if (!table.deal().has_turn() || table.deal().turn() != table.viewer()) return;
  // The server plays the last trick of a deal for all seats.
  if (table.deal().phase() == rules::v1::PLAYING && table.deal().hand_size() == 1) return;
  const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
  if (!view.ok()) return Fail(view.status().ToString());
  std::this_thread::sleep_for(kThinking);
  rules::v1::SubmitActionRequest request;
  request.set_name(table.name());
  request.set_expected_revision(table.revision());
  request.set_request_id(client_->NewRequestId());
  const ai::Policy* policy = ai::FindPolicy("novice");
  wire::EncodeAction(policy->Choose(*view, Rng(1), {}).action, request.mutable_action());
  auto answer = client_->Call(&client::Tables::SubmitAction, request);
  // On a busy machine, the recovery of a database may take longer than all retries of one call.
  for (int i = 0; i < kAttemptsMax && client::IsLost(answer.status()); ++i) {
    answer = client_->Call(&client::Tables::SubmitAction, request);
  }
  if (answer.ok()) {
    const std::lock_guard lock(mutex_);
    acknowledged_.push_back(request.request_id());
  } else if (!absl::IsAborted(answer.status()) && !client::IsLost(answer.status())) {
    Fail(answer.status().ToString());
  }
}

}  // namespace tarot::e2e
