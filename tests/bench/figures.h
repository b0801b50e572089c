// Prints figures for `tools/dev bench`: a JSON list of {name, value, unit}.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"

namespace tarot::bench {

class Figures {
 public:
  void Add(const std::string& name, double value, const std::string& unit) {
    absl::StrAppend(&text_, text_.empty() ? "\n " : ",\n ", "{\"name\": \"", name,
                    "\", \"value\": ", value, ", \"unit\": \"", unit, "\"}");
  }
  void Print() const { std::printf("[%s\n]\n", text_.c_str()); }

 private:
  std::string text_;
};

// Returns the value below which `share` of `values` lie; 0.5 gives the median.
inline double Quantile(std::vector<double> values, double share) {
  TAROT_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

}  // namespace tarot::bench
