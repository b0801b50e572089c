// Declares TableAdminService. It makes tables for other services. For operators it cancels deals,
// ends matches, shows logs, and exports and deletes players.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/player_data_store.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/table_store.h"
#include "services/rules/transport/host_router.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Returns the config of `table`. Returns INVALID_ARGUMENT BAD_REQUEST for a malformed field.
absl::StatusOr<TableConfig> Decode(TableId table, const v1::CreateTableRequest& request);

// Returns the command of an operator. Returns INVALID_ARGUMENT BAD_REQUEST for a malformed field.
absl::StatusOr<VoidCommand> Decode(const v1::VoidDealRequest& request);
absl::StatusOr<VoidCommand> Decode(const v1::EndMatchRequest& request);

// Returns a text for people that says what the entry did. The text names the cards that a play, a
// call, a handful or a claim has shown to all watchers. It names no pack, no écart and no seed,
// even if the deal is over. table_log.cc contains this function and the next function.
std::string LogText(const LogEntry& entry);
void EncodeLogEntry(const LogEntry& entry, v1::TableLogEntry* out);

// The next four methods take bytes, so that a replica can forward a request unchanged to the host
// of the table.
using TableAdminServiceBase = v1::TableAdminService::WithRawCallbackMethod_CreateTable<
    v1::TableAdminService::WithRawCallbackMethod_BatchCreateTables<
        v1::TableAdminService::WithRawCallbackMethod_VoidDeal<
            v1::TableAdminService::WithRawCallbackMethod_EndMatch<
                v1::TableAdminService::CallbackService>>>>;

class GrpcTableAdminService final : public TableAdminServiceBase {
 public:
  // `cell` is the cell of this replica. `free_tables` returns the number of GetCapacity; it must
  // not wait. `list_dispatcher` runs GetMatchEnd, GetTableLog, ExportPlayer and DeletePlayer, so
  // that they do not delay moves.
  GrpcTableAdminService(int cell, std::function<std::uint64_t()> free_tables, TableService& tables,
                        TableStore& store, PlayerDataStore& players, HostRouter& router,
                        rpc::Dispatcher& dispatcher, rpc::Dispatcher& list_dispatcher)
      : cell_(cell),
        free_tables_(std::move(free_tables)),
        tables_(tables),
        store_(store),
        players_(players),
        router_(router),
        dispatcher_(dispatcher),
        list_dispatcher_(list_dispatcher) {}

  grpc::ServerUnaryReactor* CreateTable(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  // If another replica hosts a table of the batch, sends the request for this table to that
  // replica. Makes the remaining tables here.
  grpc::ServerUnaryReactor* BatchCreateTables(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetCapacity(grpc::CallbackServerContext* context,
                                        const v1::GetCapacityRequest* request,
                                        v1::GetCapacityResponse* response) override;
  grpc::ServerUnaryReactor* VoidDeal(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* EndMatch(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  // Reads the end of the match from the store, so it needs no call to the table's host.
  grpc::ServerUnaryReactor* GetMatchEnd(grpc::CallbackServerContext* context,
                                        const v1::GetMatchEndRequest* request,
                                        v1::GetMatchEndResponse* response) override;
  // Reads the log from the store, so it needs no call to the table's host.
  grpc::ServerUnaryReactor* GetTableLog(grpc::CallbackServerContext* context,
                                        const v1::GetTableLogRequest* request,
                                        v1::GetTableLogResponse* response) override;
  grpc::ServerUnaryReactor* ExportPlayer(grpc::CallbackServerContext* context,
                                         const v1::ExportPlayerRequest* request,
                                         v1::ExportPlayerResponse* response) override;
  grpc::ServerUnaryReactor* DeletePlayer(grpc::CallbackServerContext* context,
                                         const v1::DeletePlayerRequest* request,
                                         v1::DeletePlayerResponse* response) override;

 private:
  struct Batch;

  // Makes the tables of the batch that this replica hosts. `places` has the indexes of their
  // requests.
  void CreateHere(const std::shared_ptr<Batch>& batch, const std::vector<int>& places);

  const int cell_;
  const std::function<std::uint64_t()> free_tables_;
  TableService& tables_;
  TableStore& store_;
  PlayerDataStore& players_;
  HostRouter& router_;
  rpc::Dispatcher& dispatcher_;
  rpc::Dispatcher& list_dispatcher_;
};

}  // namespace tarot::rules_service
