// How an idle agent polls, yields and sleeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>

#include "core/function_ref.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::remote {

class AgentSleep {
 public:
  // `may_spin`: a processor is free.
  explicit AgentSleep(bool may_spin) : may_spin_(may_spin) {}

  // Events at these descriptors end a sleep; -1: there is none. `bell`: of the ranks. It is
  // edge-triggered, so it need not be read.
  void end_with(std::initializer_list<int> descriptors, int bell);
  // A large device transfer is in progress: polls until its next chunk has arrived.
  void expect_chunk();

  // False: the time or the yields are exhausted.
  bool yields_until(FunctionRef<bool()> done) const;
  // Sleeps until an event. Rounds `limit` up on kernels without a finer timeout.
  void wait(std::chrono::nanoseconds limit) const;

 private:
  bool may_spin_;
  std::uint64_t chunks_until_ns_ = 0;  // time until which the next chunk is expected
  UniqueFd events_;                    // an epoll instance
};

}  // namespace gondwana::remote
