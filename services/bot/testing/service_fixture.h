// A fixture that runs the bot service on a free port of the loopback interface.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "services/bot/service.h"
#include "tarot/bot/v1/bot_service.grpc.pb.h"

namespace tarot::bot_service {

namespace v1 = ::tarot::bot::v1;

class BotServiceTest : public testing::Test {
 protected:
  // Starts the service with an address of rules at which no server listens.
  void SetUp() override { StartBots("127.0.0.1:1"); }
  void StartBots(const std::string& rules_address) {
    key_file_ = absl::StrCat(testing::TempDir(), "bot_keys_", getpid());
    std::ofstream(key_file_) << "k1:a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=\n";
    chmod(key_file_.c_str(), 0600);
    auto service = StartService({.listen_address = "127.0.0.1:0",
                                 .internal_key_file = key_file_,
                                 .rules_address = rules_address},
                                {clock_, scheduler_, entropy_, registry_});
    ASSERT_TRUE(service.ok()) << service.status();
    service_ = *std::move(service);
    stub_ = v1::BotService::NewStub(rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port())));
  }
  void TearDown() override { unlink(key_file_.c_str()); }

  absl::Status Choose(const v1::ChooseActionRequest& request, v1::ChooseActionResponse* response,
                      const rpc::Caller& caller = {.service = "rules"}) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(10));
    rpc::Authenticator(*rpc::KeyRing::FromFile(key_file_), clock_).Sign(context, caller);
    return status::FromGrpc(stub_->ChooseAction(&context, request, response));
  }

  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  std::string key_file_;
  std::unique_ptr<rpc::Service> service_;
  std::unique_ptr<v1::BotService::Stub> stub_;
};

}  // namespace tarot::bot_service
