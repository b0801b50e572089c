#include "tools/lab/vectors/fields.h"

#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/rules/cards.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::lab {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

Fields::Fields(const Struct& object, absl::string_view path) : object_(&object), path_(path) {}

void Fields::Fail(absl::string_view name, absl::string_view problem) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(path_, name, ": ", problem));
}

void Fields::Join(const Fields& inner) {
  if (status_.ok()) status_ = inner.status_;
}

bool Fields::Has(absl::string_view name) const {
  const auto found = object_->fields().find(std::string(name));
  return found != object_->fields().end() && found->second.kind_case() != Value::kNullValue;
}

const Value* Fields::Find(absl::string_view name, Value::KindCase kind,
                          absl::string_view expected) {
  const auto found = object_->fields().find(std::string(name));
  if (found == object_->fields().end()) {
    Fail(name, "is missing");
    return nullptr;
  }
  if (found->second.kind_case() != kind) {
    Fail(name, absl::StrCat("is not ", expected));
    return nullptr;
  }
  return &found->second;
}

std::string Fields::Text(absl::string_view name) {
  const Value* value = Find(name, Value::kStringValue, "a text");
  return value == nullptr ? "" : value->string_value();
}

bool Fields::Bool(absl::string_view name) {
  const Value* value = Find(name, Value::kBoolValue, "true or false");
  return value != nullptr && value->bool_value();
}

int Fields::WholeNumber(absl::string_view name, const Value& value) {
  const double number = value.number_value();
  if (value.kind_case() != Value::kNumberValue || number != std::floor(number) ||
      std::abs(number) > 1e6) {
    Fail(name, "is not a whole number");
    return 0;
  }
  return static_cast<int>(number);
}

int Fields::Int(absl::string_view name) {
  const Value* value = Find(name, Value::kNumberValue, "a number");
  return value == nullptr ? 0 : WholeNumber(name, *value);
}

int Fields::Halves(absl::string_view name) {
  const Value* value = Find(name, Value::kNumberValue, "a number");
  if (value == nullptr) return 0;
  Value doubled;
  doubled.set_number_value(2 * value->number_value());
  return WholeNumber(name, doubled);
}

const ListValue& Fields::List(absl::string_view name) {
  const Value* value = Find(name, Value::kListValue, "a list");
  return value == nullptr ? ListValue::default_instance() : value->list_value();
}

std::vector<int> Fields::Ints(absl::string_view name) {
  std::vector<int> out;
  for (const Value& value : List(name).values()) out.push_back(WholeNumber(name, value));
  return out;
}

rules::v1::Contract Fields::Contract(absl::string_view name) {
  const std::string text = Text(name);
  const std::optional<rules::Contract> contract = rules::ParseContract(text);
  if (!contract) {
    Fail(name, absl::StrCat("'", text, "' is no contract"));
    return rules::v1::CONTRACT_UNSPECIFIED;
  }
  // PASS is 1 in the proto's enum and 0 in rules::Contract.
  return static_cast<rules::v1::Contract>(static_cast<int>(*contract) + 1);
}

int Fields::CardNumber(absl::string_view name, const Value& value) {
  const auto card = rules::ParseCard(value.string_value());
  if (!card) {
    Fail(name, absl::StrCat("'", value.string_value(), "' is no card"));
    return 0;
  }
  return rules::Index(*card);
}

int Fields::Card(absl::string_view name) {
  const Value* value = Find(name, Value::kStringValue, "a card");
  return value == nullptr ? 0 : CardNumber(name, *value);
}

std::vector<int> Fields::Cards(absl::string_view name) {
  std::vector<int> out;
  for (const Value& value : List(name).values()) out.push_back(CardNumber(name, value));
  return out;
}

std::vector<std::vector<int>> Fields::CardLists(absl::string_view name) {
  std::vector<std::vector<int>> out;
  for (const Value& list : List(name).values()) {
    if (list.kind_case() != Value::kListValue) Fail(name, "holds something that is not a list");
    out.emplace_back();
    for (const Value& value : list.list_value().values()) {
      out.back().push_back(CardNumber(name, value));
    }
  }
  return out;
}

std::vector<Fields> Fields::Objects(absl::string_view name) {
  std::vector<Fields> out;
  for (const Value& value : List(name).values()) {
    if (value.kind_case() != Value::kStructValue)
      Fail(name, "holds something that is not an object");
    out.emplace_back(value.struct_value(), absl::StrCat(path_, name, "[", out.size(), "]."));
  }
  return out;
}

}  // namespace tarot::lab
