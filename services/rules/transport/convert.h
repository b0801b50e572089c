// Tables and records, domain ↔ proto. Deals and actions are libs/wire's.
#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/auth.h"
#include "services/rules/app/record_service.h"
#include "services/rules/app/table_service.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tarot/rules/v1/table_admin_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;  // The wire; the domain is ::tarot::rules.

void EncodeTable(const TableView& view, v1::Table* out);
// Without the deal: names, seats, totals, state.
void EncodeTableSummary(const TableView& view, v1::Table* out);

// All shape checks happen here, once; the app sees only well-formed commands.
absl::StatusOr<SubmitCommand> Decode(const v1::SubmitActionRequest& request);
absl::StatusOr<NonceCommand> Decode(const v1::AddNonceRequest& request);
absl::StatusOr<TableConfig> Decode(const v1::CreateTableRequest& request);

void EncodeRecord(const DealRecord& record, v1::DealRecord* out);
void EncodeRecordSummary(const DealRecord& record, v1::DealRecord* out);

}  // namespace tarot::rules_service
