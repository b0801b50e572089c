#include "tools/cli/records.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "libs/wire/finished_deal.h"
#include "libs/wire/rule_set.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tools/cli/program.h"
#include "tools/cli/text.h"

namespace tarot::cli {
namespace {

using notation::Check;
using notation::Document;
using notation::Record;
using notation::Slot;
using notation::Truth;
using rules::v1::DealRecord;

std::string Mark(Truth truth, const TextStyle& style) {
  switch (truth) {
    case Truth::kTrue:
      return "ok";
    case Truth::kFalse:
      return style.Paint(Tone::kBold, "FALSE");
    case Truth::kUnknown:
      return "-";
  }
  return "";
}

// Returns the JSON of a record without the rule parameters that earlier versions had and that are
// constants now.
absl::StatusOr<std::string> CurrentJson(absl::string_view text) {
  google::protobuf::Struct tree;
  const google::protobuf::StringPiece piece(text.data(), text.size());
  auto status = google::protobuf::util::JsonStringToMessage(piece, &tree);
  if (!status.ok()) return BadRequest("record", std::string(status.message()));
  google::protobuf::Struct* record = &tree;
  if (tree.fields().contains("record")) {
    record = (*tree.mutable_fields())["record"].mutable_struct_value();
  }
  if (!record->fields().contains("rules")) return std::string(text);
  google::protobuf::Value& rules = (*record->mutable_fields())["rules"];
  TAROT_RETURN_IF_ERROR(wire::RemoveConstants(rules.mutable_struct_value(), "record.rules"));
  std::string json;
  status = google::protobuf::util::MessageToJsonString(tree, &json);
  if (!status.ok()) return BadRequest("record", std::string(status.message()));
  return json;
}

}  // namespace

absl::StatusOr<Document> ToDocument(const DealRecord& in) {
  TAROT_ASSIGN_OR_RETURN(Document document, wire::DecodeRecord(in, "record"));
  Record& record = document.record;
  record.site = Safe(record.site);
  record.round = Safe(record.round);
  for (std::string& name : record.names) name = Safe(name);
  // In `record` the dealer is the last seat.
  const auto players = static_cast<std::uint32_t>(in.players_size());
  for (std::uint32_t seat = 0; seat < players; ++seat) {
    const auto chair = static_cast<int>((in.dealer() + 1 + seat) % players);
    std::string& name = record.names[seat];
    if (!in.players(chair).bot_level().empty()) name = absl::StrCat("bot ", name);
  }
  for (auto& [tag, value] : record.tags) value = Safe(value);
  return document;
}

absl::StatusOr<std::vector<Document>> ParseRecords(absl::string_view text) {
  if (notation::IsArchive(text)) {
    TAROT_ASSIGN_OR_RETURN(const auto parts, notation::SplitArchive(text));
    std::vector<Document> documents;
    for (const absl::string_view part : parts) {
      TAROT_ASSIGN_OR_RETURN(documents.emplace_back(), notation::DecodeRecord(part));
    }
    return documents;
  }
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "{")) {
    return notation::ParseTdn(text);
  }
  rules::v1::GetRecordResponse response;
  TAROT_ASSIGN_OR_RETURN(const std::string json, CurrentJson(text));
  if (!google::protobuf::util::JsonStringToMessage(json, &response).ok() ||
      !response.has_record()) {
    response.Clear();
    const auto status =
        google::protobuf::util::JsonStringToMessage(json, response.mutable_record());
    if (!status.ok()) return BadRequest("record", std::string(status.message()));
  }
  TAROT_ASSIGN_OR_RETURN(Document document, ToDocument(response.record()));
  return std::vector<Document>{std::move(document)};
}

absl::StatusOr<std::vector<Document>> ReadRecords(const std::string& path) {
  TAROT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseRecords(text);
}

absl::StatusOr<std::string> WriteRecord(const Record& record, const std::string& format) {
  if (format == "tdn") return notation::WriteTdn(record);
  TAROT_ASSIGN_OR_RETURN(const std::string bytes, notation::EncodeRecord(record));
  std::string archive;
  notation::AppendToArchive(bytes, archive);
  return archive;
}

std::string RenderProof(const Record& record, const std::vector<Check>& checks,
                        const TextStyle& style) {
  std::string out =
      absl::StrCat(style.Paint(Tone::kBold, Safe(record.site)), "  ", Safe(record.rule_set), "\n");
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    absl::StrAppend(&out, "  ", notation::SeatName(seat), " ", Safe(record.names[Slot(seat)]),
                    seat == record.Dealer() ? " (dealer)" : "", "\n");
  }
  std::vector<std::vector<std::string>> rows;
  int failed = 0, unknown = 0;
  for (const Check& check : checks) {
    failed += check.truth == Truth::kFalse ? 1 : 0;
    unknown += check.truth == Truth::kUnknown ? 1 : 0;
    const std::string where = check.truth == Truth::kFalse && check.line > 0
                                  ? absl::StrCat("line ", check.line, ": ")
                                  : "";
    rows.push_back({Mark(check.truth, style), check.what, Safe(where + check.text)});
  }
  absl::StrAppend(&out, "\n", Columns(rows, {}), "\n");
  const int passed = static_cast<int>(checks.size()) - failed - unknown;
  return absl::StrCat(out, failed == 0 ? "True: " : "Untrue: ", passed, " of ", checks.size(),
                      " checks passed, ", failed, " failed, ", unknown, " not stated\n");
}

}  // namespace tarot::cli
