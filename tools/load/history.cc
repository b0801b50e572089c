#include "tools/load/history.h"

#include <zlib.h>

#include <array>
#include <chrono>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tarot::load {
namespace {

using Kind = Event::Kind;

// A kind of line: its first word, and the letters of the fields after the time and the client. Each
// letter stands for one field: t for a table, p for a player, r for a request, a for an attempt, v
// for a revision, s for a stream, w for a word, and b for bytes.
struct Shape {
  Kind kind;
  const char* word;
  const char* fields;
};
constexpr Shape kShapes[] = {
    {Kind::kSeat, "seat", "tp"},         {Kind::kCall, "call", "travb"},
    {Kind::kOk, "ok", "trav"},           {Kind::kRefused, "refused", "traw"},
    {Kind::kUnknown, "unknown", "traw"}, {Kind::kView, "view", "tsvb"},
    {Kind::kFault, "fault", "w"},        {Kind::kHealed, "healed", "w"},
    {Kind::kOdd, "odd", "tw"},           {Kind::kEnd, "end", ""},
};

std::string FormatField(const Event& event, char field) {
  switch (field) {
    case 't':
      return event.table.ToString();
    case 'p':
      return event.player.ToString();
    case 'r':
      return event.request.ToString();
    case 'a':
      return absl::StrCat(event.attempt);
    case 'v':
      return absl::StrCat(event.revision);
    case 's':
      return absl::StrCat(event.stream);
    case 'w':
      return event.text;
    default:
      return absl::Base64Escape(event.bytes);
  }
}

template <typename SomeId>
bool ParseId(absl::string_view text, SomeId& out) {
  const std::optional<SomeId> id = SomeId::Parse(text);
  if (id) out = *id;
  return id.has_value();
}

bool ParseField(absl::string_view text, char field, Event& event) {
  switch (field) {
    case 't':
      return ParseId(text, event.table);
    case 'p':
      return ParseId(text, event.player);
    case 'r':
      return ParseId(text, event.request);
    case 'a':
      return absl::SimpleAtoi(text, &event.attempt);
    case 'v':
      return absl::SimpleAtoi(text, &event.revision);
    case 's':
      return absl::SimpleAtoi(text, &event.stream);
    case 'w':
      event.text = std::string(text);
      return !text.empty();
    default:
      return absl::Base64Unescape(text, &event.bytes);
  }
}

}  // namespace

std::int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string FormatEvent(const Event& event) {
  for (const Shape& shape : kShapes) {
    if (shape.kind != event.kind) continue;
    std::string line = absl::StrCat(shape.word, " ", event.time_us, " ", event.client);
    for (const char* field = shape.fields; *field != 0; ++field) {
      absl::StrAppend(&line, " ", FormatField(event, *field));
    }
    return line;
  }
  return "";
}

std::optional<Event> ParseEvent(absl::string_view line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
  for (const Shape& shape : kShapes) {
    const absl::string_view fields = shape.fields;
    if (parts[0] != shape.word || parts.size() != 3 + fields.size()) continue;
    Event event{.kind = shape.kind};
    bool good =
        absl::SimpleAtoi(parts[1], &event.time_us) && absl::SimpleAtoi(parts[2], &event.client);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      good = good && ParseField(parts[3 + i], fields[i], event);
    }
    if (good) return event;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<HistoryWriter>> HistoryWriter::Create(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb1");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat("cannot write ", path));
  gzbuffer(file, 1 << 18);
  return std::unique_ptr<HistoryWriter>(new HistoryWriter(file));
}

HistoryWriter::~HistoryWriter() { gzclose(static_cast<gzFile>(file_)); }

void HistoryWriter::Write(const Event& event) {
  const std::string line = FormatEvent(event) + "\n";
  const std::lock_guard lock(mutex_);
  gzwrite(static_cast<gzFile>(file_), line.data(), static_cast<unsigned>(line.size()));
}

absl::Status ReadHistory(const std::string& path, const std::function<void(const Event&)>& each) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  gzbuffer(file, 1 << 18);
  std::vector<char> line(1 << 20);  // A view takes some kilobytes.
  absl::Status status;
  for (long number = 1; status.ok() && gzgets(file, line.data(), 1 << 20) != nullptr; ++number) {
    absl::string_view text(line.data());
    if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const std::optional<Event> event = ParseEvent(text);
    if (event) {
      each(*event);
    } else {
      status =
          absl::DataLossError(absl::StrCat(path, ": line ", number, " is not a line of a history"));
    }
  }
  int error = Z_OK;
  const char* what = gzerror(file, &error);
  if (status.ok() && error != Z_OK && error != Z_STREAM_END) {
    status = absl::DataLossError(absl::StrCat(path, ": ", what));
  }
  gzclose(file);
  return status;
}

}  // namespace tarot::load
