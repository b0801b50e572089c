// Collects what differs between the expected and the actual.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace tarot::lab {

class Comparison {
 public:
  void Equal(absl::string_view what, long long expected, long long actual) {
    if (expected != actual) Add(what, absl::StrCat(expected), absl::StrCat(actual));
  }

  template <typename Container>
  void Equal(absl::string_view what, const std::vector<int>& expected, const Container& actual) {
    const std::vector<int> values(actual.begin(), actual.end());
    if (expected != values) Add(what, absl::StrJoin(expected, " "), absl::StrJoin(values, " "));
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  void Add(absl::string_view what, const std::string& expected, const std::string& actual) {
    problems_.push_back(absl::StrCat(what, ": expected ", expected, ", got ", actual));
  }

  std::vector<std::string> problems_;
};

}  // namespace tarot::lab
