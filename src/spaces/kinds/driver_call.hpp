// A call of a vendor's library, found by name.
#pragma once

namespace gondwana {

// `name` is what messages call it. 0 is success.
template <typename... Arguments>
struct DriverCall {
  const char* name;
  int (*function)(Arguments...) = nullptr;

  int operator()(Arguments... arguments) const { return function(arguments...); }
};

}  // namespace gondwana
