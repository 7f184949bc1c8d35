#include "memory/tracer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace gondwana {
namespace {

struct Names {
  std::mutex mutex;  // guards the numbers
  std::map<std::string, std::uint16_t, std::less<>> numbers;
};

// Never destroyed: exit handlers of the program may still call.
Names& names() {
  static Names& names = *new Names;
  return names;
}

struct OwnRing {
  std::uint32_t opening = 0;  // of the tracer, in which this thread has looked for a ring
  TraceRing* ring = nullptr;  // null: none was free
};
// Initial-exec: found without a call.
[[gnu::tls_model("initial-exec")]] constinit thread_local OwnRing own;

// How often the tracer was opened: memory that was mapped before is not touched.
constinit std::atomic<std::uint32_t> openings{0};
constinit std::size_t ring_size_of_job = 0;

// The memory may be gone when the thread ends.
struct Leave {
  ~Leave() {
    if (own.ring != nullptr && Tracer::is_on() &&
        own.opening == openings.load(std::memory_order_relaxed))
      own.ring->taken.store(0, std::memory_order_release);
    own.ring = nullptr;  // also for what the thread still does
  }
};

TraceRing* take_ring(TracePlace& place) {
  for (std::size_t number = 0; number < TracePlace::rings; ++number) {
    TraceRing& ring = place.ring(number, ring_size_of_job);
    if (ring.taken.exchange(1, std::memory_order_acquire) != 0) continue;
    ring.room.store(ring_size_of_job / sizeof(StoredEvent), std::memory_order_relaxed);
    ring.thread.store(static_cast<std::uint32_t>(::gettid()), std::memory_order_relaxed);
    return &ring;
  }
  place.untraced.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

// Of an engine that this rank had before, events and names stay, and its rings are free.
void go_on(TracePlace& place, std::size_t ring_size) {
  for (std::size_t number = 0; number < TracePlace::rings; ++number)
    place.ring(number, ring_size).taken.store(0, std::memory_order_relaxed);
  names().numbers.clear();
  const std::uint32_t known = place.names_known.load(std::memory_order_relaxed);
  for (std::uint32_t number = 1; number < known; ++number)
    names().numbers.emplace(place.names[number].data(), static_cast<std::uint16_t>(number));
  place.names_known.store(std::max(known, 1U), std::memory_order_relaxed);
}

}  // namespace

void Tracer::open(TracePlace& place, std::size_t ring_size) {
  const std::scoped_lock lock(names().mutex);
  ring_size_of_job = ring_size;
  go_on(place, ring_size);
  if (place.first_ns.load(std::memory_order_relaxed) == 0) {
    const ClockPair now = read_clocks();
    place.first_ticks.store(now.ticks, std::memory_order_relaxed);
    place.first_ns.store(now.ns, std::memory_order_release);
  }
  openings.fetch_add(1, std::memory_order_relaxed);
  current.store(&place, std::memory_order_release);
}

TraceRing* Tracer::own_ring() {
  const std::uint32_t opening = openings.load(std::memory_order_relaxed);
  if (own.opening == opening) [[likely]]
    return own.ring;
  thread_local const Leave at_the_end;
  static_cast<void>(&at_the_end);
  own = {opening, take_ring(*current.load(std::memory_order_acquire))};
  return own.ring;
}

std::uint16_t Tracer::number_of(const char* name) {
  TracePlace* place = current.load(std::memory_order_acquire);
  if (place == nullptr) return 0;
  const std::scoped_lock lock(names().mutex);
  if (const auto known = names().numbers.find(name); known != names().numbers.end())
    return known->second;
  const std::uint32_t number = place->names_known.load(std::memory_order_relaxed);
  if (number == TracePlace::most_names) return 0;
  std::strncpy(place->names[number].data(), name, TracePlace::longest_name - 1);
  place->names_known.store(number + 1, std::memory_order_release);
  names().numbers.emplace(name, static_cast<std::uint16_t>(number));
  return static_cast<std::uint16_t>(number);
}

}  // namespace gondwana

gondwana::TraceRing* gondwana_trace_ring() {
  return gondwana::Tracer::ring();
}

std::uint16_t gondwana_trace_name(const char* name) {
  return gondwana::Tracer::number_of(name);
}
