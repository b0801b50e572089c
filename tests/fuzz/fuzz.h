// The common entry of the fuzz targets. Each target defines FuzzOne, which must neither crash nor
// fail a check for any input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

void FuzzOne(absl::string_view input);

// The entry point for libFuzzer. Each target includes this header once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
