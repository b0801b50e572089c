#include "services/rules/records/export_records.h"

#include <algorithm>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "libs/notation/record_bytes.h"
#include "libs/wire/finished_deal.h"
#include "services/rules/limits.h"
#include "services/rules/transport/record_service.h"

namespace tarot::rules_service {
namespace {

bool IsWanted(const DealRecord& record) {
  return record.config.ranked && record.deal.result.outcome == rules::Outcome::kScored &&
         std::none_of(record.entries.begin(), record.entries.end(),
                      [](const DealRecord::Entry& entry) { return entry.stand_in; });
}

absl::StatusOr<std::string> BytesOf(const DealRecord& record) {
  v1::DealRecord message;
  EncodeRecord(record, &message);
  for (v1::DealRecord::Player& player : *message.mutable_players()) {
    player.set_display_name(player.player());
  }
  TAROT_ASSIGN_OR_RETURN(const notation::Document document, wire::DecodeRecord(message, "record"));
  return notation::EncodeDocument(document);
}

}  // namespace

absl::StatusOr<long> ExportRecords(RecordService& records, absl::Time start, std::ostream& out) {
  const absl::string_view magic = notation::kArchiveMagic;
  out << magic;
  long count = 0;
  DealQuery query{.start_time = start, .limit = kExportedDealsPerPage};
  do {
    TAROT_ASSIGN_OR_RETURN(const RecordPage page, records.List(query));
    std::string archive(magic);
    for (const DealRecord& record : page.records) {
      if (!IsWanted(record)) continue;
      TAROT_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(record));
      notation::AppendToArchive(bytes, archive);
      ++count;
    }
    out << absl::string_view(archive).substr(magic.size());
    query.after = page.last;
  } while (query.after);
  return count;
}

}  // namespace tarot::rules_service
