// Makes tables for a load, as matchmaking does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tools/load/options.h"

namespace tarot::load {

struct TableKind {
  const char* rule_set;
  int seats;
};
// Returns the kind of table at which group number `group` plays.
TableKind KindOf(const Options& options, int group);

class TableMaker {
 public:
  // Returns NOT_FOUND if there is no internal key file.
  static absl::StatusOr<std::unique_ptr<TableMaker>> Create(const Options& options, Clock& clock);

  // Makes the ranked table tables/{uuid} for `players` and the bots of the options. A second call
  // for the same table does nothing. Waits for the answer. The errors are those of CreateTable.
  absl::Status Make(const std::string& table, const std::string& rule_set,
                    const std::vector<std::string>& players);

 private:
  TableMaker(const Options& options, rpc::KeyRing keys, Clock& clock);

  const Options& options_;
  rpc::Authenticator identity_;
  std::unique_ptr<rules::v1::TableAdminService::Stub> rules_;
};

}  // namespace tarot::load
