// An object that a wrapper holds while it calls the library. Its lifetime is the time of the call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "call_site.hpp"
#include "gasnet_fwd.h"
#include "shmem.h"
#include "tracing/trace_place.hpp"

namespace gondwana::profile {

// A GASNet-EX handler may make a call inside another call that polls. The time of the inner call is
// not counted for the outer one. In a traced job each call is also an event.
class Call {
 public:
  // `number` is an index into call_names; `bytes` is the number of bytes that the arguments move or
  // allocate.
  explicit Call(std::size_t number, std::size_t bytes = 0, CallSite site = this_call());
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 protected:
  // The event starts later, when begin() gives its kind.
  struct StartsLater {};
  Call(std::size_t number, std::size_t bytes, CallSite site, StartsLater /*tag*/);
  void begin(EventKind kind, const void* place, std::uint32_t peer = TraceEvent::nobody);
  // For events whose size differs from the bytes that are counted.
  void begin(EventKind kind, const void* place, std::uint32_t peer, std::uint64_t size);
  void set_place(const void* place);

  bool counts() const { return cell_ != nullptr; }
  bool is_traced() const { return ring_ != nullptr; }
  std::size_t bytes_moved() const { return bytes_; }

 private:
  void count(std::uint64_t passed);

  std::uint64_t* cell_ = nullptr;  // null: not counted now
  TraceRing* ring_ = nullptr;      // null: not traced now
  std::size_t number_;
  std::size_t bytes_;
  CallSite site_;
  std::uint64_t began_ = 0;
  std::uint64_t within_ = 0;  // ticks of calls made inside this one
  Call* outer_ = nullptr;
  std::uint64_t event_ = 0;
};

// A call that waits until words of the caller have certain values: `bytes` bytes from `place`.
class WordWait : public Call {
 public:
  WordWait(std::size_t number, const void* place, std::size_t bytes, CallSite site = this_call());
};

// A call that allocates symmetric memory.
class Allocation : public Call {
 public:
  Allocation(std::size_t number, std::size_t bytes, CallSite site = this_call());
  // Records the address of the memory, and returns it.
  template <typename Pointer>
  Pointer made(Pointer memory) {
    set_place(memory);
    return memory;
  }
};

// A call that takes or releases the lock at `lock`.
class LockCall : public Call {
 public:
  LockCall(std::size_t number, EventKind kind, const void* lock, CallSite site = this_call());
};

// A call that waits for all ranks, or for the members of a team or an active set.
class Barrier : public Call {
 public:
  explicit Barrier(std::size_t number, CallSite site = this_call());
  Barrier(std::size_t number, shmem_team_t team, CallSite site = this_call());
  Barrier(std::size_t number, int first, int log_stride, int size, CallSite site = this_call());

 private:
  void begin_for(int first, int distance, int size);
};

enum class Traffic : std::size_t { put, get, atomic, message };

// The rank that a GASNet-EX call names.
struct Member {
  gex_TM_t tm;
  gex_Rank_t rank;
};
struct Process {
  gex_Rank_t rank;
};
struct Sender {
  gex_Token_t token;
};

// A call that moves bytes between the caller and another PE. `place` is the address in the PE's
// memory, as the caller names it; null if the call names no single address.
class Transfer : public Call {
 public:
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, int pe, const void* place = nullptr,
           CallSite site = this_call());
  // `pe` is numbered in the team of the context.
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, shmem_ctx_t ctx, int pe,
           const void* place = nullptr, CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Member peer,
           const void* place = nullptr, CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Process peer,
           const void* place = nullptr, CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Sender peer,
           const void* place = nullptr, CallSite site = this_call());

 private:
  bool needs_peer() const;
  void begin_with(Traffic kind, int pe, const void* place);
};

}  // namespace gondwana::profile
