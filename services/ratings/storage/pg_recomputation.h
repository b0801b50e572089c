// Declares the Recomputation on Postgres.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// Begins a recomputation, with two connections of its own. See RatingStore::BeginRecomputation().
absl::StatusOr<std::unique_ptr<Recomputation>> BeginPgRecomputation(const std::string& dsn);

}  // namespace tarot::ratings_service
