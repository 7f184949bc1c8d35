// Moves of pieces whose peer memory is mapped here.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/rma/near_accumulate.hpp"
#include "front/armci/rma.hpp"
#include "operations/strided/copy.hpp"

namespace gondwana::armci {

inline bool is_put(const Call& call) {
  return call.side == strided::End::target;
}

// The addresses of a move at the peer and in this process.
inline void* theirs(const Call& call, void* target, void* source) {
  return is_put(call) ? target : source;
}
inline void* ours(const Call& call, void* target, void* source) {
  return is_put(call) ? source : target;
}

class NearMove {
 public:
  explicit NearMove(const Call& call) : call_(call) {
    if (call.adds)
      adds_.emplace(call.door.engine().memory(), call.door.engine().waiter(), call.name,
                    Rank(static_cast<std::uint32_t>(call.proc)), *call.adds);
  }
  // `there`: an address in this process.
  void move(const StridedRun& run) {
    auto* there = reinterpret_cast<std::byte*>(run.there);
    if (adds_) {
      for (std::size_t i = 0; i < run.count; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        adds_->add(there + at * run.there_stride, run.here + at * run.here_stride, run.size);
      }
    } else if (is_put(call_)) {
      strided::copy_blocks(run.size, run.count, {there, run.there_stride},
                           {run.here, run.here_stride});
    } else {
      strided::copy_blocks(run.size, run.count, {run.here, run.here_stride},
                           {there, run.there_stride});
    }
    bytes_ += run.bytes();
  }
  void finish() {
    CounterBlock& counters = call_.door.lane().counters();
    if (!is_put(call_)) return counters.add_get(bytes_);
    counters.add_put(bytes_);
    adds_.reset();  // before another process wakes
    call_.door.memory().wake(call_.proc);
  }

 private:
  const Call& call_;
  std::optional<NearAccumulate> adds_;
  std::size_t bytes_ = 0;
};

}  // namespace gondwana::armci
