// Defines a Hosting in which this replica hosts every table.
#pragma once

#include <string>

#include "services/rules/app/hosting.h"

namespace tarot::rules_service {

class HostsAll final : public Hosting {
 public:
  std::string HostOf(TableId) const override { return ""; }
  bool Fresh() const override { return true; }
};

}  // namespace tarot::rules_service
