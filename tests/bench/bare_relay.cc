// The two server processes of the bare relay, "backend" and "relay". They show how much CPU time
// gRPC alone needs for a move. A move passes the same hops and streams as in the platform, in
// messages of the same size, but none of the platform's code runs.
//
//   bare_relay backend DATABASE ANSWER SHARED OWN:
//     This process replaces rules. It stores each move as a row that is as wide as a stored action.
//     Moves that wait share one statement. When the row is durable, the process writes an answer of
//     ANSWER bytes to the stream of moves, and a frame of SHARED + 4 * OWN bytes to the stream of
//     frames.
//   bare_relay relay BACKEND_ADDRESS ANSWER SHARED OWN:
//     This process replaces the gateway. "/bare/Move" is a unary call. Its message goes to the
//     backend on one stream for all players, and its answer comes back on that stream.
//     "/bare/Watch" is a server stream. It gets SHARED + OWN bytes of each frame of its table.
//
// As in the platform, messages that wait for a stream share one gRPC message. When a write to a
// watcher is over, the watcher gets the newest frame. The processes use gRPC's callback API and
// libpqxx directly, and records of a fixed form instead of protobuf. Each process prints its port
// and ends at a signal.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tarot::bench {
namespace {

using Bytes = grpc::ByteBuffer;

// One record of a stream's message. In the message, a record is a number, a size, and the bytes.
struct Record {
  std::uint64_t number;
  std::string_view bytes;
};

void Append(std::string& out, std::uint64_t number, std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out.append(bytes);
}

bool TakeRecord(std::string_view& in, Record& record) {
  std::uint32_t size = 0;
  if (in.size() < sizeof record.number + sizeof size) return false;
  std::memcpy(&record.number, in.data(), sizeof record.number);
  std::memcpy(&size, in.data() + sizeof record.number, sizeof size);
  in.remove_prefix(sizeof record.number + sizeof size);
  record.bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

std::string ToString(const Bytes& bytes) {
  std::vector<grpc::Slice> slices;
  std::string out;
  if (!bytes.Dump(&slices).ok()) return out;
  out.reserve(bytes.Length());
  for (const grpc::Slice& slice : slices) {
    out.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return out;
}

Bytes ToBytes(std::string_view text) {
  const grpc::Slice slice(text.data(), text.size());
  return Bytes(&slice, 1);
}

// Returns the number with which a message begins, for example the number of a move's table.
std::uint64_t NumberOf(std::string_view bytes) {
  std::uint64_t number = 0;
  if (bytes.size() >= sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

// One side of a stream that carries records. `Reactor` is gRPC's class for that side.
template <typename Reactor>
class RecordStream : public Reactor {
 public:
  void Send(std::uint64_t number, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    Append(waiting_, number, bytes);
    WriteLocked();
  }

 protected:
  virtual void OnRecord(const Record& record) = 0;

  void ReadNext() { this->StartRead(&read_); }
  void OnReadDone(bool ok) override {
    if (!ok) return OnReadsEnd();
    const std::string text = ToString(read_);
    std::string_view rest = text;
    for (Record record; TakeRecord(rest, record);) OnRecord(record);
    ReadNext();
  }
  virtual void OnReadsEnd() = 0;
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok) WriteLocked();
  }

 private:
  void WriteLocked() {
    if (writing_ || waiting_.empty()) return;
    writing_ = true;
    write_ = ToBytes(waiting_);
    waiting_.clear();
    this->StartWrite(&write_);
  }

  std::mutex mutex_;
  bool writing_ = false;
  std::string waiting_;
  Bytes read_, write_;
};

// --- The backend.

struct Sizes {
  std::size_t answer = 0, shared = 0, own = 0;
};

// Stores moves on a thread of its own. One statement stores all moves that wait.
class Writer {
 public:
  struct Row {
    std::uint64_t table = 0;
    std::function<void()> stored;
  };

  explicit Writer(const std::string& database) : database_(database) {
    pqxx::connection connection(database);
    pqxx::nontransaction(connection)
        .exec0(
            "DROP TABLE IF EXISTS public.bare_actions;"
            "CREATE TABLE public.bare_actions (LIKE rules.table_actions INCLUDING ALL)");
    std::thread([this] { Run(); }).detach();  // The thread runs until the process ends.
  }

  void Add(Row row) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(row));
    changed_.notify_one();
  }

 private:
  void Run() {
    pqxx::connection connection(database_);
    connection.prepare(
        "append",
        "INSERT INTO public.bare_actions"
        " SELECT i.table_id, i.revision, i.request_id, i.kind, i.actor, i.seat, i.payload,"
        "        i.elapsed_us, 'epoch'::timestamptz + i.create_us * interval '1 microsecond'"
        " FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::smallint[], $5::smallint[],"
        "             $6::smallint[], $7::bytea[], $8::bigint[], $9::bigint[])"
        "   AS i (table_id, revision, request_id, kind, actor, seat, payload, elapsed_us,"
        "         create_us)"
        " RETURNING table_id, request_id, revision");
    while (true) {
      std::vector<Row> rows;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !waiting_.empty(); });
        rows.swap(waiting_);
      }
      Store(connection, rows);
      for (const Row& row : rows) row.stored();
    }
  }

  void Store(pqxx::connection& connection, const std::vector<Row>& rows) {
    // Each string becomes an array argument of the statement. The statement uses `small` for three
    // columns and `time` for two, because the values of these columns do not matter, only their
    // sizes.
    std::string table = "{", request = "{", payload = "{", revision = "{", small = "{", time = "{";
    const char* comma = "";
    for (const Row& row : rows) {
      char uuid[37];
      std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012llx",
                    static_cast<unsigned long long>(row.table));
      table.append(comma).append(uuid);
      ++revision_;
      // The multiplication spreads the keys over the index, as random ids are spread.
      std::snprintf(uuid, sizeof uuid, "%08x-0000-4000-8000-%012x",
                    static_cast<unsigned>(revision_) * 2'654'435'769u,
                    static_cast<unsigned>(revision_));
      request.append(comma).append(uuid);
      payload.append(comma).append("\"\\\\x0804\"");
      revision.append(comma).append(std::to_string(revision_));
      small.append(comma).append("1");
      time.append(comma).append("1795222923000004");
      comma = ",";
    }
    for (std::string* array : {&table, &request, &payload, &revision, &small, &time}) {
      array->push_back('}');
    }
    pqxx::nontransaction tx(connection);
    tx.exec_prepared_n(rows.size(), "append", table, revision, request, small, small, small,
                       payload, time, time);
  }

  const std::string database_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Row> waiting_;
  int revision_ = 0;  // Makes each row's key unique. Only thread_ uses this member.
};

class Backend final : public grpc::CallbackGenericService {
 public:
  Backend(const std::string& database, Sizes sizes)
      : sizes_(sizes), answer_(sizes.answer, 'x'), writer_(database) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto* const stream = new Stream(*this, context->method() == "/bare/Frames");
    stream->Begin();
    return stream;
  }

 private:
  class Stream final : public RecordStream<grpc::ServerGenericBidiReactor> {
   public:
    Stream(Backend& owner, bool frames) : owner_(owner), frames_(frames) {}
    void Begin() {
      if (frames_) {
        const std::lock_guard lock(owner_.mutex_);
        owner_.frames_.insert(this);
      }
      ReadNext();
    }

   private:
    // A move's message begins with the number of its table.
    void OnRecord(const Record& record) override {
      const std::uint64_t call = record.number, table = NumberOf(record.bytes);
      owner_.writer_.Add({.table = table, .stored = [this, call, table] {
                            Send(call, owner_.answer_);
                            owner_.SendFrame(table);
                          }});
    }
    // The relay closes its side of the stream only after it has got all answers. So the writer has
    // no callback left that uses this stream.
    void OnReadsEnd() override {
      {
        const std::lock_guard lock(owner_.mutex_);
        owner_.frames_.erase(this);
      }
      Finish(grpc::Status::OK);
    }
    void OnDone() override { delete this; }

    Backend& owner_;
    const bool frames_;
  };

  void SendFrame(std::uint64_t table) {
    const std::lock_guard lock(mutex_);
    std::string& frame = frame_of_[table];
    frame.resize(std::max(sizeof(std::uint64_t), sizes_.shared + 4 * sizes_.own));
    const std::uint64_t revision = NumberOf(frame) + 1;
    std::memcpy(frame.data(), &revision, sizeof revision);
    for (Stream* stream : frames_) stream->Send(table, frame);
  }

  const Sizes sizes_;
  const std::string answer_;
  std::mutex mutex_;
  std::set<Stream*> frames_;
  // The newest frame of each table. A frame begins with the table's revision.
  std::unordered_map<std::uint64_t, std::string> frame_of_;
  Writer writer_;
};

// --- The relay.

class Relay final : public grpc::CallbackGenericService {
 public:
  Relay(std::shared_ptr<grpc::Channel> backend, Sizes sizes)
      : sizes_(sizes),
        stub_(std::move(backend)),
        moves_(*this, "/bare/Moves"),
        frames_(*this, "/bare/Frames") {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (context->method() == "/bare/Watch") return new Watch(*this);
    return new Move(*this);
  }

 private:
  // A stream to the backend.
  using ClientReactor = grpc::ClientBidiReactor<Bytes, Bytes>;
  class Upstream final : public RecordStream<ClientReactor> {
   public:
    Upstream(Relay& owner, const char* method) : owner_(owner), frames_(method[6] == 'F') {
      owner_.stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
      AddHold();
      ReadNext();
      StartCall();
    }

   private:
    void OnRecord(const Record& record) override {
      frames_ ? owner_.Show(record) : owner_.Answer(record);
    }
    void OnReadsEnd() override { RemoveHold(); }
    // The backend has closed the stream, so this process ends.
    void OnDone(const grpc::Status&) override { std::exit(0); }

    Relay& owner_;
    const bool frames_;
    grpc::ClientContext context_;
  };

  // A unary call of a player.
  class Move final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Move(Relay& owner) : owner_(owner) { StartRead(&message_); }
    void Answer(std::string_view bytes) {
      message_ = ToBytes(bytes);
      StartWriteAndFinish(&message_, {}, grpc::Status::OK);
    }

   private:
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::CANCELLED);
      const std::string request = ToString(message_);
      owner_.moves_.Send(owner_.Keep(this), request);
    }
    void OnDone() override { delete this; }

    Relay& owner_;
    Bytes message_;
  };

  // A player's stream of views. The request is the number of the table.
  class Watch final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Watch(Relay& owner) : owner_(owner) { StartRead(&message_); }
    void Show(const std::shared_ptr<const std::string>& view) {
      const std::lock_guard lock(mutex_);
      waiting_ = view;
      WriteLocked();
    }

   private:
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::CANCELLED);
      table_ = NumberOf(ToString(message_));
      const std::lock_guard lock(owner_.mutex_);
      owner_.watches_[table_].insert(this);
    }
    void OnWriteDone(bool ok) override {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      if (ok) WriteLocked();
    }
    void WriteLocked() {
      if (writing_ || waiting_ == nullptr || over_) return;
      writing_ = true;
      message_ = ToBytes(*waiting_);
      waiting_ = nullptr;
      StartWrite(&message_);
    }
    void OnCancel() override {
      {
        const std::lock_guard lock(owner_.mutex_);
        owner_.watches_[table_].erase(this);
      }
      const std::lock_guard lock(mutex_);
      over_ = true;
      Finish(grpc::Status::CANCELLED);
    }
    void OnDone() override { delete this; }

    Relay& owner_;
    std::uint64_t table_ = 0;
    std::mutex mutex_;
    bool writing_ = false, over_ = false;
    std::shared_ptr<const std::string> waiting_;
    Bytes message_;
  };

  std::uint64_t Keep(Move* move) {
    const std::lock_guard lock(mutex_);
    calls_[++last_call_] = move;
    return last_call_;
  }
  void Answer(const Record& record) {
    Move* move = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = calls_.find(record.number);
      if (found == calls_.end()) return;
      move = found->second;
      calls_.erase(found);
    }
    move->Answer(record.bytes);
  }
  void Show(const Record& record) {
    const auto view =
        std::make_shared<const std::string>(record.bytes.substr(0, sizes_.shared + sizes_.own));
    const std::lock_guard lock(mutex_);
    for (Watch* watch : watches_[record.number]) watch->Show(view);
  }

  const Sizes sizes_;
  grpc::GenericStub stub_;
  std::mutex mutex_;
  std::uint64_t last_call_ = 0;
  std::unordered_map<std::uint64_t, Move*> calls_;
  std::unordered_map<std::uint64_t, std::set<Watch*>> watches_;
  Upstream moves_, frames_;
};

int Main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr,
                 "usage: %s relay|backend ADDRESS|DATABASE ANSWER_BYTES SHARED_BYTES OWN_BYTES\n",
                 argv[0]);
    return 1;
  }
  const auto size = [&](int i) { return static_cast<std::size_t>(std::atoll(argv[i])); };
  const Sizes sizes{.answer = size(3), .shared = size(4), .own = size(5)};
  std::unique_ptr<grpc::CallbackGenericService> service;
  if (std::string(argv[1]) == "backend") {
    service = std::make_unique<Backend>(argv[2], sizes);
  } else {
    service = std::make_unique<Relay>(
        grpc::CreateChannel(argv[2], grpc::InsecureChannelCredentials()), sizes);
  }
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(service.get());
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::printf("%d\n", port);
  std::fflush(stdout);
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) { return tarot::bench::Main(argc, argv); }
