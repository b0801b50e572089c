// A view as bytes: two views are the same when their bytes are.
#pragma once

#include <string>

#include "services/rules/app/table_view.h"

namespace tarot::sim {

// Everything that a view shows but the end of the turn, which moves when a server was away.
std::string ViewBytes(const rules_service::TableView& view);

}  // namespace tarot::sim
