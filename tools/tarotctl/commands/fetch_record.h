// A finished deal from the gateway.
#pragma once

#include <optional>
#include <string>

#include "tarot/rules/v1/record_service.pb.h"
#include "tools/cli/exit_code.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// Of TABLE/N, or the record's own name tables/TABLE/deals/N. nullopt when it could not be read: why
// is told on err, and `exit_code` set.
std::optional<rules::v1::GetRecordResponse> FetchRecord(Context& context, const std::string& typed,
                                                        cli::ExitCode& exit_code);

}  // namespace tarot::tarotctl
