// RatingStore on Postgres, schema `ratings`.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// Makes the store. The schema must be at its newest version: pg::Migrate(dsn, "ratings",
// Migrations()).
std::unique_ptr<RatingStore> MakePgRatingStore(const std::string& dsn, int connections,
                                               prometheus::Registry& registry);

}  // namespace tarot::ratings_service
