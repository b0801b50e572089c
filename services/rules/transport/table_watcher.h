// One WatchTable stream as a Watcher of the app.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "libs/rpc/watch_stream.h"
#include "services/rules/app/table.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

class TableWatcher final : public Watcher {
 public:
  // `lag` outlives the stream.
  static std::shared_ptr<TableWatcher> Create(Clock& clock, rpc::MethodMetrics metrics,
                                              prometheus::Histogram& lag);

  // Give it to gRPC.
  grpc::ServerWriteReactor<grpc::ByteBuffer>* reactor() { return stream_.get(); }

  void Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) override;
  void End(const absl::Status& status) override { stream_->Close(status); }

  // `forget` takes this watcher off its table; called once when the stream is over, also when it
  // already is.
  void Attach(std::function<void()> forget);

 private:
  using Stream = rpc::WatchStream<grpc::ByteBuffer>;

  explicit TableWatcher(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  void OnDone();

  const std::shared_ptr<Stream> stream_;
  std::mutex mutex_;
  bool done_ = false;
  std::function<void()> forget_;
};

}  // namespace tarot::rules_service
