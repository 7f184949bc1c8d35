#include "tracing/regions.hpp"

#include <dlfcn.h>

#include <vector>

#include "core/ticks.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

struct Region {
  TraceRing* ring;  // null: the job was not traced when the region began
  std::uint64_t event;
  std::uint64_t begin;
  std::uint16_t name;
};

// The open regions of the thread. A pointer, because thread-local memory is scarce in libraries
// that are loaded late, for example by Python.
using OpenRegions = std::vector<Region>;
[[gnu::tls_model("initial-exec")]] constinit thread_local OpenRegions* own_regions = nullptr;

struct FreesRegions {
  ~FreesRegions() {
    delete own_regions;
    own_regions = nullptr;  // also handles later calls of the thread
  }
};

OpenRegions& open_regions() {
  if (own_regions == nullptr) {
    thread_local const FreesRegions at_the_end;
    static_cast<void>(&at_the_end);
    own_regions = new OpenRegions;
  }
  return *own_regions;
}

struct Nvtx {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

// The NVTX library, if a tool has already loaded it.
const Nvtx& nvtx() {
  static const Nvtx found = [] {
    const Nvtx library{
        reinterpret_cast<decltype(Nvtx::push)>(::dlsym(RTLD_DEFAULT, "nvtxRangePushA")),
        reinterpret_cast<decltype(Nvtx::pop)>(::dlsym(RTLD_DEFAULT, "nvtxRangePop"))};
    return library.push != nullptr && library.pop != nullptr ? library : Nvtx{};
  }();
  return found;
}

Region begin_event(const char* name) {
  Region region{Tracer::ring(), 0, 0, 0};
  if (region.ring == nullptr) return region;
  region.name = Tracer::number_of(name);
  region.begin = ticks();
  region.event =
      region.ring->begin({.begin = region.begin, .kind = EventKind::region, .name = region.name});
  return region;
}

// A region that lasts longer than its ring remembers is written again.
void end_event(const Region& region) {
  if (region.ring == nullptr || region.ring != Tracer::ring()) return;
  const std::uint64_t duration = ticks() - region.begin;
  if (region.ring->holds(region.event))
    region.ring->end(region.event, duration);
  else
    region.ring->add({.begin = region.begin,
                      .duration = duration,
                      .kind = EventKind::region,
                      .name = region.name});
}

}  // namespace

constinit std::atomic<std::uint32_t> Regions::users{starting};

void Regions::start(bool with_checks) {
  if (with_checks) add(checks);
  if (nvtx().push != nullptr) add(tool);
  users.fetch_and(~std::uint32_t{starting}, std::memory_order_relaxed);
}

void Regions::begin(const char* name) {
  if (name == nullptr) name = "region";
  if (nvtx().push != nullptr) nvtx().push(name);
  open_regions().push_back(begin_event(name));
}

bool Regions::end() {
  OpenRegions& open = open_regions();
  if (open.empty()) return false;
  end_event(open.back());
  open.pop_back();
  if (nvtx().pop != nullptr) nvtx().pop();
  return true;
}

}  // namespace gondwana
