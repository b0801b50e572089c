#include "tools/lab/audit/audit.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "tools/cli/program.h"
#include "tools/cli/records.h"

namespace tarot::lab {

Auditor::Auditor(int threads) : queue_max_(static_cast<std::size_t>(4 * threads)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

Auditor::~Auditor() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Auditor::Add(Job job) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return queue_.size() < queue_max_; });
  queue_.push_back(std::move(job));
  work_.notify_one();
}

bool Auditor::Finish(double seconds) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [this] { return queue_.empty() && busy_ == 0; });
}

RecordAuditCounts Auditor::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::vector<Wrong> Auditor::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(wrong_, {});
}

void Auditor::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    room_.notify_one();
    std::vector<Wrong> wrong;
    const long records = job(wrong);
    lock.lock();
    --busy_;
    counts_.records += records;
    counts_.wrong += static_cast<long>(wrong.size());
    wrong_.insert(wrong_.end(), std::make_move_iterator(wrong.begin()),
                  std::make_move_iterator(wrong.end()));
    if (queue_.empty() && busy_ == 0) done_.notify_all();
  }
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecordsAJob = 256;

// One record of a file, not yet parsed.
struct Part {
  std::string name;
  absl::string_view text;
  int line = 0;  // The record's first line in a TDN file; otherwise 0.
};

bool IsAuditFile(const fs::path& path) {
  const std::string end = path.extension().string();
  return end == ".tdn" || end == ".tarotrec" || end == ".json";
}

// Splits `tdn` into parts, after each line "*". Such a line ends a record. Text after the last line
// "*" is a part too.
std::vector<Part> SplitTdn(const std::string& path, absl::string_view tdn) {
  std::vector<Part> parts;
  int line = 1;
  int first = 1;
  std::size_t start = 0;
  for (std::size_t at = 0; at < tdn.size(); ++line) {
    const std::size_t end = std::min(tdn.find('\n', at), tdn.size() - 1) + 1;
    const bool last = absl::StripAsciiWhitespace(tdn.substr(at, end - at)) == "*";
    at = end;
    if (!last) continue;
    parts.push_back({path, tdn.substr(start, end - start), first});
    start = end;
    first = line + 1;
  }
  if (!absl::StripAsciiWhitespace(tdn.substr(start)).empty()) {
    parts.push_back({path, tdn.substr(start), first});
  }
  return parts;
}

// Returns the name and the error of a wrong part. A part of a TDN file gets the name FILE:LINE.
// LINE is counted from the start of the file. Normally LINE is the first line of the part. If `why`
// names a line of the part, for example "line 3: ...", LINE is this line, and the error does not
// repeat it.
Wrong WrongPart(const Part& part, std::string why) {
  if (part.line == 0) return {part.name, std::move(why)};
  int line = 1;
  const std::size_t colon = why.find(": ");
  if (absl::StartsWith(why, "line ") && absl::SimpleAtoi(why.substr(5, colon - 5), &line)) {
    why.erase(0, colon + 2);
  }
  return {absl::StrCat(part.name, ":", part.line + line - 1), std::move(why)};
}

// Checks one part. `bytes` is true for a record of an archive; otherwise the part is TDN or JSON.
void CheckPart(const Part& part, bool bytes, std::vector<Wrong>& wrong) {
  absl::StatusOr<std::vector<notation::Document>> documents;
  if (bytes) {
    auto document = notation::DecodeRecord(part.text);
    documents =
        document.ok()
            ? absl::StatusOr<std::vector<notation::Document>>(std::vector{*std::move(document)})
            : document.status();
  } else {
    documents = cli::ParseRecords(part.text);
  }
  if (!documents.ok()) {
    wrong.push_back(WrongPart(part, std::string(documents.status().message())));
    return;
  }
  for (const notation::Document& document : *documents) {
    std::string untruth = notation::Untruth(document);
    if (!untruth.empty()) wrong.push_back(WrongPart(part, std::move(untruth)));
  }
}

absl::StatusOr<std::vector<Part>> Split(const std::string& path, absl::string_view content) {
  if (!notation::IsArchive(content)) {
    if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(content), "{")) {
      return SplitTdn(path, content);
    }
    return std::vector<Part>{{path, content}};
  }
  TAROT_ASSIGN_OR_RETURN(const auto records, notation::SplitArchive(content));
  std::vector<Part> parts;
  for (const absl::string_view record : records) {
    parts.push_back({absl::StrCat(path, " record ", parts.size() + 1), record});
  }
  return parts;
}

}  // namespace

absl::StatusOr<std::vector<AuditFile>> FindAuditFiles(const std::vector<std::string>& paths) {
  std::vector<AuditFile> files;
  std::error_code error;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path, error)) {
      const auto size = fs::file_size(path, error);
      if (error) {
        return absl::Status(absl::ErrnoToStatusCode(error.value()),
                            absl::StrCat(path, ": cannot be read: ", error.message()));
      }
      files.push_back({path, size});
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (!entry.is_regular_file(error) || !IsAuditFile(entry.path())) continue;
      files.push_back({entry.path().string(), entry.file_size(error)});
    }
    if (files.size() == before) {
      return absl::NotFoundError(absl::StrCat("no .tdn, .tarotrec or .json in ", path));
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(),
              [](const AuditFile& a, const AuditFile& b) { return a.path < b.path; });
  }
  return files;
}

void AddFile(const std::string& path, const std::function<void(Auditor::Job)>& add) {
  const auto unreadable = [&](absl::string_view why) {
    add([path, why = std::string(why)](std::vector<Wrong>& wrong) {
      wrong.push_back({path, why});
      return 0L;
    });
  };
  auto text = cli::ReadFile(path);
  if (!text.ok()) return unreadable(text.status().message());
  const auto content = std::make_shared<const std::string>(*std::move(text));
  auto parts = Split(path, *content);
  if (!parts.ok()) return unreadable(parts.status().message());
  if (parts->empty()) return unreadable("holds no record");
  const bool bytes = notation::IsArchive(*content);
  for (std::size_t i = 0; i < parts->size(); i += kRecordsAJob) {
    const std::size_t end = std::min(parts->size(), i + kRecordsAJob);
    std::vector<Part> some(
        std::make_move_iterator(parts->begin() + static_cast<std::ptrdiff_t>(i)),
        std::make_move_iterator(parts->begin() + static_cast<std::ptrdiff_t>(end)));
    add([content, bytes, some = std::move(some)](std::vector<Wrong>& wrong) {
      for (const Part& part : some) CheckPart(part, bytes, wrong);
      return static_cast<long>(some.size());
    });
  }
}

namespace {

constexpr int kBarWidth = 30;
constexpr auto kTerminalPause = absl::Milliseconds(200);
constexpr auto kPlainPause = absl::Seconds(10);

}  // namespace

void Progress::Show(absl::Time now, double share, long records, long wrong) {
  if (now - shown_ < (terminal_ ? kTerminalPause : kPlainPause)) return;
  shown_ = now;
  const double seconds = std::max(absl::ToDoubleSeconds(now - start_), 0.001);
  const std::string text =
      absl::StrFormat("%3d %%  %d records, %d wrong, %.0f/s", static_cast<int>(100 * share),
                      records, wrong, static_cast<double>(records) / seconds);
  if (!terminal_) {
    out_ << text << "\n" << std::flush;
    return;
  }
  const auto full = static_cast<std::size_t>(kBarWidth * std::clamp(share, 0.0, 1.0));
  out_ << "\r[" << std::string(full, '#') << std::string(kBarWidth - full, '.') << "] " << text
       << "\x1b[K" << std::flush;
  bar_ = true;
}

void Progress::Clear() {
  if (bar_) out_ << "\r\x1b[K" << std::flush;
  bar_ = false;
}

}  // namespace tarot::lab
