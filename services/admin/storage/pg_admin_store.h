// Stores the calls of operators and the flags of collusion in Postgres, with statements that only
// insert and select. Thread-safe.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "services/admin/app/admin_store.h"

namespace tarot::admin_service {

// `registry` must outlive the result.
std::unique_ptr<AdminStore> MakePgAdminStore(const std::string& dsn, int connections,
                                             prometheus::Registry& registry);

}  // namespace tarot::admin_service
