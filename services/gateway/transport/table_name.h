// Which table a request is about, from its bytes or its text.
#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>

#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::gateway {

// Of "tables/{uuid}"; nothing for any other text.
std::optional<TableId> ParseTableName(absl::string_view name);

// Of a request whose first field is the name of a table, as in most methods of TableService.
std::optional<TableId> PeekTable(const grpc::ByteBuffer& request);

}  // namespace tarot::gateway
