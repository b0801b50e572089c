#include "services/rules/transport/reachability.h"

#include "services/rules/limits.h"

namespace tarot::rules_service {

bool Reachability::Reached(bool heard, const cluster::NodeList& nodes,
                           const std::string& own_address) {
  const bool answered = answered_->exchange(false);
  silent_ = heard || answered ? 0 : silent_ + 1;
  bool alone = true;
  for (const std::string& address : nodes) {
    if (address == own_address) continue;
    alone = false;
    ping_(address, [flag = answered_] { *flag = true; });
  }
  if (alone) silent_ = 0;
  return silent_ <= kSilentHeartbeatsMax;
}

}  // namespace tarot::rules_service
