#include "tests/sim/table_stream.h"

#include <utility>

namespace tarot::sim {
namespace {

constexpr absl::Duration kConnectMax = absl::Seconds(3);
constexpr absl::Duration kResend = absl::Milliseconds(200);

}  // namespace

TableStream::TableStream(Network& network, Life& client, Node& server, OnView on_view,
                         std::function<void()> on_end)
    : network_(network),
      client_node_(client.node()),
      server_node_(server),
      client_(client.weak_from_this()),
      begin_(client.Now()),
      on_view_(std::move(on_view)),
      on_end_(std::move(on_end)) {}

void TableStream::Close() {
  closed_ = true;
  on_view_ = nullptr;
  on_end_ = nullptr;
  // The server notices the end of the stream after a delay.
  const std::shared_ptr<Life> server = server_.lock();
  if (server == nullptr) return;
  server->After(network_.Delay(), [self = shared_from_this()] { self->Forget(); });
}

bool TableStream::Accept(Life& server) {
  if (std::exchange(accepted_, true) || closed_) return false;
  server_ = server.weak_from_this();
  return true;
}

void TableStream::Attach(std::function<void()> forget) {
  if (closed_ || ended_) return forget();
  forget_ = std::move(forget);
}

void TableStream::Forget() {
  if (const auto forget = std::exchange(forget_, nullptr)) forget();
}

void TableStream::Show(const std::shared_ptr<const rules_service::TableState>& state,
                       rules::Seat viewer) {
  newest_ = rules_service::MakeTableView(*state, viewer);
  Pump();
}

void TableStream::End(const absl::Status&) {
  ended_ = true;
  forget_ = nullptr;  // The table has removed this watcher already.
  Pump();
}

void TableStream::Pump() {
  const std::shared_ptr<Life> server = server_.lock();
  if (server == nullptr || writing_ || closed_ || (!newest_ && !ended_)) return;
  writing_ = true;
  server->After(network_.Delay(), [self = shared_from_this()] { self->Deliver(); });
}

void TableStream::Deliver() {
  const std::shared_ptr<Life> server = server_.lock();
  const std::shared_ptr<Life> client = client_.lock();
  if (closed_ || client == nullptr || !client->alive()) return Forget();
  if (!network_.Connected(server_node_, client_node_)) {
    server->After(kResend, [self = shared_from_this()] { self->Deliver(); });
    return;
  }
  writing_ = false;
  if (newest_) {
    auto view = std::make_shared<const rules_service::TableView>(*std::exchange(newest_, {}));
    client->After(absl::ZeroDuration(), [self = shared_from_this(), view] {
      if (const OnView show = self->on_view_) show(*view);  // `show` may close the stream.
    });
    Pump();
  } else if (ended_) {
    client->After(absl::ZeroDuration(), [self = shared_from_this()] { self->Finish(); });
  }
}

void TableStream::Finish() {
  const auto end = std::exchange(on_end_, nullptr);
  Close();
  if (end) end();
}

bool TableStream::Broken() const {
  if (!accepted_) return client_node_.world.now() - begin_ > kConnectMax;
  const std::shared_ptr<Life> server = server_.lock();
  return server == nullptr || !server->alive() || server_node_.paused() ||
         !network_.Connected(client_node_, server_node_);
}

}  // namespace tarot::sim
