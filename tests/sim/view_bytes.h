// Turns a view into bytes, so that two views can be compared.
#pragma once

#include <string>

#include "services/rules/app/table_state.h"

namespace tarot::sim {

// Returns bytes that cover everything in a view except the end of the turn, which moves after an
// outage.
std::string ViewBytes(const rules_service::TableView& view);

}  // namespace tarot::sim
