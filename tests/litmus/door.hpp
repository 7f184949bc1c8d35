// What the runner needs of an interface for communication: memory that all ranks reach, and the
// operations of its tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "core/assert.hpp"
#include "litmus/test.hpp"

namespace gondwana::litmus {

// An operation of a test with addresses. Addresses of other ranks are those of the own copy.
struct Call {
  Act act{};
  char context = 0;
  long* target = nullptr;  // the own copy of the place
  std::size_t words = 1;
  int pe = 0;                    // where the place is
  const long* source = nullptr;  // `words` elements, valid until the batch ends
  long* result = nullptr;        // of operations that give a value; one word, or `words`
  long value = 0;
  long other = 0;
  long* signal = nullptr;  // at `signal_pe`
  int signal_pe = 0;
  long signal_value = 0;
};

// The own word that a call waits for.
inline std::atomic_ref<long> word_of(const Call& call) {
  GONDWANA_ASSERT(call.target != nullptr, static_cast<int>(call.act));
  return std::atomic_ref(*call.target);
}

class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  virtual ~Door() = default;

  virtual const char* name() const = 0;
  virtual int me() const = 0;
  virtual int size() const = 0;
  // Collective, once: zeroed words that all ranks reach.
  virtual long* allocate(std::size_t words) = 0;
  // The copy of that rank if loads and stores reach it, or null.
  virtual long* pointer_to(const long* own, int pe) = 0;
  // Completes all operations of all ranks.
  virtual void barrier() = 0;
  virtual bool knows(Act act) const = 0;
  virtual void perform(const Call& call) = 0;
  // Between two operations: takes `length` units of time, without a call of the library.
  virtual void pause(unsigned length);
};

}  // namespace gondwana::litmus
