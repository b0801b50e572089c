// A finished deal from the gateway.
#pragma once

#include <optional>
#include <string>

#include "tarot/rules/v1/record_service.pb.h"
#include "tools/cli/exit_code.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// Reads the record of TABLE/N or tables/TABLE/deals/N. On an error, writes it to err, sets
// `exit_code` and returns nullopt.
std::optional<rules::v1::GetRecordResponse> FetchRecord(Context& context, const std::string& typed,
                                                        cli::ExitCode& exit_code);

}  // namespace tarot::tarotctl
