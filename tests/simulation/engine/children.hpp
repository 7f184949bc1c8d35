// Jobs in processes of their own: a job that fails ends its process.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <functional>
#include <new>

#include "core/assert.hpp"
#include "simulation/crash.hpp"

namespace gondwana::simulation {

// Memory that a child shares with this process.
template <typename T>
T& shared() {
  void* const memory =
      ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  GONDWANA_ASSERT(memory != MAP_FAILED, errno);
  return *new (memory) T{};
}

enum class Output : std::uint8_t { shown, hidden };

// Runs in a child, and returns whether it returned. A crash, or a job that has not ended in a
// minute, prints a message.
bool returns_in_child(const std::function<void()>& run, Output output);

}  // namespace gondwana::simulation
