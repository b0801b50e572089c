// Asks for a table; the answer arrives later.
#pragma once

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

class TableClient {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  virtual ~TableClient() = default;
  // The same table may be asked for again: it is made once. `done` is called on any thread: late,
  // or even never.
  virtual void CreateTable(const Queue& queue, const PlannedTable& table, Done done) = 0;
};

}  // namespace tarot::matchmaking_service
