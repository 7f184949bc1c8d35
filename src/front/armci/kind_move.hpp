// Moves of pieces with device memory on at least one side. The device side is the local one, or
// both are, as in the engine's put and get.
#pragma once

#include <cstddef>

#include "front/armci/rma.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::armci {

class KindMove {
 public:
  explicit KindMove(const Call& call) : call_(call) {}

  // `there`: the address by which calls name memory of the other process.
  void move(const StridedRun& run) const;

 private:
  // Both sides are in memory of this process alone.
  void copy(const StridedRun& run) const;
  void add(const StridedRun& run, const Place& place, std::ptrdiff_t from_lowest) const;

  const Call& call_;
};

// Whether the call names memory that loads and stores may not touch.
inline bool is_by_kind(const Call& call, const void* target, const void* source) {
  return call.door.memory().has_devices() && (call.door.memory().may_be_on_device(target) ||
                                              call.door.memory().may_be_on_device(source));
}

// Waits first for puts and gets in flight to other nodes.
KindMove begin_by_kind(const Call& call);

}  // namespace gondwana::armci
