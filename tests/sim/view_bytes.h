// Turns a view into bytes, so that two views can be compared.
#pragma once

#include <string>

#include "services/rules/app/table_state.h"

namespace tarot::sim {

// Returns bytes that contain everything in a view except the time at which the turn ends. This time
// changes after an outage.
std::string ViewBytes(const rules_service::TableView& view);

}  // namespace tarot::sim
