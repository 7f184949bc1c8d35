// Converts names of functions to those in the source.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace gondwana::stacks {

inline std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return readable != nullptr ? readable.get() : name;
}

}  // namespace gondwana::stacks
