// What a wrapper holds while it calls the library: from its beginning to its end is the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "call_site.hpp"
#include "gasnet_fwd.h"
#include "shmem.h"

namespace gondwana::profile {

// A call may be made within another one, by a handler of GASNet-EX that a poll runs: its time is
// its own, and not that of the other one.
class Call {
 public:
  // `number` is that of call_names; `bytes` what the arguments say is moved or allocated.
  explicit Call(std::size_t number, std::size_t bytes = 0, CallSite site = this_call());
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 protected:
  bool counts() const { return cell_ != nullptr; }
  void begin_again();

 private:
  std::uint64_t* cell_;  // nothing: not counted, or not now
  std::size_t number_;
  std::size_t bytes_;
  CallSite site_;
  std::uint64_t began_ = 0;
  std::uint64_t within_ = 0;  // ticks of calls that were made within this one
  Call* outer_ = nullptr;
};

enum class Traffic : std::size_t { put, get, atomic, message };

// The rank that a call of GASNet-EX names.
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

// A call that moves bytes between the caller and another PE.
class Transfer : public Call {
 public:
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, int pe,
           CallSite site = this_call());
  // `pe` is a number in the team of the context.
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, shmem_ctx_t ctx, int pe,
           CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Member peer,
           CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Process peer,
           CallSite site = this_call());
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, Sender peer,
           CallSite site = this_call());
};

}  // namespace gondwana::profile
