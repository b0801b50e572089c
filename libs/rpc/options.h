// Each service declares its options in one table, as a macro. Each row has a type, a name, a
// default, a range and a help text. The table becomes the fields of the service's Options and the
// flags of its program.
//
//   #define TAROT_RULES_OPTIONS(OPTION) OPTION(int, worker_threads, 8, Range(1, 1'024, "threads"),
//                                              "Threads that answer calls.") ...
//   struct Options { TAROT_RULES_OPTIONS(TAROT_OPTION_FIELD) };              // service.h
//   TAROT_RULES_OPTIONS(TAROT_OPTION_FLAG)                                   // main.cc
//   InitProcess(argc, argv, "rules", {TAROT_RULES_OPTIONS(TAROT_OPTION_RANGE)});
//   const Options options = {TAROT_RULES_OPTIONS(TAROT_OPTION_VALUE)};
//
// `--help` shows the default, the range and the help text. A value out of range ends the program
// (InitProcess in process.h).
#pragma once

#include <functional>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::rpc {

// The values that an option accepts.
struct OptionRange {
  std::string text;  // The text that describes the range, for example "1 to 1024 threads".
  std::function<bool(const absl::CommandLineFlag& flag)> contains;
};

// The name of a flag and its range, for InitProcess.
struct OptionRow {
  absl::string_view flag;
  OptionRange range;
};

// Accepts values from `min` to `max`, both included, and never NaN. `unit` is a plural noun for the
// help text.
OptionRange Range(int min, int max, absl::string_view unit);
OptionRange Range(double min, double max, absl::string_view unit);
OptionRange Range(absl::Duration min, absl::Duration max);

// Accepts host:port or unix:path; port 0 takes a free port.
OptionRange Address();
// Accepts every value of Address(), and an empty text.
OptionRange AddressOrEmpty();
// Accepts the address of another service: host:port or unix:path, or several ip:port, separated by
// commas. The program's calls use the addresses in turn.
OptionRange Addresses();
// The value is the address of the public door. If the door has TLS, the value is https://host:port.
OptionRange DoorAddresses();

// Accepts 1 to 16 lower-case letters, digits or hyphens, and an empty text.
OptionRange NameOrEmpty();

// Accepts true and false.
OptionRange Switch();
// Accepts every path. If the program cannot read the file, it reports this when it opens the file.
OptionRange Path();
// The value is a libpq connection string. Accepts every text.
OptionRange Dsn();

}  // namespace tarot::rpc

// The flags for the connections of a program (tls.h). main.cc declares them:
// TAROT_TLS_OPTIONS(TAROT_OPTION_FLAG). Only InitProcess reads them.
#define TAROT_TLS_OPTIONS(OPTION)                                                                 \
  OPTION(std::string, tls_cert_file, "", Path(),                                                  \
         "Certificate of this process in PEM, for connections between services. Set all three "   \
         "--tls_..._file or none. The program reads the files again when they change.")           \
  OPTION(std::string, tls_key_file, "", Path(),                                                   \
         "Private key of tls_cert_file in PEM, mode 0600 or 0440. It may be the same file.")      \
  OPTION(std::string, tls_ca_file, "", Path(), "Certificates of the trusted authorities in PEM.") \
  OPTION(bool, allow_plaintext, false, Switch(),                                                  \
         "Without TLS, listens also on addresses that other machines may reach.")

// The options for the files of the keys with which a service signs its calls and checks the calls
// of other services (service_keys.h).
#define TAROT_IDENTITY_OPTIONS(OPTION)                                                           \
  OPTION(                                                                                        \
      std::string, internal_key_file, "", Path(),                                                \
      "Key ring that all services share: lines of NAME:BASE64, mode 0600. Only for services of " \
      "one process, and for the change from an older release.")                                  \
  OPTION(std::string, signing_key_file, "", Path(),                                              \
         "Private keys that sign the calls of this service: lines of NAME:BASE64, mode 0600.")   \
  OPTION(std::string, service_keys_file, "", Path(),                                             \
         "Public keys of all services: lines of SERVICE:NAME:BASE64.")

// Each macro takes one row of the table. `value` is the default, and `reason` the help text.
#define TAROT_OPTION_FIELD(type, name, value, range, reason) type name = value;
#define TAROT_OPTION_FLAG(type, name, value, range, reason) \
  ABSL_FLAG(type, name, value, absl::StrCat(reason, " (", ::tarot::rpc::range.text, ")"));
#define TAROT_OPTION_RANGE(type, name, value, range, reason) {#name, ::tarot::rpc::range},
#define TAROT_OPTION_VALUE(type, name, value, range, reason) .name = absl::GetFlag(FLAGS_##name),
