// The operations that an endpoint over UCX has accepted and not yet reported. UCX ends some of them
// while they are posted, and others while it progresses: the owner is told by the next poll.
#pragma once

#include <ucs/type/status.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "network/endpoint.hpp"

namespace gondwana::ucx {

class PendingOperations {
 public:
  std::size_t count() const { return running_ + ended_.size(); }
  bool has_ended() const { return !ended_.empty(); }

  void begin() { ++running_; }
  void finish(network::Operation& operation, ucs_status_t status) {
    --running_;
    ended_.push_back({&operation, status});
  }
  // Passes what has ended before this call to `on_end`, which may begin and finish others. Returns
  // how many.
  template <typename Report>
  std::size_t report(const Report& on_end) {
    std::swap(ended_, reporting_);
    for (const auto& [operation, status] : reporting_) on_end(*operation, status);
    const std::size_t reported = reporting_.size();
    reporting_.clear();
    return reported;
  }

 private:
  struct Ended {
    network::Operation* operation;
    ucs_status_t status;
  };

  std::size_t running_ = 0;
  std::vector<Ended> ended_;  // not reported yet
  std::vector<Ended> reporting_;
};

}  // namespace gondwana::ucx
