// How this process writes events in a traced job. A thread takes a ring with its first event and
// returns it when it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/ticks.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana {

class Tracer {
 public:
  // Sets the destination of this process's events. No thread may write before.
  static void open(TracePlace& place, std::size_t ring_size);
  // No thread may write any more, or this process must be a forked child.
  static void close() { current.store(nullptr, std::memory_order_relaxed); }

  static bool is_on() { return current.load(std::memory_order_relaxed) != nullptr; }

  // The ring of the calling thread. Null if the job is not traced, or if no ring is free.
  static TraceRing* ring() { return is_on() ? own_ring() : nullptr; }

  // The number of a name in events; 0 if the table of names is full.
  static std::uint16_t number_of(const char* name);

  // Null if the job is not traced.
  static const TraceSites* sites();
  // The number of a call site in the program; 0 if the table is full.
  static std::uint16_t add_site(std::uint64_t address);

 private:
  static TraceRing* own_ring();

  static inline constinit std::atomic<TracePlace*> current{nullptr};
};

// Records the rest of a scope as an event in a traced job. `describe` returns the event without its
// times.
class TracedScope {
 public:
  template <typename Describe>
  explicit TracedScope(const Describe& describe) : ring_(Tracer::ring()) {
    if (ring_ == nullptr) return;
    TraceEvent event = describe();
    event.begin = begin_ = ticks();
    number_ = ring_->begin(event);
  }
  TracedScope(const TracedScope&) = delete;
  TracedScope& operator=(const TracedScope&) = delete;
  ~TracedScope() {
    if (ring_ != nullptr) ring_->end(number_, ticks() - begin_);
  }

 private:
  TraceRing* ring_;
  std::uint64_t begin_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace gondwana

// For the library that wraps the calls of a program.
extern "C" {
gondwana::TraceRing* gondwana_trace_ring();
std::uint16_t gondwana_trace_name(const char* name);
const gondwana::TraceSites* gondwana_trace_sites();
std::uint16_t gondwana_trace_site(std::uint64_t address);
}
