#include "tools/load/load.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/rules/action.h"

namespace tarot::load {
namespace {

constexpr std::chrono::milliseconds kAgain(300);
// The start fails if no further table gets its players within this time.
constexpr std::chrono::seconds kSeatingMax(30);

}  // namespace

absl::StatusOr<std::unique_ptr<Load>> Load::Create(const Options& options, Clock& clock,
                                                   Scheduler& scheduler, Entropy& entropy,
                                                   HistoryWriter& history) {
  std::unique_ptr<Load> load(new Load(options, scheduler, entropy, history));
  const int players_max = options.tables * rules::kPlayersMax;
  for (int i = 0; i <= players_max / kPlayersPerConnection; ++i) {
    auto& gateways = load->shared_.gateways.emplace_back();
    for (const std::string& address : options.gateways) {
      gateways.push_back(rpc::MakeChannel(address, /*own_connection=*/true));
    }
  }
  if (options.queue.empty()) {
    TAROT_ASSIGN_OR_RETURN(load->maker_, TableMaker::Create(options, clock));
  }
  return load;
}

Load::~Load() { Stop(); }

absl::Status Load::Start() {
  for (int i = 0; i < options_.tables; ++i) {
    const TableKind kind = KindOf(options_, i);
    const int people = kind.seats - (options_.queue.empty() ? options_.bots : 0);
    Group& group = groups_.emplace_back();
    group.rule_set = kind.rule_set;
    for (int seat = 0; seat < people; ++seat) {
      players_.push_back(std::make_unique<Player>(shared_, static_cast<int>(players_.size())));
      group.players.push_back(players_.back().get());
      TAROT_RETURN_IF_ERROR(players_.back()->SignIn());
      if (maker_ == nullptr) players_.back()->Queue();
    }
    if (maker_ != nullptr) Left(group);
  }
  if (maker_ == nullptr) return absl::OkStatus();
  thread_ = std::thread([this] { MakeTables(); });
  std::unique_lock lock(mutex_);
  std::size_t left = without_table_.size();
  while (left > 0) {
    changed_.wait_for(lock, kSeatingMax, [&] { return without_table_.size() < left; });
    if (without_table_.size() >= left) return maker_error_;
    left = without_table_.size();
  }
  return absl::OkStatus();
}

void Load::Left(Group& group) {
  const std::lock_guard lock(mutex_);
  if (--group.sitting > 0) return;
  if (!group.table.empty()) ++shared_.counters.matches;
  group.table.clear();
  without_table_.push_back(&group);
  changed_.notify_all();
}

void Load::MakeTables() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !without_table_.empty(); });
    if (stopping_) return;
    Group& group = *without_table_.front();
    lock.unlock();
    if (group.table.empty()) {
      group.table = absl::StrCat(
          "tables/", NewTableUuid(shared_.entropy, absl::Now(), options_.cell).ToString());
    }
    std::vector<std::string> names;
    for (const Player* player : group.players) names.push_back(player->name());
    const absl::Status made = maker_->Make(group.table, group.rule_set, names);
    if (made.ok()) Seat(group);
    lock.lock();
    maker_error_ = made;
    if (made.ok()) {
      without_table_.pop_front();
      changed_.notify_all();
    } else {
      changed_.wait_for(lock, kAgain, [this] { return stopping_; });
    }
  }
}

void Load::Seat(Group& group) {
  group.sitting = static_cast<int>(group.players.size());
  for (Player* player : group.players) {
    player->Sit(group.table, [this, &group] { Left(group); });
  }
}

void Load::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    changed_.notify_all();
  }
  shared_.stopping = true;
  if (thread_.joinable()) thread_.join();
  shared_.history.Write({.kind = Event::Kind::kEnd, .time_us = NowMicros()});
  for (const auto& player : players_) player->Stop();
  while (shared_.running > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace tarot::load
