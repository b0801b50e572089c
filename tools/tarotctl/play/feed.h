// Passes the newest value of a watch from its callback thread to the thread that waits for input.
// If the platform does not answer, opens the watch again, for up to five minutes after the loss.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// Any thread may call Put and Finish. The other functions belong to one thread.
template <typename T>
class Feed {
 public:
  // Begins a watch. The watch calls Put() and Finish() of the feed.
  using Open = std::function<std::unique_ptr<client::Watch>(Feed&)>;

  // Opens the watch with `open`. `context` and `input` must outlive the feed.
  Feed(Context& context, Input& input, Open open)
      : context_(context), input_(input), open_(std::move(open)) {
    watch_ = open_(*this);
  }

  void Put(T value) {
    {
      const std::lock_guard lock(mutex_);
      newest_ = std::move(value);
    }
    input_.Wake();
  }

  void Finish(absl::Status status) {
    {
      const std::lock_guard lock(mutex_);
      end_ = std::move(status);
    }
    input_.Wake();
  }

  // Returns the newest value that was not taken yet.
  std::optional<T> Take() {
    const std::lock_guard lock(mutex_);
    if (newest_) lost_since_.reset();
    return std::exchange(newest_, std::nullopt);
  }

  // Returns nullopt while the watch runs, or the status with which it ended. Take() still returns a
  // value that came before the end. If the platform does not answer, opens the watch again and
  // returns nullopt. If End() first saw the loss five minutes ago and Take() has returned no value
  // since then, returns the status.
  std::optional<absl::Status> End() {
    const std::optional<absl::Status> end = Ended();
    if (!end || cli::ExitCodeFor(*end) != cli::kUnreachable) return end;
    if (lost_since_) {
      if (Now() - *lost_since_ > kPatience) return end;
    } else {
      lost_since_ = Now();
      context_.err() << "\nThe platform does not answer; trying again. Ctrl-C leaves.\n";
    }
    watch_.reset();
    {
      const std::lock_guard lock(mutex_);
      end_.reset();
    }
    watch_ = open_(*this);
    return std::nullopt;
  }

 private:
  static constexpr absl::Duration kPatience = absl::Minutes(5);

  absl::Time Now() const { return context_.environment().clock.Now(); }

  std::optional<absl::Status> Ended() const {
    const std::lock_guard lock(mutex_);
    return end_;
  }

  Context& context_;
  Input& input_;
  const Open open_;
  mutable std::mutex mutex_;
  std::optional<T> newest_;
  std::optional<absl::Status> end_;
  // The time when End saw the first loss since the last value was taken.
  std::optional<absl::Time> lost_since_;
  // The watch is destroyed first, because its callbacks use the other members.
  std::unique_ptr<client::Watch> watch_;
};

using TableFeed = Feed<rules::v1::WatchTableResponse>;
using TicketFeed = Feed<matchmaking::v1::Ticket>;
using RoomFeed = Feed<matchmaking::v1::Room>;

inline TableFeed::Open OpenTable(Context& context, const std::string& name) {
  return [&context, name](TableFeed& feed) {
    return context.client().WatchTableMessages(
        name, std::nullopt,
        [&feed](const rules::v1::WatchTableResponse& message) { feed.Put(message); },
        [&feed](const absl::Status& status) { feed.Finish(status); });
  };
}

inline TicketFeed::Open OpenTicket(Context& context, const std::string& name) {
  return [&context, name](TicketFeed& feed) {
    return context.client().WatchTicket(
        name, [&feed](const matchmaking::v1::Ticket& ticket) { feed.Put(ticket); },
        [&feed](const absl::Status& status) { feed.Finish(status); });
  };
}

inline RoomFeed::Open OpenRoom(Context& context, const std::string& name) {
  return [&context, name](RoomFeed& feed) {
    return context.client().WatchRoom(
        name, [&feed](const matchmaking::v1::Room& room) { feed.Put(room); },
        [&feed](const absl::Status& status) { feed.Finish(status); });
  };
}

}  // namespace tarot::tarotctl
