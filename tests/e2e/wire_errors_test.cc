// Sends bad input through the gateway. Each case must get the status and reason of docs/errors.md
// and change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <pqxx/pqxx>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

using testkit::HasReason;
using testkit::IsOk;

namespace v1 = ::tarot::rules::v1;

class WireErrorsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new Cluster({.population = 0}); }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }

  std::shared_ptr<grpc::Channel> ChannelTo(const std::string& service) {
    return rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster_->port(service)));
  }

  // Seats four people at a table through a ranked queue. Waits until the first deal runs.
  void Seat() {
    for (const char* name : {"Ana", "Bo", "Chloé", "Driss"})
      people_.push_back(cluster_->SignIn(name));
    std::vector<std::string> tickets;
    for (auto& person : people_) {
      matchmaking::v1::CreateTicketRequest request;
      request.set_queue("queues/ranked4");
      request.set_request_id(person->NewRequestId());
      const auto created = person->Call(&client::Matchmaking::CreateTicket, request);
      ASSERT_THAT(created.status(), IsOk());
      tickets.push_back(created->ticket().name());
    }
    ASSERT_TRUE(Eventually(absl::Seconds(30), [&] {
      matchmaking::v1::GetTicketRequest get;
      get.set_name(tickets[0]);
      const auto ticket = people_[0]->Call(&client::Matchmaking::GetTicket, get);
      table_ = ticket.ok() ? ticket->ticket().table() : "";
      return !table_.empty() && Get(0).state() == v1::Table::PLAYING;
    }));
  }

  v1::Table Get(std::size_t person) {
    v1::GetTableRequest request;
    request.set_name(table_);
    const auto response = people_[person]->Call(&client::Tables::GetTable, request);
    EXPECT_THAT(response.status(), IsOk());
    return response.ok() ? response->table() : v1::Table();
  }

  // Returns the index of the person whose turn it is.
  std::size_t PersonInTurn() {
    for (std::size_t i = 0; i < people_.size(); ++i) {
      const v1::Table table = Get(i);
      if (table.viewer() == table.deal().turn()) return i;
    }
    return 0;
  }

  v1::SubmitActionRequest PassBy(std::size_t person) {
    v1::SubmitActionRequest request;
    request.set_name(table_);
    request.set_expected_revision(Get(person).revision());
    request.mutable_action()->mutable_bid()->set_contract(v1::PASS);
    request.set_request_id(people_[person]->NewRequestId());
    return request;
  }

  absl::Status Submit(std::size_t person, const v1::SubmitActionRequest& request) {
    return people_[person]->Call(&client::Tables::SubmitAction, request).status();
  }

  static Cluster* cluster_;
  std::vector<std::unique_ptr<client::Client>> people_;
  std::string table_;
};

Cluster* WireErrorsTest::cluster_ = nullptr;

TEST_F(WireErrorsTest, RefusesEachBadActionWithItsReason) {
  Seat();
  const std::size_t turn = PersonInTurn();
  const std::size_t other = (turn + 1) % 4;
  const int revision = Get(turn).revision();
  const auto spoilt = [&](auto spoil) {
    v1::SubmitActionRequest request = PassBy(turn);
    spoil(request);
    return Submit(turn, request);
  };
  using Request = v1::SubmitActionRequest;
  EXPECT_THAT(spoilt([](Request& r) { r.set_name("table/1"); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(spoilt([](Request& r) { r.set_request_id("once"); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(spoilt([](Request& r) { r.clear_action(); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(spoilt([](Request& r) { r.mutable_action()->mutable_play()->set_card(99); }),
              HasReason("BAD_REQUEST"));
  EXPECT_THAT(spoilt([](Request& r) { r.set_name("tables/00000000-0000-4000-8000-000000000000"); }),
              HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(spoilt([](Request& r) { r.set_expected_revision(0); }),
              HasReason("REVISION_MISMATCH"));
  EXPECT_THAT(spoilt([](Request& r) { r.mutable_action()->mutable_play()->set_card(56); }),
              HasReason("ILLEGAL_CARD"));
  EXPECT_THAT(spoilt([](Request& r) { r.mutable_action()->mutable_slam()->set_announce(true); }),
              HasReason("ILLEGAL_ACTION"));
  EXPECT_THAT(Submit(other, PassBy(other)), HasReason("NOT_YOUR_TURN"));
  const auto stranger = cluster_->SignIn("Stranger");
  EXPECT_THAT(stranger->Call(&client::Tables::SubmitAction, PassBy(turn)).status(),
              HasReason("NOT_SEATED"));
  const absl::Status oversized = spoilt([](Request& r) {
    for (int i = 0; i < 200'000; ++i) r.mutable_action()->mutable_discard()->add_cards(1);
  });
  EXPECT_TRUE(absl::IsResourceExhausted(oversized)) << oversized;
  EXPECT_EQ(Get(turn).revision(), revision);

  const v1::SubmitActionRequest good = PassBy(turn);
  EXPECT_THAT(Submit(turn, good), IsOk());
  EXPECT_THAT(Submit(turn, good), IsOk()) << "the same request again";
  EXPECT_EQ(Get(turn).revision(), revision + 1);
}

TEST_F(WireErrorsTest, NonceIsForTheNextDealAndStays) {
  Seat();
  v1::AddNonceRequest request;
  request.set_name(table_);
  request.set_deal_number(Get(0).next_deal().deal_number());
  request.set_nonce("heads");
  request.set_request_id(people_[0]->NewRequestId());
  EXPECT_EQ(Get(0).next_deal().seed_commitment().size(), 32u);
  const auto add = [&](const v1::AddNonceRequest& r) {
    return people_[0]->Call(&client::Tables::AddNonce, r);
  };
  const auto added = add(request);
  ASSERT_THAT(added.status(), IsOk());
  const v1::Table& table = added->table();
  EXPECT_EQ(table.next_deal().nonces(static_cast<int>(table.viewer())), "heads");
  EXPECT_THAT(add(request).status(), IsOk()) << "the same request again";
  request.set_request_id(people_[0]->NewRequestId());
  EXPECT_THAT(add(request).status(), HasReason("NONCE_REFUSED")) << "it stays";
  request.set_deal_number(request.deal_number() - 1);
  EXPECT_THAT(add(request).status(), HasReason("NONCE_REFUSED")) << "that one has begun";
  request.set_nonce(std::string(33, 'x'));
  EXPECT_THAT(add(request).status(), HasReason("BAD_REQUEST"));
}

TEST_F(WireErrorsTest, PhrasesReachEachPlayerWhoHasNotMutedTheSeat) {
  Seat();
  const std::uint32_t speaker = Get(0).viewer();
  v1::MuteSeatRequest mute;
  mute.set_name(table_);
  mute.set_request_id(people_[1]->NewRequestId());
  mute.set_muted(true);
  const auto muted = [&] { return people_[1]->Call(&client::Tables::MuteSeat, mute).status(); };
  EXPECT_THAT(muted(), HasReason("BAD_REQUEST")) << "no seat";
  mute.set_seat(Get(1).viewer());
  EXPECT_THAT(muted(), HasReason("BAD_REQUEST")) << "the own seat";
  mute.set_seat(speaker);
  EXPECT_THAT(muted(), IsOk());

  v1::SayPhraseRequest say;
  say.set_name(table_);
  say.set_request_id(people_[0]->NewRequestId());
  const auto said = [&] { return people_[0]->Call(&client::Tables::SayPhrase, say).status(); };
  EXPECT_THAT(said(), HasReason("BAD_REQUEST")) << "no phrase";
  say.set_phrase(static_cast<v1::SaidPhrase::Phrase>(7));
  EXPECT_THAT(said(), HasReason("BAD_REQUEST"));
  say.set_phrase(v1::SaidPhrase::HELLO);
  const auto stranger = cluster_->SignIn("Kibitzer");
  EXPECT_THAT(stranger->Call(&client::Tables::SayPhrase, say).status(), HasReason("NOT_SEATED"));
  EXPECT_THAT(said(), IsOk());
  EXPECT_THAT(said(), IsOk()) << "the same request again";
  say.set_request_id(people_[0]->NewRequestId());
  EXPECT_THAT(said(), HasReason("TALK_LIMITED"));
  EXPECT_EQ(Get(0).phrases().at(speaker).phrase(), v1::SaidPhrase::HELLO);
  EXPECT_EQ(Get(1).phrases().at(speaker).phrase(), v1::SaidPhrase::PHRASE_UNSPECIFIED);
  EXPECT_EQ(Get(0).muted_seats_size(), 0);
  EXPECT_EQ(Get(1).muted_seats_size(), 1);
}

TEST_F(WireErrorsTest, ProposalsNeedAnOptionOfTheTable) {
  Seat();
  v1::ProposeRequest propose;
  propose.set_name(table_);
  propose.set_request_id(people_[0]->NewRequestId());
  const auto proposed = [&] {
    return people_[0]->Call(&client::Tables::Propose, propose).status();
  };
  EXPECT_THAT(proposed(), HasReason("BAD_REQUEST")) << "no kind";
  propose.set_kind(static_cast<v1::Proposal::Kind>(3));
  EXPECT_THAT(proposed(), HasReason("BAD_REQUEST"));
  propose.set_kind(v1::Proposal::BREAK);
  EXPECT_THAT(proposed(), HasReason("PROPOSAL_REFUSED"));
  const auto stranger = cluster_->SignIn("Kibitzer");
  EXPECT_THAT(stranger->Call(&client::Tables::Propose, propose).status(), HasReason("NOT_SEATED"));

  v1::AnswerProposalRequest answer;
  answer.set_name(table_);
  answer.set_request_id(people_[1]->NewRequestId());
  answer.set_proposal_revision(1);
  EXPECT_THAT(people_[1]->Call(&client::Tables::AnswerProposal, answer).status(),
              HasReason("NO_PROPOSAL"));
  v1::EndBreakRequest end;
  end.set_name(table_);
  end.set_request_id("no UUID");
  EXPECT_THAT(people_[1]->Call(&client::Tables::EndBreak, end).status(), HasReason("BAD_REQUEST"));
  end.set_request_id(people_[1]->NewRequestId());
  EXPECT_THAT(people_[1]->Call(&client::Tables::EndBreak, end).status(), IsOk())
      << "No break runs.";
}

// With the trace id of a call, an operator finds what each process did for this call. In this test,
// one call is refused, and another call waits for Postgres.
TEST_F(WireErrorsTest, ATraceShowsTheHopsOfAFailedAndOfASlowCall) {
  Seat();
  const auto hops = [&](const std::string& trace) {
    EXPECT_TRUE(Eventually(absl::Seconds(10), [&] {
      return absl::StrContains(cluster_->LogOf("gateway"), trace) &&
             absl::StrContains(cluster_->LogOf("rules"), trace);
    })) << trace;
    const std::string logs = cluster_->directory();
    std::string text;
    FILE* const pipe = popen(absl::StrCat(TAROT_BIN_DIR "/tarotctl trace ", trace, " ", logs,
                                          "/gateway.log ", logs, "/rules.log 2>&1")
                                 .c_str(),
                             "r");
    char part[4096];
    for (std::size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
    EXPECT_EQ(pclose(pipe), 0) << text;
    const std::size_t gateway = text.find("gateway ");
    EXPECT_NE(gateway, std::string::npos) << text;
    EXPECT_LT(gateway, text.find("rules  ")) << text;
    return text;
  };
  v1::EndBreakRequest end;
  end.set_name(table_);
  end.set_request_id("no UUID");
  const absl::Status refused = people_[0]->Call(&client::Tables::EndBreak, end).status();
  EXPECT_THAT(hops(client::TraceOf(refused)), testing::HasSubstr("BAD_REQUEST"));

  const std::size_t turn = PersonInTurn();

  pqxx::connection postgres(cluster_->dsn());
  pqxx::work lock(postgres);
  lock.exec("LOCK TABLE rules.table_actions IN EXCLUSIVE MODE");
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + people_[turn]->session().token());
  context.AddMetadata("traceparent", "00-" + trace + "-00f067aa0ba902b7-00");
  const v1::SubmitActionRequest pass = PassBy(turn);
  std::thread mover([&, stub = v1::TableService::NewStub(ChannelTo("gateway"))] {
    v1::SubmitActionResponse response;
    EXPECT_THAT(status::FromGrpc(stub->SubmitAction(&context, pass, &response)), IsOk());
  });
  // A move that takes more than 250 ms counts as slow. This move waits until the lock is released.
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  lock.commit();
  mover.join();
  EXPECT_THAT(hops(trace), testing::ContainsRegex("OK in [0-9.]+ ms.* in rules"));
}

TEST_F(WireErrorsTest, WatcherSeesNoHand) {
  Seat();
  const auto stranger = cluster_->SignIn("Kibitzer");
  v1::GetTableRequest request;
  request.set_name(table_);
  const auto seen = stranger->Call(&client::Tables::GetTable, request);
  ASSERT_THAT(seen.status(), IsOk());
  EXPECT_FALSE(seen->table().has_viewer());
  EXPECT_EQ(seen->table().deal().hand_size(), 0);
  EXPECT_EQ(seen->table().deal().dog_size(), 0);
  EXPECT_EQ(seen->table().deal().discard_size(), 0);
  EXPECT_EQ(seen->table().seed_commitment().size(), 32u);
  EXPECT_EQ(Get(0).deal().hand_size(), 18);
}

TEST_F(WireErrorsTest, RefusesCallsWithoutATokenAndInternalMethods) {
  const auto gateway = ChannelTo("gateway");
  v1::GetTableRequest get;
  v1::GetTableResponse got;
  for (const char* token : {"", "Bearer nonsense", "Bearer a.b.c"}) {
    grpc::ClientContext context;
    if (*token != 0) context.AddMetadata("authorization", token);
    const absl::Status status =
        status::FromGrpc(v1::TableService::NewStub(gateway)->GetTable(&context, get, &got));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
    EXPECT_THAT(status, HasReason("BAD_TOKEN"));
  }
  const auto someone = cluster_->SignIn("Someone");
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + someone->session().token());
  v1::CreateTableRequest create;
  v1::CreateTableResponse created;
  EXPECT_EQ(
      v1::TableAdminService::NewStub(gateway)->CreateTable(&context, create, &created).error_code(),
      grpc::StatusCode::UNIMPLEMENTED);

  // Calls the rules service directly, without the signed caller that the gateway adds.
  grpc::ClientContext forged;
  forged.AddMetadata("x-tarot-caller", someone->session().token());
  EXPECT_EQ(v1::TableAdminService::NewStub(ChannelTo("rules"))
                ->CreateTable(&forged, create, &created)
                .error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(WireErrorsTest, FloodAffectsOnlyItsSender) {
  const auto flooder = cluster_->SignIn("Flooder");
  const auto neighbour = cluster_->SignIn("Neighbour");
  const auto stub = v1::TableService::NewStub(ChannelTo("gateway"));
  bool limited = false;
  for (int i = 0; i < 2000 && !limited; ++i) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + flooder->session().token());
    v1::ListTablesRequest request;
    v1::ListTablesResponse response;
    const absl::Status status = status::FromGrpc(stub->ListTables(&context, request, &response));
    limited = absl::IsResourceExhausted(status);
    if (limited) {
      EXPECT_THAT(status, HasReason("RATE_LIMITED"));
    }
  }
  EXPECT_TRUE(limited);
  EXPECT_THAT(neighbour->Call(&client::Tables::ListTables, v1::ListTablesRequest()).status(),
              IsOk());
}

TEST_F(WireErrorsTest, RefereeRefusesInvalidRequests) {
  const auto referee = v1::RefereeService::NewStub(ChannelTo("rules"));
  const auto score = [&](auto fill) {
    v1::ScoreDealRequest request;
    request.set_rule_set("fft");
    request.set_player_count(4);
    request.set_contract(v1::GARDE);
    request.set_bouts(2);
    request.set_attack_half_points(82);
    fill(request);
    v1::ScoreDealResponse response;
    grpc::ClientContext context;
    return status::FromGrpc(referee->ScoreDeal(&context, request, &response));
  };
  using Request = v1::ScoreDealRequest;
  EXPECT_THAT(score([](Request&) {}), IsOk());
  EXPECT_THAT(score([](Request& r) { r.set_rule_set("bridge"); }), HasReason("RULE_SET_NOT_FOUND"));
  EXPECT_THAT(score([](Request& r) { r.set_player_count(6); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(score([](Request& r) { r.set_bouts(4); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(score([](Request& r) { r.set_attack_half_points(183); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(score([](Request& r) { r.set_contract(v1::PASS); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(score([](Request& r) { r.add_attack_handfuls(4); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(score([](Request& r) { r.set_attack_half_points(83); }), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::e2e
