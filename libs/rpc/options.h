// A service declares each of its options once, as a row of a table with a default, a range, a unit
// and a reason. The table gives both the fields of its Options and the flags of its program.
//
//   #define TAROT_RULES_OPTIONS(OPTION) OPTION(int, worker_threads, 8, Range(1, 1'024, "threads"),
//                                              "Threads that answer calls.") ...
//   struct Options { TAROT_RULES_OPTIONS(TAROT_OPTION_FIELD) };              // service.h
//   TAROT_RULES_OPTIONS(TAROT_OPTION_FLAG)                                   // main.cc
//   InitProcess(argc, argv, "rules", {TAROT_RULES_OPTIONS(TAROT_OPTION_RANGE)});
//   const Options options = {TAROT_RULES_OPTIONS(TAROT_OPTION_VALUE)};
//
// `--help` shows default, range and reason. A value out of range stops the program (process.h).
#pragma once

#include <functional>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// The values that a flag accepts.
struct OptionRange {
  std::string text;  // For example "1 to 1024 threads".
  std::function<bool(const absl::CommandLineFlag& flag)> contains;
};

// A flag and its range, for InitProcess.
struct OptionRow {
  absl::string_view flag;
  OptionRange range;
};

// Accepts values from `min` to `max`, both included, and never NaN. `unit` is a plural, or empty
// for a duration.
OptionRange Range(int min, int max, absl::string_view unit);
OptionRange Range(double min, double max, absl::string_view unit);
OptionRange Range(absl::Duration min, absl::Duration max);

// Accepts host:port or unix:path; port 0 takes a free port.
OptionRange Address();
// Accepts what Address() accepts, and an empty text.
OptionRange AddressOrEmpty();
// Accepts host:port, or several separated by commas. The service calls them in turn.
OptionRange Addresses();

// Accepts true and false.
OptionRange Switch();
// Accepts the path of a file. The program reads the file itself, so a wrong path is an error with a
// reason of its own.
OptionRange Path();
// Accepts a libpq connection string.
OptionRange Dsn();

}  // namespace tarot::rpc

// Each macro takes one row: (type, name, default, range, reason).
#define TAROT_OPTION_FIELD(type, name, value, range, reason) type name = value;
#define TAROT_OPTION_FLAG(type, name, value, range, reason) \
  ABSL_FLAG(type, name, value, absl::StrCat(reason, " (", ::tarot::rpc::range.text, ")"));
#define TAROT_OPTION_RANGE(type, name, value, range, reason) {#name, ::tarot::rpc::range},
#define TAROT_OPTION_VALUE(type, name, value, range, reason) .name = absl::GetFlag(FLAGS_##name),
