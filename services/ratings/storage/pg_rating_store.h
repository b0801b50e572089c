// Declares the RatingStore on Postgres. It uses the schema `ratings`.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

// Makes the store. Before this call, the schema must be at its newest version: pg::Migrate(dsn,
// "ratings", Migrations()).
std::unique_ptr<RatingStore> MakePgRatingStore(const std::string& dsn, int connections,
                                               prometheus::Registry& registry);

}  // namespace tarot::ratings_service
