// The library of a vendor, loaded when one of its devices is first needed.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace gondwana {

using LibraryNames = std::span<const char* const>;  // the newest first

class VendorLibrary {
 public:
  // Stays loaded. `vendor`: what to install where there is none.
  static Result<VendorLibrary> load(LibraryNames names, const char* vendor);
  // Whether the program has loaded one of them.
  static bool is_loaded(LibraryNames names);

  // A call of the library by its name; null, and an error of check(), if it has none.
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
    if (function == nullptr && absent_ == nullptr) absent_ = name;
  }
  // The same, of a call that need not be there.
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
