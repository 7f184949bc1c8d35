// The last events of the ranks of a node: the operations of their threads, with times. In a traced
// job they are at the end of the control memory, so that they outlive the rank. Each rank and the
// agent have an area:
//
//   TracePlace | TraceRing | events | TraceRing | events | ...
//
// One thread writes a ring, and any process may read it. A new event replaces the oldest one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/structure_list.hpp"
#include "core/types.hpp"
#include "memory/layout.hpp"

namespace gondwana {

enum class EventKind : std::uint8_t {
  call,        // a call of a door
  put,         // writes to `place` in the memory of the peer
  get,         // reads there
  atomic,      // changes a word there
  send,        // sends a message to the peer
  word_wait,   // waits for words of this rank, starting at `place`
  wait,        // waits for the peer, or for the team whose number is in `bytes`
  handler,     // handles a message from the peer
  batch,       // a batch of small operations for the node whose number is in `peer`
  step,        // a collective, whose number is in `bytes`
  region,      // a region that the program has named
  allocation,  // allocation of `bytes` of symmetric memory, at `place` when it has ended
  acquire,     // takes or releases the lock at `place`
  try_acquire,
  release,
  barrier,  // `bytes` ranks starting with the peer, at distance `place`; distance 0: all ranks
};
constexpr EventKind last_event_kind = EventKind::barrier;

struct TraceEvent {
  static constexpr std::uint32_t nobody = (1U << 24) - 1;  // no rank has this number
  static constexpr std::uint64_t open = ~std::uint64_t{0};

  std::uint64_t begin = 0;        // ticks
  std::uint64_t duration = open;  // in ticks; open: begun but not ended
  EventKind kind = EventKind::call;
  std::uint16_t name = 0;  // see TracePlace::names
  std::uint32_t peer = nobody;
  std::uint64_t place = 0;  // address in the rank; 0: none
  std::uint64_t bytes = 0;
  std::uint16_t site = 0;  // where the program makes the call, see TraceSites; 0: unknown
};

// Durations have 40 bits. Those of 2^39 ticks and more are stored in steps of 1024, up to days.
// Larger ones, and larger sizes, are stored as the largest value that fits. Addresses of user space
// have 48 bits; tags above them are lost.
class StoredEvent {
  static constexpr std::uint64_t max_bytes = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint64_t is_open = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint64_t is_coarse = std::uint64_t{1} << 39;
  static constexpr int coarse_bits = 10;
  static constexpr int place_bits = 48;
  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << place_bits) - 1;

 public:
  static constexpr std::uint64_t longest = (is_coarse - 2) << coarse_bits;
  static constexpr std::uint64_t layout_version = 2;  // see core/fingerprint.hpp

  void store(const TraceEvent& event) {
    constexpr auto relaxed = std::memory_order_relaxed;
    begin_.store(event.begin, relaxed);
    what_.store(packed(event.duration) << 24 | std::uint64_t{event.name} << 8 |
                    static_cast<std::uint64_t>(event.kind),
                relaxed);
    place_.store(std::uint64_t{event.site} << place_bits | (event.place & place_mask), relaxed);
    size_.store(std::min(event.bytes, max_bytes) << 24 | (event.peer & TraceEvent::nobody),
                relaxed);
  }
  void end(std::uint64_t duration) {
    const std::uint64_t kind_and_name = what_.load(std::memory_order_relaxed) & 0xff'ffff;
    what_.store(packed(std::min(duration, longest)) << 24 | kind_and_name,
                std::memory_order_relaxed);
  }
  void set_place(std::uint64_t place) {
    const std::uint64_t site = place_.load(std::memory_order_relaxed) & ~place_mask;
    place_.store(site | (place & place_mask), std::memory_order_relaxed);
  }
  TraceEvent load() const {
    constexpr auto relaxed = std::memory_order_relaxed;
    const std::uint64_t place = place_.load(relaxed);
    const std::uint64_t what = what_.load(relaxed);
    const std::uint64_t size = size_.load(relaxed);
    return {.begin = begin_.load(relaxed),
            .duration = unpacked(what >> 24),
            .kind = static_cast<EventKind>(what & 0xff),
            .name = static_cast<std::uint16_t>(what >> 8 & 0xffff),
            .peer = static_cast<std::uint32_t>(size & TraceEvent::nobody),
            .place = place & place_mask,
            .bytes = size >> 24,
            .site = static_cast<std::uint16_t>(place >> place_bits)};
  }

 private:
  static constexpr std::uint64_t packed(std::uint64_t duration) {
    if (duration == TraceEvent::open) return is_open;
    return duration < is_coarse ? duration : duration >> coarse_bits | is_coarse;
  }
  static constexpr std::uint64_t unpacked(std::uint64_t bits) {
    if (bits == is_open) return TraceEvent::open;
    return bits < is_coarse ? bits : (bits - is_coarse) << coarse_bits;
  }

  std::atomic<std::uint64_t> begin_;
  std::atomic<std::uint64_t> what_;
  std::atomic<std::uint64_t> place_;
  std::atomic<std::uint64_t> size_;
};

struct alignas(cache_line) TraceRing {
  static constexpr std::uint64_t layout_version = 1;

  std::atomic<std::uint64_t> written;  // number of events so far; released after the event
  // The number of the thread that writes, or wrote last; 0: unused.
  std::atomic<std::uint32_t> thread;
  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint64_t> room;  // capacity in events, a power of two

  StoredEvent* events() { return reinterpret_cast<StoredEvent*>(this + 1); }
  const StoredEvent* events() const { return reinterpret_cast<const StoredEvent*>(this + 1); }

  // Called by the writing thread only. Returns the number of the event, with which it can be ended.
  std::uint64_t begin(const TraceEvent& event) {
    const std::uint64_t number = written.load(std::memory_order_relaxed);
    std::atomic_thread_fence(
        std::memory_order_release);  // readers see `written` before the new event
    at(number).store(event);
    written.store(number + 1, std::memory_order_release);
    return number;
  }
  // Has no effect if later events have replaced it.
  bool holds(std::uint64_t number) const {
    return written.load(std::memory_order_relaxed) - number <= room.load(std::memory_order_relaxed);
  }
  void end(std::uint64_t number, std::uint64_t duration) {
    if (holds(number)) at(number).end(duration);
  }
  void set_place(std::uint64_t number, std::uint64_t place) {
    if (holds(number)) at(number).set_place(place);
  }
  void add(const TraceEvent& event) { begin(event); }
  // Ends the events that threads have left open: those from before `loaded` were of a process that
  // this one replaces, and ended before it began.
  void end_all(std::uint64_t loaded, std::uint64_t now) {
    const std::uint64_t end_number = written.load(std::memory_order_relaxed);
    const std::uint64_t kept = std::min(end_number, room.load(std::memory_order_relaxed));
    for (std::uint64_t number = end_number - kept; number < end_number; ++number) {
      const TraceEvent event = at(number).load();
      if (event.duration == TraceEvent::open)
        end(number, (event.begin < loaded ? loaded : now) - event.begin);
    }
  }

 private:
  StoredEvent& at(std::uint64_t number) {
    return events()[number & (room.load(std::memory_order_relaxed) - 1)];
  }
};

// The program or one of its libraries: its address in the rank's memory, and its file.
struct TraceModule {
  static constexpr std::size_t longest_file = 504;

  std::atomic<std::uint64_t> base;
  std::array<char, longest_file> file;
};

// The places at which the program makes calls, each only once. A place's number is its position
// here plus 1.
class TraceSites {
  static constexpr int bits = 12;
  static constexpr std::size_t max_probes = 8;

 public:
  static constexpr std::uint64_t layout_version = 1;
  static constexpr std::size_t most = std::size_t{1} << bits;
  static constexpr int module_bits = 16;  // the address in the module's file is above these bits

  struct Site {
    std::atomic<std::uint64_t> address;  // return address of the call; 0: free
    std::atomic<std::uint64_t> where;    // number of the module plus 1, address in it; 0: unknown
  };

  // 0: not found.
  std::uint16_t find(std::uint64_t address) const {
    for (std::size_t probe = 0; probe < max_probes; ++probe) {
      const std::size_t position = position_of(address, probe);
      if (sites_[position].address.load(std::memory_order_relaxed) == address)
        return static_cast<std::uint16_t>(position + 1);
    }
    return 0;
  }
  // The current position, or `most`.
  std::size_t add(std::uint64_t address) {
    for (std::size_t probe = 0; probe < max_probes; ++probe) {
      const std::size_t position = position_of(address, probe);
      std::uint64_t free = 0;
      if (sites_[position].address.compare_exchange_strong(free, address) || free == address)
        return position;
    }
    return most;
  }
  Site& at(std::size_t position) { return sites_[position]; }

 private:
  static std::size_t position_of(std::uint64_t address, std::size_t probe) {
    return ((address * 0x9e37'79b9'7f4a'7c15 >> (64 - bits)) + probe) % most;
  }

  std::array<Site, most> sites_;
};

struct alignas(cache_line) TracePlace {
  static constexpr std::size_t rings = ControlLayout::trace_rings;
  static constexpr std::size_t max_names = 1024;
  static constexpr std::size_t longest_name = 48;
  static constexpr std::size_t max_modules = 64;

  // The time by two clocks. A reader compares them with its own to find the rate of ticks.
  std::atomic<std::uint64_t> first_ticks;
  std::atomic<std::uint64_t> first_ns;     // CLOCK_MONOTONIC
  std::atomic<std::uint32_t> names_known;  // released after the name
  std::atomic<std::uint32_t> untraced;     // threads without a ring, because none was free
  std::atomic<std::uint64_t> globals;      // address of the symmetric variables
  std::atomic<std::uint64_t> globals_size;
  std::array<std::array<char, longest_name>, max_names> names;  // number 0 is not used
  std::atomic<std::uint32_t> modules_known;                     // released after the module
  std::array<TraceModule, max_modules> modules;                 // number 0: the program
  TraceSites sites;

  TraceRing& ring(std::size_t number, std::size_t ring_size) {
    return *reinterpret_cast<TraceRing*>(reinterpret_cast<std::byte*>(this + 1) +
                                         number * (sizeof(TraceRing) + ring_size));
  }
};

static_assert(sizeof(StoredEvent) == 32 && sizeof(TraceRing) == cache_line);
static_assert(sizeof(TracePlace) <= ControlLayout::trace_head);

using TraceStructures = StructureList<TracePlace, TraceRing, StoredEvent>;
template <ListedIn<TraceStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
