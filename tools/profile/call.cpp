#include "call.hpp"

#include <array>
#include <atomic>
#include <utility>

#include "clock.hpp"
#include "counters.hpp"
#include "gasnet_call.hpp"
#include "library.hpp"
#include "path_table.hpp"
#include "profile.hpp"
#include "pshmem.h"

namespace gondwana::profile {
namespace {

// The counters of the calling thread, and their session.
struct Place {
  std::uint64_t session = Profile::nowhere;
  Counters counters;
  Call* innermost = nullptr;   // the innermost call that this thread is in
  PathTable* paths = nullptr;  // null: only calls are counted
  TraceRing* ring = nullptr;   // null: the job is not traced
  const TraceSites* sites = nullptr;
  Stack stack;
};

// Initial-exec: accessed without a function call, because the library is loaded with the program.
[[gnu::tls_model("initial-exec")]] constinit thread_local Place place;

// When a thread ends, the next thread takes over its table.
struct Leave {
  ~Leave() {
    Profile::instance().give_back(place.session, place.counters, place.paths);
    place.session = Profile::nowhere;
    place.counters = {};
    place.paths = nullptr;
    place.ring = nullptr;
  }
};

[[gnu::noinline, gnu::cold]] bool take_place(std::uint64_t session) noexcept {
  find_library();
  if (session == Profile::off) return false;
  thread_local const Leave at_the_end;
  static_cast<void>(&at_the_end);
  place.session = session;
  place.counters = Profile::instance().lease();
  place.paths = Profile::instance().lease_paths();
  place.ring = trace_ring();
  place.sites = place.ring != nullptr ? trace_sites() : nullptr;
  if (place.paths != nullptr) place.stack = own_stack();
  return true;
}

// Returns whether calls are counted or traced now.
[[gnu::always_inline]] inline bool has_place() {
  const std::uint64_t session = Profile::counted_session();
  return place.session == session || take_place(session);
}

[[gnu::always_inline]] inline std::uint64_t* cell_of(std::size_t number) {
  return has_place() ? place.counters.cell(number) : nullptr;
}

// The numbers of call names in events; each is requested when first needed.
constinit std::array<std::atomic<std::uint16_t>, call_names.size()> event_names{};

[[gnu::always_inline]] inline std::uint16_t event_name_of(std::size_t number) {
  std::atomic<std::uint16_t>& name = event_names[number];
  if (name.load(std::memory_order_relaxed) == 0) [[unlikely]]
    name.store(trace_name(call_names[number].data()), std::memory_order_relaxed);
  return name.load(std::memory_order_relaxed);
}

// Returns the number of the place that a call returns to. Each place gets its number once.
[[gnu::always_inline]] inline std::uint16_t site_number_of(CallSite site) {
  const auto address = reinterpret_cast<std::uintptr_t>(site.frame[1]);
  if (place.sites == nullptr) return 0;
  const std::uint16_t known = place.sites->find(address);
  return known != 0 ? known : add_trace_site(address);
}

constexpr std::array<EventKind, traffic_kinds> event_kinds{EventKind::put, EventKind::get,
                                                           EventKind::atomic, EventKind::send};

void add_traffic(Traffic kind, std::size_t bytes, int pe) {
  const auto peer = static_cast<std::size_t>(pe);
  if (peer < place.counters.peers()) place.counters.add_traffic(kind, peer, bytes);
}

int world_number(shmem_ctx_t ctx, int pe) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_DEFAULT) return pe;
  if (ctx == SHMEM_CTX_INVALID || pshmem_ctx_get_team(ctx, &team) != 0) return -1;
  return pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
}

}  // namespace

[[gnu::always_inline]] inline Call::Call(std::size_t number, std::size_t bytes, CallSite site,
                                         StartsLater /*tag*/)
    : number_(number), bytes_(bytes), site_(site) {
  if (!has_place()) return;
  cell_ = place.counters.cell(number);
  ring_ = place.ring;
}

[[gnu::always_inline]] inline void Call::begin(EventKind kind, const void* at, std::uint32_t peer) {
  begin(kind, at, peer, bytes_);
}

[[gnu::always_inline]] inline void Call::begin(EventKind kind, const void* at, std::uint32_t peer,
                                               std::uint64_t size) {
  if (counts()) outer_ = std::exchange(place.innermost, this);
  if (counts() || is_traced()) began_ = ticks();
  if (!is_traced()) return;
  event_ = ring_->begin({.begin = began_,
                         .kind = kind,
                         .name = event_name_of(number_),
                         .peer = peer,
                         .place = reinterpret_cast<std::uintptr_t>(at),
                         .bytes = size,
                         .site = site_number_of(site_)});
}

void Call::set_place(const void* at) {
  if (is_traced()) ring_->set_place(event_, reinterpret_cast<std::uintptr_t>(at));
}

Call::Call(std::size_t number, std::size_t bytes, CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin(EventKind::call, nullptr);
}

Call::~Call() {
  if (!counts() && !is_traced()) return;
  const std::uint64_t passed = ticks() - began_;
  if (is_traced()) ring_->end(event_, passed);
  if (counts()) count(passed);
}

[[gnu::noinline]] void Call::count(std::uint64_t passed) {
  Counters::add_call(cell_, passed - within_, bytes_);
  if (place.paths != nullptr)
    place.paths->add(number_, path_of(site_, place.stack), passed - within_, bytes_);
  place.innermost = outer_;
  if (outer_ != nullptr) outer_->within_ += passed;
}

WordWait::WordWait(std::size_t number, const void* at, std::size_t bytes, CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin(EventKind::word_wait, at);
}

Allocation::Allocation(std::size_t number, std::size_t bytes, CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin(EventKind::allocation, nullptr);
}

LockCall::LockCall(std::size_t number, EventKind kind, const void* lock, CallSite site)
    : Call(number, 0, site, StartsLater()) {
  begin(kind, lock);
}

Barrier::Barrier(std::size_t number, CallSite site) : Call(number, 0, site, StartsLater()) {
  begin(EventKind::barrier, nullptr);
}

Barrier::Barrier(std::size_t number, shmem_team_t team, CallSite site)
    : Call(number, 0, site, StartsLater()) {
  const int size = is_traced() ? pshmem_team_n_pes(team) : -1;
  if (size < 1) {  // the job is not traced, or there is no such team
    begin(EventKind::call, nullptr);
    return;
  }
  const auto rank = [team](int pe) { return pshmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD); };
  begin_for(rank(0), size > 1 ? rank(1) - rank(0) : 1, size);
}

Barrier::Barrier(std::size_t number, int first, int log_stride, int size, CallSite site)
    : Call(number, 0, site, StartsLater()) {
  begin_for(first, 1 << (log_stride & 31), size);
}

void Barrier::begin_for(int first, int distance, int size) {
  begin(EventKind::barrier, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(distance)),
        static_cast<std::uint32_t>(first), static_cast<std::uint64_t>(size));
}

[[gnu::always_inline]] inline bool Transfer::needs_peer() const {
  return is_traced() || (counts() && place.counters.peers() > 0);
}

[[gnu::always_inline]] inline void Transfer::begin_with(Traffic kind, int pe, const void* at) {
  if (counts() && place.counters.peers() > 0) add_traffic(kind, bytes_moved(), pe);
  begin(event_kinds[static_cast<std::size_t>(kind)], at,
        pe < 0 ? TraceEvent::nobody : static_cast<std::uint32_t>(pe));
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, int pe, const void* at,
                   CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin_with(kind, pe, at);
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, shmem_ctx_t ctx, int pe,
                   const void* at, CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin_with(kind, needs_peer() ? world_number(ctx, pe) : pe, at);
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Member peer, const void* at,
                   CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin_with(kind, needs_peer() ? job_rank(peer) : -1, at);
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Process peer,
                   const void* at, CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin_with(kind, static_cast<int>(peer.rank), at);
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Sender peer, const void* at,
                   CallSite site)
    : Call(number, bytes, site, StartsLater()) {
  begin_with(kind, needs_peer() ? job_rank(peer) : -1, at);
}

void record(std::size_t number, std::uint64_t began, std::uint64_t passed) {
  if (std::uint64_t* cell = cell_of(number)) Counters::add_call(cell, passed, 0);
  if (!has_place() || place.ring == nullptr) return;
  place.ring->add({.begin = began, .duration = passed, .name = event_name_of(number)});
}

}  // namespace gondwana::profile
