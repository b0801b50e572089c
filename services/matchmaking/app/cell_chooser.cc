#include "services/matchmaking/app/cell_chooser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

CellChooser::CellChooser(const std::vector<int>& cells, Metrics& metrics) {
  TAROT_CHECK(!cells.empty());
  for (const int cell : cells) {
    cells_[cell];
    if (cells.size() == 1) continue;  // Such a cell is never asked.
    cells_[cell].gauge = &metrics.cell_tables_free.Add({{"rules_cell", absl::StrCat(cell)}});
  }
}

void CellChooser::Start(Executor& executor, CapacityClient& client) {
  if (cells_.size() == 1) return;
  const auto ask = [this, &client] {
    for (const auto& [cell, state] : cells_) {
      client.GetCapacity(cell, [this, number = cell](const absl::StatusOr<std::uint64_t>& answer) {
        SetFreeTables(number, answer.ok() ? std::optional(*answer) : std::nullopt);
      });
    }
  };
  executor.Run(ask);
  executor.RunEvery(kCapacityEvery, ask, [] {});
}

std::optional<int> CellChooser::Choose(Entropy& entropy,
                                       const std::function<bool(int cell)>& allows) {
  const std::lock_guard lock(mutex_);
  if (cells_.size() == 1) {
    const int only = cells_.begin()->first;
    return allows(only) ? std::optional(only) : std::nullopt;
  }
  std::map<int, std::uint64_t> weights;
  std::uint64_t sum = 0;
  for (const auto& [cell, state] : cells_) {
    if (state.free_tables == 0 || !allows(cell)) continue;
    weights[cell] = state.free_tables;
    sum += state.free_tables;
  }
  if (sum == 0) return std::nullopt;
  std::uint64_t point = entropy.NewSeed() % sum;
  for (const auto& [cell, weight] : weights) {
    if (point < weight) {
      --cells_.at(cell).free_tables;
      return cell;
    }
    point -= weight;
  }
  return std::nullopt;  // The loop always returns, because `point` is below the sum.
}

bool CellChooser::WaitsForAnAnswer() {
  const std::lock_guard lock(mutex_);
  return cells_.size() > 1 && std::any_of(cells_.begin(), cells_.end(),
                                          [](const auto& cell) { return !cell.second.answered; });
}

void CellChooser::NoteAway(int cell) { SetFreeTables(cell, std::nullopt); }

void CellChooser::SetFreeTables(int cell, std::optional<std::uint64_t> free_tables) {
  const std::lock_guard lock(mutex_);
  const auto found = cells_.find(cell);
  if (found == cells_.end() || found->second.gauge == nullptr) return;
  found->second.answered = free_tables.has_value();
  found->second.free_tables = free_tables.value_or(0);
  found->second.gauge->Set(static_cast<double>(found->second.free_tables));
}

}  // namespace tarot::matchmaking_service
