// Reads one JSON object field by field. After an error, later reads return zeros and status() keeps
// the first error. So a caller can read all fields and check status() once.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "libs/rules/cards.h"
#include "tarot/rules/v1/deal.pb.h"

namespace tarot::lab {

class Fields {
 public:
  // `object` must outlive this reader. `path` begins each message, for example "tricks[3].".
  explicit Fields(const google::protobuf::Struct& object, absl::string_view path = "");

  // Returns true if the object has the field, with a value that is not null.
  bool Has(absl::string_view name) const;
  std::string Text(absl::string_view name);
  bool Bool(absl::string_view name);
  int Int(absl::string_view name);
  // Reads a multiple of one half and returns it doubled: 40.5 gives 81.
  int Halves(absl::string_view name);
  std::vector<int> Ints(absl::string_view name);
  rules::v1::Contract Contract(absl::string_view name);
  int Card(absl::string_view name);
  std::vector<int> Cards(absl::string_view name);
  std::vector<std::vector<int>> CardLists(absl::string_view name);
  std::vector<Fields> Objects(absl::string_view name);

  // Records an error of the JSON object. If an error is recorded already, does nothing.
  void Fail(absl::string_view name, absl::string_view problem);
  // If `inner` has an error, records this error. `inner` reads an object that is inside this
  // reader's object.
  void Join(const Fields& inner);
  const absl::Status& status() const { return status_; }

 private:
  using Value = google::protobuf::Value;
  const Value* Find(absl::string_view name, Value::KindCase kind, absl::string_view expected);
  const google::protobuf::ListValue& List(absl::string_view name);
  int WholeNumber(absl::string_view name, const Value& value);
  int CardNumber(absl::string_view name, const Value& value);

  const google::protobuf::Struct* object_;
  std::string path_;
  absl::Status status_;
};

}  // namespace tarot::lab
