// A function of a vendor's library, found by name.
#pragma once

namespace gondwana {

// Messages use `name`. 0 means success.
template <typename... Arguments>
struct DriverCall {
  const char* name;
  int (*function)(Arguments...) = nullptr;

  int operator()(Arguments... arguments) const { return function(arguments...); }
};

}  // namespace gondwana
