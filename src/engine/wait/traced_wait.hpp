// A wait as an event of a traced job.
#pragma once

#include "core/ticks.hpp"
#include "engine/wait/waiter.hpp"
#include "memory/tracer.hpp"

namespace gondwana {

class TracedWait {
 public:
  explicit TracedWait(const WaitReason& why)
      : ring_(Tracer::ring()), begin_(ring_ != nullptr ? ticks() : 0) {
    if (ring_ != nullptr) number_ = ring_->begin(event_of(why));
  }
  TracedWait(const TracedWait&) = delete;
  TracedWait& operator=(const TracedWait&) = delete;
  ~TracedWait() {
    if (ring_ != nullptr) ring_->end(number_, ticks() - begin_);
  }

 private:
  TraceEvent event_of(const WaitReason& why) const {
    const void* place = why.place != nullptr ? why.place : why.word;
    return {.begin = begin_,
            .kind = EventKind::wait,
            .name = Tracer::number_of(why.call),
            .peer = why.peer != Waiting::anybody ? why.peer : TraceEvent::nobody,
            .place = reinterpret_cast<std::uintptr_t>(place),
            .bytes = why.team};
  }

  TraceRing* ring_;
  std::uint64_t begin_;
  std::uint64_t number_ = 0;
};

}  // namespace gondwana
