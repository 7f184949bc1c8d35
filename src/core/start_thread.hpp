// Starts threads where the system may refuse them.
#pragma once

#include <fmt/format.h>

#include <system_error>
#include <thread>
#include <utility>

#include "core/result.hpp"

namespace gondwana {

// `what`: of the thread, for the error.
template <typename Run>
Result<std::thread> start_thread(const char* what, Run run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& error) {
    return Error{Errc::out_of_memory,
                 fmt::format("cannot start the thread {}: {}; raise ulimit -u or ulimit -v", what,
                             error.code().message())};
  }
}

}  // namespace gondwana
