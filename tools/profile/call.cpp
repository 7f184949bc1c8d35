#include "call.hpp"

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

// Where the calling thread counts, in the session of that number.
struct Place {
  std::uint64_t session = Profile::nowhere;
  Counters counters;
  Call* innermost = nullptr;   // of the calls that this thread is in
  PathTable* paths = nullptr;  // nothing: only calls are counted
  Stack stack;
};

// Initial-exec: found without a call, as the library is loaded with the program.
[[gnu::tls_model("initial-exec")]] constinit thread_local Place place;

// A thread that ends leaves its table to the next one.
struct Leave {
  ~Leave() {
    Profile::instance().give_back(place.session, place.counters, place.paths);
    place.session = Profile::nowhere;
    place.counters = {};
    place.paths = nullptr;
  }
};

[[gnu::noinline]] bool take_place(std::uint64_t session) {
  find_library();
  if (session == Profile::off) return false;
  thread_local const Leave at_the_end;
  static_cast<void>(&at_the_end);
  place.session = session;
  place.counters = Profile::instance().lease();
  place.paths = Profile::instance().lease_paths();
  if (place.paths != nullptr) place.stack = own_stack();
  return true;
}

std::uint64_t* cell_of(std::size_t number) {
  const std::uint64_t session = Profile::counted_session();
  if (place.session != session && !take_place(session)) [[unlikely]]
    return nullptr;
  return place.counters.cell(number);
}

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

Call::Call(std::size_t number, std::size_t bytes, CallSite site)
    : cell_(cell_of(number)), number_(number), bytes_(bytes), site_(site) {
  if (!counts()) return;
  outer_ = std::exchange(place.innermost, this);
  began_ = ticks();
}

Call::~Call() {
  if (!counts()) return;
  const std::uint64_t passed = ticks() - began_;
  Counters::add_call(cell_, passed - within_, bytes_);
  if (place.paths != nullptr)
    place.paths->add(number_, path_of(site_, place.stack), passed - within_, bytes_);
  place.innermost = outer_;
  if (outer_ != nullptr) outer_->within_ += passed;
}

void Call::begin_again() {
  began_ = ticks();
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, int pe, CallSite site)
    : Call(number, bytes, site) {
  if (!counts() || place.counters.peers() == 0) return;
  add_traffic(kind, bytes, pe);
  begin_again();
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, shmem_ctx_t ctx, int pe,
                   CallSite site)
    : Call(number, bytes, site) {
  if (!counts() || place.counters.peers() == 0) return;
  add_traffic(kind, bytes, world_number(ctx, pe));
  begin_again();
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Member peer, CallSite site)
    : Call(number, bytes, site) {
  if (!counts() || place.counters.peers() == 0) return;
  add_traffic(kind, bytes, job_rank(peer));
  begin_again();
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Process peer, CallSite site)
    : Call(number, bytes, site) {
  if (!counts() || place.counters.peers() == 0) return;
  add_traffic(kind, bytes, static_cast<int>(peer.rank));
}

Transfer::Transfer(std::size_t number, Traffic kind, std::size_t bytes, Sender peer, CallSite site)
    : Call(number, bytes, site) {
  if (!counts() || place.counters.peers() == 0) return;
  add_traffic(kind, bytes, job_rank(peer));
  begin_again();
}

void record(std::size_t number, std::uint64_t ticks) {
  if (std::uint64_t* cell = cell_of(number)) Counters::add_call(cell, ticks, 0);
}

}  // namespace gondwana::profile
