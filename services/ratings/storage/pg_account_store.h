// Declares the AccountStore on Postgres. It uses the schema `ratings`.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "services/ratings/app/account_store.h"

namespace tarot::ratings_service {

// Makes the store. The store has connections of its own, so calls about accounts take no connection
// from other calls. The schema must be at its newest version, as for MakePgRatingStore().
std::unique_ptr<AccountStore> MakePgAccountStore(const std::string& dsn, int connections,
                                                 prometheus::Registry& registry);

}  // namespace tarot::ratings_service
