// Identities of services for tests, made by deploy/identity/identity.sh as in production.
#pragma once

#include <cstdlib>
#include <string>

#include "libs/base/check.h"
#include "libs/rpc/service_keys.h"
#include "libs/rpc/tls.h"

namespace tarot::rpc {

class Identities {
 public:
  // `folder` must not exist.
  explicit Identities(std::string folder) : folder_(std::move(folder)) {}

  // Runs a command of the script, for example Run("make", "rules bot").
  void Run(const std::string& command, const std::string& services = "") const {
    const std::string line = std::string(TAROT_SOURCE_DIR) + "/deploy/identity/identity.sh " +
                             command + " " + folder_ + " " + services;
    TAROT_CHECK(std::system(line.c_str()) == 0);
  }

  const std::string& folder() const { return folder_; }
  std::string ca() const { return folder_ + "/public/ca.pem"; }
  std::string pem(const std::string& service) const { return folder_ + "/" + service + "/tls.pem"; }
  TlsFiles Tls(const std::string& service) const {
    return {.cert = pem(service), .key = pem(service), .ca = ca()};
  }
  ServiceKeyFiles Keys(const std::string& service) const {
    return {.service = service,
            .shared = "",
            .signing = folder_ + "/" + service + "/signing.keys",
            .services = folder_ + "/public/service.keys"};
  }

 private:
  const std::string folder_;
};

}  // namespace tarot::rpc
