// Plays matches of random rule sets on the real application layer and its gRPC services, with all
// kinds of calls. After each step, every seat and a stranger read the table, the lists, the score
// sheet and the records. No message may contain a card that its viewer must not know, or a seed
// that is still secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/notation/names.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/status/wire.h"
#include "libs/testkit/manual_time.h"
#include "libs/wire/convert.h"
#include "services/rules/app/record_service.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/record_service.h"
#include "services/rules/transport/table_service.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tarot/gateway/v1/session_service.pb.h"
#include "tarot/matchmaking/v1/friend_service.pb.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/matchmaking/v1/room_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/rule_set_service.pb.h"
#include "tests/hidden_cards/public_messages.h"
#include "tools/load/check/known_cards.h"

namespace tarot::hidden_cards {
namespace {

using rules::CardSet;
using rules::Seat;
using rules_service::LogEntry;
using rules_service::TableState;
using ::testing::IsEmpty;

namespace v1 = rules::v1;

// Follows the log of a table, and knows which cards each seat may look at.
class Follower {
 public:
  void Add(const TableState& state, const LogEntry& entry) {
    const rules::Deal& deal = state.match.deal;
    if (const auto* start = std::get_if<rules_service::DealStarted>(&entry.body)) {
      known_.Deal(deal);
      seeds_.push_back(start->start->provenance.seed);
      ends_.emplace_back();
    } else if (const auto* action = std::get_if<rules::Action>(&entry.body)) {
      if (action->kind == rules::Action::Kind::kPlay) before_card_ = known_;
      known_.Act(deal, *action);
    } else if (const auto* claimed = std::get_if<rules_service::TricksClaimed>(&entry.body)) {
      for (const rules::Card card : claimed->cards) known_.Act(deal, rules::Action::Play(card));
    } else if (std::holds_alternative<rules_service::DealVoided>(entry.body)) {
      known_.Void(deal);
    } else if (TakesBack(entry.body)) {
      known_ = before_card_;
    }
    if (state.next != nullptr) next_seed_ = state.next->seed;
    over_ = state.match.Finished();
    if (ends_.empty()) return;
    scored_ = !state.match.DealRunning() && deal.result.outcome == rules::Outcome::kScored;
    ends_.back() = {.open = known_.Of(rules::kNoSeat), .scored = scored_};
  }

  // Returns the cards of the running deal that `viewer` may look at. If no deal runs, returns such
  // cards of the last deal.
  CardSet Known(Seat viewer) const { return ends_.empty() ? CardSet() : known_.Of(viewer); }

  // Returns the open cards of a finished deal. The hands of a deal without a score are closed until
  // the match is over.
  CardSet Open(int deal) const {
    const auto at = static_cast<std::size_t>(deal - 1);
    if (deal < 1 || at >= ends_.size()) return {};
    return ends_[at].scored || over_ ? CardSet::All() : ends_[at].open;
  }

  // Returns whether `bytes` contain a part of the seed of a closed deal or of the next deal.
  bool TellsASeed(const std::string& bytes) const {
    const auto tells = [&bytes](const dealing::DealSeed& seed) {
      return absl::StrContains(bytes, std::string(seed.begin(), seed.begin() + 8));
    };
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
      if (!ends_[i].scored && !over_ && tells(seeds_[i])) return true;
    }
    return tells(next_seed_);
  }

 private:
  struct End {
    CardSet open;
    bool scored = false;
  };

  check::KnownCards known_, before_card_;
  std::vector<dealing::DealSeed> seeds_;  // By deal.
  std::vector<End> ends_;                 // By deal.
  dealing::DealSeed next_seed_{};
  bool scored_ = false;
  bool over_ = false;
};

// The application layer of the rules service with its gRPC services, in virtual time.
class HiddenCardsTest : public testing::Test {
 protected:
  HiddenCardsTest() {
    tables_.set_on_changed([](const std::shared_ptr<const TableState>&) {});
    tables_.set_on_commit_unknown([](TableId) {});
    server_ = rpc::Server::Start({}, {&table_service_, record_service_.get()}).value();
    const auto channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", server_->port()));
    table_stub_ = v1::TableService::NewStub(channel);
    record_stub_ = v1::RecordService::NewStub(channel);
  }
  ~HiddenCardsTest() override {
    server_->Shutdown();
    router_.Stop();
    scheduler_.Stop();
    call_workers_.Stop();
  }

  std::shared_ptr<const TableState> State() { return (*memory_.Get(table_))->Snapshot(); }
  PlayerId PlayerOf(Seat seat) {
    return seat == rules::kNoSeat ? stranger_
                                  : State()->config->seats[static_cast<std::size_t>(seat)].player;
  }

  // Calls `method` for the viewer, who has a seat or is a stranger, and inspects the answer.
  template <typename Stub, typename Request, typename Response>
  absl::Status Call(Seat viewer, Stub& stub,
                    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response) {
    grpc::ClientContext context;
    identity_.Sign(context, {.player = PlayerOf(viewer), .display_name = "P"});
    const absl::Status status = status::FromGrpc((stub.*method)(&context, request, response));
    ++calls_;
    Follow();
    if (status.ok()) {
      Inspect(viewer, *response);
    } else {
      InspectError(viewer, request, status);
    }
    return status;
  }
  template <typename Request, typename Response>
  absl::Status CallTable(Seat viewer,
                         grpc::Status (v1::TableService::Stub::*method)(grpc::ClientContext*,
                                                                        const Request&, Response*),
                         Request request) {
    request.set_name(rules_service::TableName(table_));
    Response response;
    return Call(viewer, *table_stub_, method, request, &response);
  }

  // Reads the new entries of the log.
  void Follow() {
    const auto stored = store_.Load(table_);
    ASSERT_TRUE(stored.ok()) << stored.status();
    for (; followed_.revision < static_cast<int>(stored->log.size());) {
      const LogEntry& entry = stored->log[static_cast<std::size_t>(followed_.revision)];
      ASSERT_TRUE(Advance(followed_, entry).ok());
      follower_.Add(followed_, entry);
      if (TakesBack(entry.body)) ++cards_back_;
      if (std::holds_alternative<rules_service::TricksClaimed>(entry.body)) ++claims_;
      if (std::holds_alternative<rules_service::DealVoided>(entry.body)) ++voids_;
    }
  }

  void Inspect(Seat viewer, const google::protobuf::Message& message) {
    ++messages_;
    const OpenCards open = [this](int deal) { return follower_.Open(deal); };
    EXPECT_THAT(Leaks(message, follower_.Known(viewer), open), IsEmpty())
        << "viewer " << viewer << ", revision " << followed_.revision << "\n"
        << message.ShortDebugString();
    EXPECT_FALSE(follower_.TellsASeed(message.SerializeAsString())) << message.ShortDebugString();
  }

  // An error may name a card of the request, a card that the viewer may look at, or the called
  // card.
  void InspectError(Seat viewer, const google::protobuf::Message& request,
                    const absl::Status& status) {
    ++errors_;
    EXPECT_FALSE(follower_.TellsASeed(status.ToString()));
    const auto metadata = GetErrorDetails(status).metadata;
    const auto named = metadata.find("card");
    if (named == metadata.end()) return;
    const auto card = notation::ParseCardName(named->second);
    ASSERT_TRUE(card) << named->second;
    const auto* submit = dynamic_cast<const v1::SubmitActionRequest*>(&request);
    const bool asked = submit != nullptr && submit->action().play().card() ==
                                                static_cast<std::uint32_t>(rules::Index(*card));
    EXPECT_TRUE(asked || follower_.Known(viewer).Contains(*card) ||
                State()->match.deal.called_card == *card)
        << status;
  }

  // Until the called card falls, only the view of the partner may name the partner.
  void InspectPartner(Seat viewer, const v1::DealView& view) {
    const rules::Deal& deal = State()->match.deal;
    if (!view.has_partner() || deal.phase == rules::Phase::kDone) return;
    CardSet played;
    for (int i = 0; i < deal.trick_count; ++i) {
      const rules::Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
      for (int at = 0; at < trick.size; ++at)
        played.Insert(trick.cards[static_cast<std::size_t>(at)]);
    }
    EXPECT_TRUE(viewer == deal.partner || played.Contains(deal.called_card))
        << "viewer " << viewer << ", revision " << followed_.revision;
  }

  // Reads the table for every seat and a stranger: by GetTable, and from the bytes of the feed.
  void ReadTable() {
    const rules_service::EncodedTable encoded(State());
    for (Seat viewer = rules::kNoSeat; viewer < State()->match.players; ++viewer) {
      v1::GetTableRequest request;
      request.set_name(rules_service::TableName(table_));
      v1::GetTableResponse response;
      ASSERT_TRUE(
          Call(viewer, *table_stub_, &v1::TableService::Stub::GetTable, request, &response).ok());
      InspectPartner(viewer, response.table().deal());
      grpc::ByteBuffer bytes = encoded.Response(viewer);
      v1::WatchTableResponse watched;
      ASSERT_TRUE(
          grpc::SerializationTraits<v1::WatchTableResponse>::Deserialize(&bytes, &watched).ok());
      Inspect(viewer, watched);
      InspectPartner(viewer, watched.table().deal());
    }
  }

  void ReadLists() {
    for (const Seat viewer : {rules::kNoSeat, 0}) {
      v1::ListTablesResponse tables;
      v1::ListTablesRequest list;
      list.set_show_finished(true);
      EXPECT_TRUE(
          Call(viewer, *table_stub_, &v1::TableService::Stub::ListTables, list, &tables).ok());
      v1::GetScoreSheetRequest sheet;
      sheet.set_name(rules_service::TableName(table_));
      v1::GetScoreSheetResponse lines;
      EXPECT_TRUE(
          Call(viewer, *record_stub_, &v1::RecordService::Stub::GetScoreSheet, sheet, &lines).ok());
      v1::ListRecordsRequest records;
      records.set_table(rules_service::TableName(table_));
      v1::ListRecordsResponse page;
      EXPECT_TRUE(
          Call(viewer, *record_stub_, &v1::RecordService::Stub::ListRecords, records, &page).ok());
      for (int deal = 1; deal <= State()->match.deals_dealt + 1; ++deal) {
        v1::GetRecordRequest get;
        get.set_name(rules_service::DealName(table_, deal));
        v1::GetRecordResponse record;
        if (Call(viewer, *record_stub_, &v1::RecordService::Stub::GetRecord, get, &record).ok()) {
          ++records_read_;
          EXPECT_EQ(follower_.Open(deal), CardSet::All()) << "deal " << deal;
        }
      }
    }
  }

  void NewTable(const rules::RuleSet& rules, int players, Rng& rng) {
    rules_service::TableConfig config{.id = TableId{entropy_.NewUuid()},
                                      .rule_set = rules::RuleSetText(rules),
                                      .rules = rules,
                                      .deal_count = 2,
                                      .move_limit = absl::Seconds(30),
                                      .time_bank = absl::Seconds(30),
                                      .take_back = true,
                                      .breaks = true};
    for (int seat = 0; seat < players; ++seat) {
      config.seats.push_back({.player = PlayerId{entropy_.NewUuid()}, .display_name = "P"});
    }
    if (rng.Below(2) == 0) config.seats.back().bot_level = "novice";
    table_ = config.id;
    const auto made = tables_.Create(config);
    ASSERT_TRUE(made.ok()) << made.status();
    followed_ = NewTableState();
    follower_ = Follower();
  }
  TableState NewTableState() {
    return rules_service::NewTable(
        std::make_shared<const rules_service::TableConfig>(store_.Load(table_).value().config));
  }

  std::string NewRequest() { return entropy_.NewUuid().ToString(); }
  static void Ignore(const absl::StatusOr<rules_service::SeatView>&) {}

  // Lets a player of a paused table answer the proposal, or end the break.
  void EndPause(Rng& rng) {
    const auto state = State();
    const Seat seat = rng.Below(state->match.players);
    if (!state->proposal) {
      v1::EndBreakRequest request;
      request.set_request_id(NewRequest());
      CallTable(seat, &v1::TableService::Stub::EndBreak, request).IgnoreError();
      return;
    }
    v1::AnswerProposalRequest request;
    request.set_proposal_revision(state->proposal->revision);
    request.set_agree(rng.Below(8) > 0);
    request.set_request_id(NewRequest());
    CallTable(seat, &v1::TableService::Stub::AnswerProposal, request).IgnoreError();
  }

  // Makes a call that is no move: a phrase, a mute, a nonce, a proposal or a claim.
  void Disturb(Rng& rng) {
    const auto state = State();
    const Seat seat = rng.Below(state->match.players);
    switch (rng.Below(6)) {
      case 0: {
        v1::SayPhraseRequest request;
        request.set_phrase(v1::SaidPhrase::HELLO);
        request.set_request_id(NewRequest());
        CallTable(seat, &v1::TableService::Stub::SayPhrase, request).IgnoreError();
        return;
      }
      case 1: {
        v1::MuteSeatRequest request;
        request.set_seat(static_cast<std::uint32_t>(rng.Below(state->match.players)));
        request.set_muted(true);
        request.set_request_id(NewRequest());
        CallTable(seat, &v1::TableService::Stub::MuteSeat, request).IgnoreError();
        return;
      }
      case 2: {
        v1::AddNonceRequest request;
        request.set_deal_number(static_cast<std::uint32_t>(state->match.deals_dealt + 1));
        request.set_nonce("nonce");
        request.set_request_id(NewRequest());
        CallTable(seat, &v1::TableService::Stub::AddNonce, request).IgnoreError();
        return;
      }
      case 3: {
        v1::ProposeRequest request;
        const bool take_back = rng.Below(4) > 0;
        request.set_kind(take_back ? v1::Proposal::TAKE_BACK : v1::Proposal::BREAK);
        request.set_request_id(NewRequest());
        const Seat last = state->TakeBackSeat();
        CallTable(take_back && last != rules::kNoSeat ? last : seat,
                  &v1::TableService::Stub::Propose, request)
            .IgnoreError();
        return;
      }
      case 4: {
        v1::ClaimTricksRequest request;
        request.set_expected_revision(state->revision);
        request.set_request_id(NewRequest());
        CallTable(state->match.DealRunning() ? state->match.deal.turn : seat,
                  &v1::TableService::Stub::ClaimTricks, request)
            .IgnoreError();
        return;
      }
      default: {
        // The service may refuse this action: perhaps the seat does not hold the card, or the rules
        // forbid the card.
        v1::SubmitActionRequest request;
        request.set_expected_revision(state->revision);
        request.mutable_action()->mutable_play()->set_card(
            static_cast<std::uint32_t>(rng.Below(rules::kCardCount)));
        request.set_request_id(NewRequest());
        CallTable(seat, &v1::TableService::Stub::SubmitAction, request).IgnoreError();
        return;
      }
    }
  }

  void Move(Rng& rng) {
    const auto state = State();
    const Seat seat = state->match.deal.turn;
    const rules::Action action = rules::RandomAction(state->match.deal, rng);
    if (state->config->seats[static_cast<std::size_t>(seat)].bot()) {
      tables_.SubmitForSeat(
          {.table = table_, .expected_revision = state->revision, .seat = seat, .action = action},
          Ignore);
      return Follow();
    }
    v1::SubmitActionRequest request;
    request.set_expected_revision(state->revision);
    wire::EncodeAction(action, request.mutable_action());
    request.set_request_id(NewRequest());
    ASSERT_TRUE(CallTable(seat, &v1::TableService::Stub::SubmitAction, request).ok());
  }

  void PlayMatch(Rng& rng) {
    for (int step = 0; !State()->match.Finished(); ++step) {
      ASSERT_LT(step, 5000);
      time_.Advance(absl::Seconds(1));
      const auto state = State();
      if (state->Paused()) {
        EndPause(rng);
      } else if (rng.Below(6) == 0) {
        Disturb(rng);
      } else if (!state->match.DealRunning()) {
        tables_.DealNext(table_, state->revision, Ignore);
        Follow();
      } else if (rng.Below(400) == 0) {
        tables_.VoidDeal(table_,
                         {.request = RequestId{entropy_.NewUuid()},
                          .deal_number = state->match.deals_dealt,
                          .reason = "a test"},
                         Ignore);
        Follow();
      } else {
        ASSERT_NO_FATAL_FAILURE(Move(rng));
      }
      ASSERT_NO_FATAL_FAILURE(ReadTable());
      if (step % 20 == 0) ReadLists();
      if (HasFailure()) return;
    }
    ReadLists();
  }

  testkit::ManualTime time_;
  SeededEntropy entropy_{15};
  const PlayerId stranger_{entropy_.NewUuid()};
  rules_service::FakeTableStore store_;
  prometheus::Registry registry_;
  rules_service::Metrics metrics_{registry_};
  rules_service::TableRegistry memory_{store_, 1000, time_};
  rules_service::HostsAll hosting_;
  ScopedScheduler scheduler_{time_};
  InlineWorkerPool workers_;
  rules_service::GroupAppender appender_{store_, workers_, time_, scheduler_, metrics_, {}};
  rules_service::TableService tables_{store_, appender_,  memory_,  hosting_, workers_,
                                      time_,  scheduler_, entropy_, metrics_};
  rules_service::RecordService records_{store_};
  rpc::CallMetrics server_calls_{rpc::Side::kServer, registry_};
  rpc::CallMetrics client_calls_{rpc::Side::kClient, registry_};
  rpc::Authenticator identity_{rpc::KeyRing({{"k1", std::string(32, 'k')}}), time_};
  ThreadWorkerPool call_workers_{1, 100};
  rpc::Dispatcher dispatcher_{time_, call_workers_, identity_, server_calls_};
  rules_service::HostRouter router_{hosting_, identity_, time_, client_calls_, metrics_.hosting};
  rules_service::TableViews views_;
  rules_service::ListGatherer gatherer_{{}, dispatcher_, identity_, time_, client_calls_};
  rules_service::GrpcTableService table_service_{tables_,   store_,      views_,     router_,
                                                 gatherer_, dispatcher_, dispatcher_};
  std::unique_ptr<grpc::Service> record_service_ =
      rules_service::MakeRecordService(records_, router_, gatherer_, dispatcher_);
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::TableService::Stub> table_stub_;
  std::unique_ptr<v1::RecordService::Stub> record_stub_;

  TableId table_;
  TableState followed_;
  Follower follower_;
  int calls_ = 0, messages_ = 0, errors_ = 0, records_read_ = 0;
  int cards_back_ = 0, claims_ = 0, voids_ = 0;
};

TEST_F(HiddenCardsTest, NoMessageTellsItsViewerAHiddenCard) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const rules::RuleSet rules = rules::RandomRuleSet(rng);
    const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
    SCOPED_TRACE(absl::StrCat(rules::RuleSetText(rules), " n=", players, " seed=", seed));
    ASSERT_NO_FATAL_FAILURE(NewTable(rules, players, rng));
    ASSERT_NO_FATAL_FAILURE(PlayMatch(rng));
    if (HasFailure()) return;
  }
  EXPECT_GT(messages_, 10000);
  EXPECT_GT(errors_, 500);
  EXPECT_GT(records_read_, 100);
  EXPECT_GT(cards_back_, 30);
  EXPECT_GT(claims_, 0);
  EXPECT_GT(voids_, 0);
}

// Checks the answers of the gateway and of the services to which the gateway forwards calls. Each
// field of an answer needs an entry in public_messages.
TEST(PublicMessagesTest, EveryFieldIsKnownToHoldACardOrNone) {
  const std::vector<const google::protobuf::FileDescriptor*> files = {
      v1::GetTableRequest::descriptor()->file(),
      v1::GetRecordRequest::descriptor()->file(),
      v1::ListRuleSetsRequest::descriptor()->file(),
      matchmaking::v1::GetTicketRequest::descriptor()->file(),
      matchmaking::v1::GetRoomRequest::descriptor()->file(),
      matchmaking::v1::ListFriendsRequest::descriptor()->file(),
      ratings::v1::GetRatingRequest::descriptor()->file(),
      bot::v1::AnalyzeDealRequest::descriptor()->file(),
      gateway::v1::CreateGuestSessionRequest::descriptor()->file()};
  for (const google::protobuf::FileDescriptor* file : files) {
    ASSERT_GT(file->service_count(), 0) << file->name();
    for (int i = 0; i < file->service(0)->method_count(); ++i) {
      const google::protobuf::MethodDescriptor& method = *file->service(0)->method(i);
      EXPECT_THAT(UnknownFields(*method.output_type()), IsEmpty()) << method.full_name();
    }
  }
}

// Returns the fields with cards in `message` and in the messages inside it.
void AddCardFields(const google::protobuf::Descriptor& message, std::vector<std::string>& fields) {
  for (int i = 0; i < message.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *message.field(i);
    if (KindOf(field).value_or(FieldKind::kCard) != FieldKind::kPlain) {
      fields.push_back(field.full_name());
    }
    if (field.message_type() != nullptr) AddCardFields(*field.message_type(), fields);
  }
}

TEST(PublicMessagesTest, MessagesAboutPeopleHoldNoCard) {
  for (const google::protobuf::FileDescriptor* file :
       {matchmaking::v1::GetTicketRequest::descriptor()->file(),
        matchmaking::v1::GetRoomRequest::descriptor()->file(),
        matchmaking::v1::ListFriendsRequest::descriptor()->file(),
        ratings::v1::GetRatingRequest::descriptor()->file(),
        gateway::v1::CreateGuestSessionRequest::descriptor()->file()}) {
    for (int i = 0; i < file->service(0)->method_count(); ++i) {
      std::vector<std::string> fields;
      AddCardFields(*file->service(0)->method(i)->output_type(), fields);
      EXPECT_THAT(fields, IsEmpty()) << file->service(0)->method(i)->full_name();
    }
  }
}

TEST(PublicMessagesTest, FindsAHiddenCardInEachPartOfATable) {
  const OpenCards closed = [](int) { return CardSet(); };
  v1::Table table;
  table.mutable_deal()->add_hand(3);
  EXPECT_THAT(Leaks(table, CardSet{rules::CardAt(3)}, closed), IsEmpty());
  table.mutable_deal()->add_tricks()->add_cards(4);
  table.mutable_deal()->add_handfuls()->add_cards(60);
  table.mutable_deal()->mutable_legal()->add_cards(5);
  table.mutable_deal()->mutable_result()->add_petit_sec_hand(56);
  EXPECT_EQ(Leaks(table, CardSet{rules::CardAt(3)}, closed).size(), 4u);
  v1::DealRecord record;
  record.set_name("tables/x/deals/2");
  record.set_seed(std::string(64, 's'));
  record.add_dog(7);
  EXPECT_EQ(Leaks(record, CardSet::All(), closed).size(), 2u);
  EXPECT_THAT(Leaks(record, CardSet(), [](int) { return CardSet::All(); }), IsEmpty());
  v1::ScoreSheet sheet;
  sheet.add_deals()->set_number(1);
  sheet.mutable_deals(0)->add_handfuls()->add_cards(70);
  EXPECT_EQ(Leaks(sheet, CardSet::All(), closed).size(), 1u);
}

}  // namespace
}  // namespace tarot::hidden_cards
