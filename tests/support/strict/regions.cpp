#include "regions.hpp"

#include <rdma/fi_errno.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>

#include "demands.hpp"

namespace strict {
namespace {

constexpr std::uint64_t remote_access = FI_REMOTE_READ | FI_REMOTE_WRITE;

// The object that users of this provider hold as fid_mr.
struct Region : fid_mr {
  std::uintptr_t begin;
  std::size_t size;
  std::uint64_t access;
  fid_domain* domain;
  fid_ep* endpoint = nullptr;  // that it is bound to
  fid_mr* below = nullptr;     // for access by peers, once enabled
  std::uint64_t wanted_key;
};

// Shared by all ranks: ranks of tests are threads.
std::mutex mutex;
std::set<const Region*>& regions() {
  static auto& live = *new std::set<const Region*>;
  return live;
}
struct Operation {
  const char* what;
  const fid_ep* endpoint;
  const Region* region;
};
std::map<const void*, Operation>& under_way() {
  static auto& by_context = *new std::map<const void*, Operation>;
  return by_context;
}

// Addresses have 48 bits; the others are random. An odd factor has an inverse.
constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15;
constexpr int address_bits = 48;
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
static_assert(factor * inverse_of(factor) == 1);

std::uint64_t new_key(std::uintptr_t begin) {
  static std::atomic<std::uint64_t> random{std::random_device{}()};
  return ((random++ << address_bits) | begin) * factor;
}

// A registration does not allocate pages: they must exist.
void check_allocated(std::uintptr_t begin, std::size_t size) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             std::fclose);
  std::uintptr_t known = begin;
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
  while (maps && std::fscanf(maps.get(), "%lx-%lx%*[^\n]", &from, &to) == 2)
    if (from <= known && known < to) known = to;
  if (known < begin + size)
    breach("memory at %#lx is registered, but nothing is mapped at %#lx", begin, known);
}

std::atomic<std::size_t> locked{0};

bool lock(std::size_t size) {
  static const char* limit = value_of("FI_STRICT_LOCKED");
  if (locked.fetch_add(size) + size <= std::strtoull(limit, nullptr, 10) || *limit == '\0')
    return true;
  locked -= size;
  return false;
}

// From here on the key and the descriptor are valid. A random key that is in use is drawn again.
int enable(Region& region) {
  if (demands(FI_MR_ENDPOINT) && region.endpoint == nullptr)
    breach("memory at %#lx is enabled before it is bound to an endpoint", region.begin);
  int failed = 0;
  do {
    if (demands(FI_MR_PROV_KEY)) region.wanted_key = new_key(region.begin);
    if ((region.access & remote_access) != 0)
      failed = below(region.domain->mr)
                   ->reg(&region.domain->fid, reinterpret_cast<void*>(region.begin), region.size,
                         region.access, 0, region.wanted_key, 0, &region.below, nullptr);
  } while (failed == -FI_ENOKEY && demands(FI_MR_PROV_KEY));
  if (failed != 0) return failed;
  region.key = region.wanted_key;
  region.mem_desc = &region;
  return 0;
}

int bind_region(fid* object, fid* to, std::uint64_t /*flags*/) {
  auto& region = *reinterpret_cast<Region*>(object);
  if (to->fclass != FI_CLASS_EP) return -FI_EINVAL;
  region.endpoint = reinterpret_cast<fid_ep*>(to);
  return 0;
}

int control_region(fid* object, int command, void* /*argument*/) {
  return command == FI_ENABLE ? enable(*reinterpret_cast<Region*>(object)) : -FI_ENOSYS;
}

int close_region(fid* object) {
  const std::unique_ptr<Region> region(reinterpret_cast<Region*>(object));
  const std::lock_guard guard(mutex);
  for (const auto& [context, operation] : under_way())
    if (operation.region == region.get())
      breach("the registration of %#lx is closed while a %s uses it", region->begin,
             operation.what);
  regions().erase(region.get());
  locked -= region->size;
  return region->below == nullptr ? 0 : fi_close(&region->below->fid);
}

void check(const Local& local) {
  const auto begin = reinterpret_cast<std::uintptr_t>(local.memory);
  const auto* given = static_cast<const Region*>(local.descriptor);
  if (!regions().contains(given))
    breach("a %s of %zu B at %#lx has no descriptor of a registration that lives", local.what,
           local.size, begin);
  const Region& region = *given;
  if (begin < region.begin || begin + local.size > region.begin + region.size)
    breach("a %s of %zu B at %#lx has a descriptor of %zu B at %#lx", local.what, local.size, begin,
           region.size, region.begin);
  if ((region.access & local.access) == 0)
    breach("a %s at %#lx has a descriptor without that access", local.what, begin);
  if (demands(FI_MR_ENDPOINT) && region.endpoint != local.endpoint)
    breach("a %s at %#lx has a descriptor of another endpoint", local.what, begin);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): as libfabric calls it
int register_region(fid* domain, const void* memory, std::size_t size, std::uint64_t access,
                    std::uint64_t /*offset*/, std::uint64_t key, std::uint64_t /*flags*/,
                    fid_mr** made, void* context) {
  static fi_ops ops = [] {
    fi_ops own{};
    own.size = sizeof(own);
    own.close = close_region;
    own.bind = bind_region;
    own.control = control_region;
    return own;
  }();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (demands(FI_MR_ALLOCATED)) check_allocated(begin, size);
  if (!lock(size)) return -FI_ENOMEM;
  auto* region = new Region{};
  region->fid = {FI_CLASS_MR, context, &ops};
  region->key = FI_KEY_NOTAVAIL;
  region->begin = begin;
  region->size = size;
  region->access = access;
  region->domain = reinterpret_cast<fid_domain*>(domain);
  region->wanted_key = key;
  const int failed = demands(FI_MR_ENDPOINT) ? 0 : enable(*region);
  if (failed != 0) {
    locked -= size;
    delete region;
    return failed;
  }
  *made = region;
  const std::lock_guard guard(mutex);
  regions().insert(region);
  return 0;
}

std::uint64_t offset_of(std::uint64_t address, std::uint64_t key) {
  if (!demands(FI_MR_VIRT_ADDR)) return address;
  const std::uint64_t begin = (key * inverse_of(factor)) & ((std::uint64_t{1} << address_bits) - 1);
  if (address < begin)
    breach("remote address %#lx lies before its region, which begins at %#lx", address, begin);
  return address - begin;
}

void begin(const Local& local, const void* context) {
  const std::lock_guard guard(mutex);
  check(local);
  const Operation operation{local.what, local.endpoint,
                            static_cast<const Region*>(local.descriptor)};
  if (!under_way().try_emplace(context, operation).second)
    breach("a %s has the context of an operation under way", local.what);
}

void end(const void* context) {
  const std::lock_guard guard(mutex);
  under_way().erase(context);
}

void end_all(const fid_ep* endpoint) {
  const std::lock_guard guard(mutex);
  std::erase_if(under_way(), [&](const auto& each) { return each.second.endpoint == endpoint; });
}

void check_closed(const fid_domain* domain) {
  const std::lock_guard guard(mutex);
  for (const Region* each : regions())
    if (each->domain == domain)
      breach("a domain is closed before the registration of %#lx", each->begin);
}

}  // namespace strict
