// Code shared by the tests of vendor kinds: STANDIN_KIND names one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "spaces/kinds/kinds.hpp"

namespace gondwana {

inline std::string vendor() {
  const char* name = std::getenv("STANDIN_KIND");
  return name == nullptr ? "cuda" : name;
}

// Whether the tests run with a library that stands in for the driver, not on hardware.
inline bool is_stand_in() {
  return std::getenv("STANDIN_LEAKS") != nullptr;
}

// The call of this vendor.
inline const char* call(const char* cuda, const char* hip, const char* ze) {
  return vendor() == "cuda" ? cuda : vendor() == "hip" ? hip : ze;
}

// Sets STANDIN_FAIL during its lifetime.
class Failing {
 public:
  Failing(const char* name, const char* status) {
    ::setenv("STANDIN_FAIL", (std::string(name) + ":" + status).c_str(), 1);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() { ::unsetenv("STANDIN_FAIL"); }
};

inline Options options_of(std::uint32_t emulated = 0) {
  Options options;
  options.kinds = vendor();
  options.emulated_devices = emulated;
  return options;
}

// The second device; on hardware with only one, that.
inline Kind& second_of(Kinds& kinds) {
  return **kinds.device(kinds.devices() > 1 ? 1 : 0);
}

inline std::string error_of(const auto& result) {
  return result ? "no error" : result.error().text;
}

// Copies bytes to the host.
inline std::vector<std::byte> read(Kind& kind, Bytes memory) {
  std::vector<std::byte> host(memory.size());
  EXPECT_TRUE(kind.copy_now(host.data(), memory.data(), memory.size()));
  return host;
}

// A driver call that the program makes itself.
using Call = int (*)(...);

}  // namespace gondwana
