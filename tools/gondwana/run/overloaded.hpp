// One function object out of several, for std::visit.
#pragma once

namespace gondwana::launch {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace gondwana::launch
