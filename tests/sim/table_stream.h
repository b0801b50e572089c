// A stream of one seat's views from a rules process to a player. At most one write is in flight.
// When this write is over, the stream sends the newest view and skips older views. The stream
// breaks when one of the two processes dies, or when the network between them is cut.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "services/rules/app/table.h"
#include "services/rules/app/table_state.h"
#include "tests/sim/network.h"
#include "tests/sim/process.h"

namespace tarot::sim {

class TableStream final : public rules_service::Watcher,
                          public std::enable_shared_from_this<TableStream> {
 public:
  using OnView = std::function<void(const rules_service::TableView&)>;

  // Opens a stream for a player. `on_view` and `on_end` run in events of `client`. `on_end` runs
  // once, after all calls of `on_view`.
  TableStream(Network& network, Life& client, Node& server, OnView on_view,
              std::function<void()> on_end);

  // Closes the stream, because the player leaves. Afterwards the stream calls neither `on_view` nor
  // `on_end`.
  void Close();

  // The process that serves the call must call Accept once. Returns false if the stream was
  // accepted before or is closed.
  bool Accept(Life& server);
  // Calls `forget`, which removes the watcher from its table, when the player leaves or dies.
  void Attach(std::function<void()> forget);
  void Show(const std::shared_ptr<const rules_service::TableState>& state,
            rules::Seat viewer) override;
  void End(const absl::Status& status) override;

  // Returns whether the player's machine sees that the stream is broken.
  bool Broken() const;

 private:
  void Pump();
  void Deliver();
  void Finish();
  void Forget();

  Network& network_;
  Node& client_node_;
  Node& server_node_;
  const std::weak_ptr<Life> client_;
  const absl::Time begin_;
  OnView on_view_;
  std::function<void()> on_end_;
  bool closed_ = false;

  std::weak_ptr<Life> server_;
  bool accepted_ = false;
  std::function<void()> forget_;
  std::optional<rules_service::TableView> newest_;
  bool ended_ = false;
  bool writing_ = false;
};

}  // namespace tarot::sim
