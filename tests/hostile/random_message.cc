#include "tests/hostile/random_message.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "libs/base/ids.h"

namespace tarot::hostile {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kDepthMax = 4;
constexpr int kTextsMax = 64, kNumbersMax = 32, kMessagesMax = 8, kNamesMax = 256;
constexpr std::size_t kMessageBytesMax = 4096;

// Returns the last word of the field's name, without the final s of a repeated field. For example,
// expected_revision gives "revision", so this field gets revisions of earlier answers.
std::string LastWord(const FieldDescriptor& field) {
  const std::string& name = field.name();
  const std::size_t underscore = name.rfind('_');
  std::string word = underscore == std::string::npos ? name : name.substr(underscore + 1);
  if (field.is_repeated() && word.size() > 1 && word.back() == 's') word.pop_back();
  return word;
}

}  // namespace

std::string RandomUuid(Rng& rng) {
  std::array<std::uint8_t, 16> bytes;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.Below(256));
  return Uuid(bytes).ToString();
}

template <typename T>
const T* Memory::Pick(const std::map<std::string, std::vector<T>>& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end()) return nullptr;
  return &found->second[static_cast<std::size_t>(
      rng_.Below(static_cast<int>(found->second.size())))];
}

void Memory::LearnField(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& in = *message.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text =
          many ? in.GetRepeatedString(message, &field, index) : in.GetString(message, &field);
      if (text.size() > kMessageBytesMax) return;
      if (absl::StrContains(text, '/')) Keep(names_, text, kNamesMax);
      return Keep(texts_[LastWord(field)], std::move(text), kTextsMax);
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      const std::int64_t number =
          many ? in.GetRepeatedInt32(message, &field, index) : in.GetInt32(message, &field);
      return Keep(numbers_[LastWord(field)], number, kNumbersMax);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const std::int64_t number =
          many ? in.GetRepeatedUInt32(message, &field, index) : in.GetUInt32(message, &field);
      return Keep(numbers_[LastWord(field)], number, kNumbersMax);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Message& child =
          many ? in.GetRepeatedMessage(message, &field, index) : in.GetMessage(message, &field);
      Learn(child);
      return;
    }
    default:
      return;
  }
}

void Memory::Learn(const Message& message) {
  std::string bytes = message.SerializeAsString();
  if (bytes.size() <= kMessageBytesMax) {
    Keep(messages_[message.GetDescriptor()->full_name()], std::move(bytes), kMessagesMax);
  }
  std::vector<const FieldDescriptor*> set;
  message.GetReflection()->ListFields(message, &set);
  for (const FieldDescriptor* const field : set) {
    const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) LearnField(message, *field, i);
  }
}

std::string Memory::Text(const FieldDescriptor& field) {
  std::string text;
  const std::string* const same = Pick(texts_, LastWord(field));
  const std::string* const name = Pick(texts_, "name");
  if (LastWord(field) == "id" && !OneIn(8)) {
    text = RandomUuid(rng_);
  } else if (same != nullptr && !OneIn(4)) {
    text = *same;
  } else if (name != nullptr && OneIn(2)) {
    text = *name;
  } else if (!names_.empty() && OneIn(2)) {
    text = names_[static_cast<std::size_t>(rng_.Below(static_cast<int>(names_.size())))];
  } else {
    const char* const kNonsense[] = {
        "",        "\n",   "tables/", "players/-",
        "ranked4", "%n%s", "é\u202e", "tables/00000000-0000-0000-0000-000000000000",
        "'; --"};
    text = kNonsense[rng_.Below(9)];
  }
  if (OneIn(64)) text += std::string(static_cast<std::size_t>(rng_.Below(3000)), 'x');
  if (OneIn(32) && !text.empty())
    text.resize(static_cast<std::size_t>(rng_.Below(8)) % text.size());
  if (OneIn(32)) text += static_cast<char>(rng_.Below(128));
  // Damage() makes texts that are not UTF-8.
  for (char& byte : text) byte = static_cast<char>(byte & 0x7f);
  return text;
}

std::int64_t Memory::Number(const FieldDescriptor& field) {
  const std::int64_t* const known = Pick(numbers_, LastWord(field));
  if (known != nullptr && !OneIn(4)) return *known + (OneIn(8) ? rng_.Below(3) - 1 : 0);
  if (OneIn(2)) return rng_.Below(100) - 10;
  const std::int64_t kExtremes[] = {0,         1,           -1,
                                    INT32_MAX, INT32_MIN,   UINT32_MAX,
                                    INT64_MAX, INT64_MIN,   INT64_C(253402300800),
                                    1'000'000, -62135596801};
  return kExtremes[rng_.Below(11)];
}

void Memory::FillField(Message& message, const FieldDescriptor& field, int depth) {
  const Reflection& to = *message.GetReflection();
  const bool many = field.is_repeated();
  const auto number = [&] { return Number(field); };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return many ? to.AddString(&message, &field, Text(field))
                  : to.SetString(&message, &field, Text(field));
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<std::int32_t>(number());
      return many ? to.AddInt32(&message, &field, value) : to.SetInt32(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto value = static_cast<std::uint32_t>(number());
      return many ? to.AddUInt32(&message, &field, value) : to.SetUInt32(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? to.AddInt64(&message, &field, number())
                  : to.SetInt64(&message, &field, number());
    case FieldDescriptor::CPPTYPE_UINT64: {
      const auto value = static_cast<std::uint64_t>(number());
      return many ? to.AddUInt64(&message, &field, value) : to.SetUInt64(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int value = OneIn(16) ? static_cast<int>(rng_.Next()) : rng_.Below(8);
      return many ? to.AddEnumValue(&message, &field, value)
                  : to.SetEnumValue(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? to.AddBool(&message, &field, OneIn(2)) : to.SetBool(&message, &field, OneIn(2));
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const double kValues[] = {0, -1, 1e308, std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity()};
      const double value = kValues[rng_.Below(5)];
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        return many ? to.AddDouble(&message, &field, value) : to.SetDouble(&message, &field, value);
      }
      const auto narrow = static_cast<float>(value);
      return many ? to.AddFloat(&message, &field, narrow) : to.SetFloat(&message, &field, narrow);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      Message& child =
          many ? *to.AddMessage(&message, &field) : *to.MutableMessage(&message, &field);
      const std::string* const known = Pick(messages_, field.message_type()->full_name());
      if (known != nullptr && !OneIn(3)) {
        child.ParseFromString(*known);
        // Keeps half of the remembered messages unchanged. Fill changes few fields of the other
        // half.
        if (OneIn(2)) return;
      }
      return Fill(child, depth + 1);
    }
  }
}

void Memory::Fill(Message& message, int depth) {
  if (depth > kDepthMax) return;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const bool whole = message.ByteSizeLong() > 0;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (whole ? !OneIn(8) : OneIn(6)) continue;
    if (field.is_repeated()) {
      const int count = OneIn(32) ? 200 : rng_.Below(4);
      for (int n = 0; n < count; ++n) FillField(message, field, depth);
    } else {
      FillField(message, field, depth);
    }
  }
}

void Memory::Damage(std::string& bytes) {
  for (int i = rng_.Below(4); i >= 0; --i) {
    const auto at = static_cast<std::size_t>(rng_.Below(static_cast<int>(bytes.size()) + 1));
    switch (rng_.Below(4)) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(rng_.Next()));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(rng_.Next());
    }
  }
}

}  // namespace tarot::hostile
