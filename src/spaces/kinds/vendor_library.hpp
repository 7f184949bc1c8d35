// A vendor's library, loaded when one of its devices is first needed.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace gondwana {

using LibraryNames = std::span<const char* const>;  // newest first

class VendorLibrary {
 public:
  // The library stays loaded. `vendor`: what to install if it is missing.
  static Result<VendorLibrary> load(LibraryNames names, const char* vendor);
  // Whether the program has loaded one of the libraries.
  static bool is_loaded(LibraryNames names);

  // Finds a function of the library by name. If it is missing, `function` is null and check()
  // returns an error.
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
    if (function == nullptr && absent_ == nullptr) absent_ = name;
  }
  // The same for an optional function.
  template <typename Function>
  void find_any(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }
  Result<void> check() const;

 private:
  VendorLibrary(void* handle, const char* name) : handle_(handle), name_(name) {}
  void* symbol(const char* name) const;

  void* handle_;
  const char* name_;
  const char* absent_ = nullptr;
};

}  // namespace gondwana
