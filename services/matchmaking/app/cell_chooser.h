// Chooses the cell of each new table (libs/base/cell.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "libs/base/entropy.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Thread-safe.
class CellChooser {
 public:
  // `cells` are the cells that get new tables, at least one.
  CellChooser(const std::vector<int>& cells, Metrics& metrics);

  // If there are several cells, asks each of them for its capacity now and every kCapacityEvery.
  // Until the first answer, a cell gets no tables. Stop the executor before you destroy `client`.
  void Start(Executor& executor, CapacityClient& client);

  // Returns one of the cells for which `allows` returns true. The chance of a cell is in proportion
  // to its number of free tables. Returns nullopt if no such cell has a free table. If there is
  // only one cell, its number of free tables does not matter: the cell refuses a table for which it
  // has no room.
  std::optional<int> Choose(Entropy& entropy, const std::function<bool(int cell)>& allows);

  // Returns true if it is unknown for some cell whether it has a free table: the cell has not
  // answered yet, or not in time.
  bool WaitsForAnAnswer();

  // Call this function if it is unknown whether the cell has made a table. The cell gets no new
  // tables until its next answer about its capacity.
  void NoteAway(int cell);

 private:
  // Without a number, the cell has not answered.
  void SetFreeTables(int cell, std::optional<std::uint64_t> free_tables);

  struct Cell {
    bool answered = false;
    // The last answer, minus the tables chosen since. 0 if the cell did not answer.
    std::uint64_t free_tables = 0;
    prometheus::Gauge* gauge = nullptr;  // Null if there is only one cell.
  };

  std::mutex mutex_;
  std::map<int, Cell> cells_;
};

}  // namespace tarot::matchmaking_service
