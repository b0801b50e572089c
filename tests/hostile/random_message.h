// Makes random requests with values of earlier answers, so that many requests name a room, table or
// player that exists.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/base/rng.h"

namespace tarot::hostile {

std::string RandomUuid(Rng& rng);

// Remembers texts, numbers and messages of answers. It keeps a bounded number of values for each
// last word of a field's name, and for each type of message. Not thread-safe.
class Memory {
 public:
  explicit Memory(Rng& rng) : rng_(rng) {}

  void Learn(const google::protobuf::Message& message);

  // Fills an empty `message` with random values: remembered values, extreme values, and nonsense.
  // Changes few fields of a message that is not empty.
  void Fill(google::protobuf::Message& message) { Fill(message, 0); }

  // Changes, removes or adds some bytes of `bytes`.
  void Damage(std::string& bytes);

  // Adds `value`. If there are `most` values already, `value` replaces a random one of them.
  template <typename T>
  void Keep(std::vector<T>& values, T value, int most) {
    if (static_cast<int>(values.size()) < most) {
      values.push_back(std::move(value));
    } else {
      values[static_cast<std::size_t>(rng_.Below(most))] = std::move(value);
    }
  }

 private:
  void Fill(google::protobuf::Message& message, int depth);
  void FillField(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field,
                 int depth);
  void LearnField(const google::protobuf::Message& message,
                  const google::protobuf::FieldDescriptor& field, int index);
  std::string Text(const google::protobuf::FieldDescriptor& field);
  std::int64_t Number(const google::protobuf::FieldDescriptor& field);
  bool OneIn(int n) { return rng_.Below(n) == 0; }
  template <typename T>
  const T* Pick(const std::map<std::string, std::vector<T>>& values, const std::string& key);

  Rng& rng_;
  std::map<std::string, std::vector<std::string>> texts_;     // Keys: last words of field names.
  std::map<std::string, std::vector<std::int64_t>> numbers_;  // Keys: last words of field names.
  std::map<std::string, std::vector<std::string>> messages_;  // Encoded. Keys: names of types.
  std::vector<std::string> names_;  // Texts with a slash, such as tables/{uuid}.
};

}  // namespace tarot::hostile
