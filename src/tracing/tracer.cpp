#include "tracing/tracer.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "tracing/regions.hpp"

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
  std::uint32_t opening = 0;  // of the tracer in which this thread has looked for a ring
  TraceRing* ring = nullptr;  // null: no ring was free
};
// Initial-exec, so that access needs no call.
[[gnu::tls_model("initial-exec")]] constinit thread_local OwnRing own;

// How often the tracer was opened. Threads do not touch memory of an earlier opening.
constinit std::atomic<std::uint32_t> openings{0};
constinit std::size_t ring_size_of_job = 0;

// When this process began, before its first call.
const std::uint64_t loaded = ticks();

// The memory may be gone when the thread ends.
struct LeavesRing {
  ~LeavesRing() {
    if (own.ring != nullptr && Tracer::is_on() &&
        own.opening == openings.load(std::memory_order_relaxed))
      own.ring->taken.store(0, std::memory_order_release);
    own.ring = nullptr;  // also handles later calls of the thread
  }
};

TraceRing* take_ring(TracePlace& place) {
  for (std::size_t number = 0; number < TracePlace::rings; ++number) {
    TraceRing& ring = place.ring(number, ring_size_of_job);
    if (ring.taken.exchange(1, std::memory_order_acquire) != 0) continue;
    ring.thread.store(static_cast<std::uint32_t>(::gettid()), std::memory_order_relaxed);
    return &ring;
  }
  place.untraced.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

// Keeps events and names of an earlier engine of this rank, or of an earlier process, and frees its
// rings.
void reopen(TracePlace& place, std::size_t ring_size) {
  const std::uint64_t now = ticks();
  for (std::size_t number = 0; number < TracePlace::rings; ++number) {
    TraceRing& ring = place.ring(number, ring_size);
    ring.room.store(ring_size / sizeof(StoredEvent), std::memory_order_relaxed);
    ring.end_all(loaded, now);
    ring.taken.store(0, std::memory_order_relaxed);
  }
  names().numbers.clear();
  const std::uint32_t known = place.names_known.load(std::memory_order_relaxed);
  for (std::uint32_t number = 1; number < known; ++number)
    names().numbers.emplace(place.names[number].data(), static_cast<std::uint16_t>(number));
  place.names_known.store(std::max(known, 1U), std::memory_order_relaxed);
}

// The module that contains an address; 0: the first one, which is the program.
struct Search {
  std::uint64_t address;
  std::uint64_t base = 0;
  std::string file = {};
};

int search_module(dl_phdr_info* module, std::size_t /*size*/, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const auto holds = [&](const auto& part) {
    return part.p_type == PT_LOAD &&
           search.address - module->dlpi_addr - part.p_vaddr < part.p_memsz;
  };
  if (search.address != 0 &&
      std::ranges::none_of(std::span(module->dlpi_phdr, module->dlpi_phnum), holds))
    return 0;
  std::array<char, PATH_MAX> path{};
  const char* name = module->dlpi_name;
  search.base = module->dlpi_addr;
  if (::realpath(*name != '\0' ? name : "/proc/self/exe", path.data()) != nullptr)
    search.file = path.data();
  return 1;
}

// The number of the module, or TracePlace::max_modules. The caller must hold the mutex of the
// names.
std::uint32_t number_of_module(TracePlace& place, const Search& found) {
  const std::uint32_t known = place.modules_known.load(std::memory_order_relaxed);
  for (std::uint32_t number = 0; number < known; ++number)
    if (place.modules[number].base.load(std::memory_order_relaxed) == found.base &&
        found.file == place.modules[number].file.data())
      return number;
  if (known == TracePlace::max_modules || found.file.size() >= TraceModule::longest_file)
    return TracePlace::max_modules;
  TraceModule& module = place.modules[known];
  module.base.store(found.base, std::memory_order_relaxed);
  std::ranges::copy(found.file, module.file.begin());
  place.modules_known.store(known + 1, std::memory_order_release);
  return known;
}

}  // namespace

void Tracer::open(TracePlace& place, std::size_t ring_size) {
  Search program{.address = 0};
  ::dl_iterate_phdr(&search_module, &program);
  const std::scoped_lock lock(names().mutex);
  ring_size_of_job = ring_size;
  reopen(place, ring_size);
  if (place.modules_known.load(std::memory_order_relaxed) == 0) number_of_module(place, program);
  if (place.first_ns.load(std::memory_order_relaxed) == 0) {
    const ClockPair now = read_clocks();
    place.first_ticks.store(now.ticks, std::memory_order_relaxed);
    place.first_ns.store(now.ns, std::memory_order_release);
  }
  openings.fetch_add(1, std::memory_order_relaxed);
  current.store(&place, std::memory_order_release);
  Regions::add(Regions::trace);
}

TraceRing* Tracer::own_ring() {
  const std::uint32_t opening = openings.load(std::memory_order_relaxed);
  if (own.opening == opening) [[likely]]
    return own.ring;
  thread_local const LeavesRing at_the_end;
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
  if (number == TracePlace::max_names) return 0;
  std::strncpy(place->names[number].data(), name, TracePlace::longest_name - 1);
  place->names_known.store(number + 1, std::memory_order_release);
  names().numbers.emplace(name, static_cast<std::uint16_t>(number));
  return static_cast<std::uint16_t>(number);
}

const TraceSites* Tracer::sites() {
  const TracePlace* place = current.load(std::memory_order_acquire);
  return place != nullptr ? &place->sites : nullptr;
}

std::uint16_t Tracer::add_site(std::uint64_t address) {
  TracePlace* place = current.load(std::memory_order_acquire);
  if (place == nullptr) return 0;
  const std::size_t position = place->sites.add(address);
  if (position == TraceSites::most) return 0;
  std::atomic<std::uint64_t>& where = place->sites.at(position).where;
  if (where.load(std::memory_order_relaxed) == 0) {
    Search search{.address = address - 1};  // the return address is after the call
    if (::dl_iterate_phdr(&search_module, &search) != 0) {
      const std::scoped_lock lock(names().mutex);
      const std::uint32_t number = number_of_module(*place, search);
      if (number < TracePlace::max_modules)
        where.store((address - search.base) << TraceSites::module_bits | (number + 1),
                    std::memory_order_relaxed);
    }
  }
  return static_cast<std::uint16_t>(position + 1);
}

}  // namespace gondwana

gondwana::TraceRing* gondwana_trace_ring() {
  return gondwana::Tracer::ring();
}

std::uint16_t gondwana_trace_name(const char* name) {
  return gondwana::Tracer::number_of(name);
}

const gondwana::TraceSites* gondwana_trace_sites() {
  return gondwana::Tracer::sites();
}

std::uint16_t gondwana_trace_site(std::uint64_t address) {
  return gondwana::Tracer::add_site(address);
}
