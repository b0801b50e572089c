#include "services/matchmaking/app/rating_book.h"

namespace tarot::matchmaking_service {
namespace {

constexpr int kPriorRating = 1500;
// Beyond this everything is forgotten and asked for again: bounded memory at no book-keeping.
constexpr std::size_t kEntriesMax = 200'000;

}  // namespace

std::vector<PlayerId> RatingBook::Missing(absl::Span<const Ticket> tickets,
                                          int player_count) const {
  std::vector<PlayerId> missing;
  for (const Ticket& ticket : tickets) {
    if (!asked_.contains(ticket.id) || !known_.contains({ticket.player, player_count})) {
      missing.push_back(ticket.player);
    }
  }
  return missing;
}

void RatingBook::Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count) {
  if (known_.size() > kEntriesMax || asked_.size() > kEntriesMax) {
    known_.clear();
    asked_.clear();
  }
  for (const auto& [player, rating] : ratings) known_[{player, player_count}] = rating;
  for (const Ticket& ticket : tickets) {
    if (ratings.contains(ticket.player)) asked_.insert(ticket.id);
  }
}

int RatingBook::Of(PlayerId player, int player_count) const {
  const auto found = known_.find({player, player_count});
  return found == known_.end() ? kPriorRating : found->second;
}

}  // namespace tarot::matchmaking_service
