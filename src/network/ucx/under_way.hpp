// The operations that an endpoint over UCX has accepted and not yet reported. UCX ends some of them
// while they are posted, and others while it progresses: the owner is told by the next poll.
#pragma once

#include <ucs/type/status.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "network/endpoint.hpp"

namespace gondwana::ucx {

class UnderWay {
 public:
  std::size_t count() const { return running_ + ended_.size(); }
  bool has_ended() const { return !ended_.empty(); }

  void begin() { ++running_; }
  void finish(network::Operation& operation, ucs_status_t status) {
    --running_;
    ended_.push_back({&operation, status});
  }
  // Passes what has ended before this call to `report`, which may begin and finish others. Returns
  // how many.
  template <typename Report>
  std::size_t tell(const Report& report) {
    std::swap(ended_, telling_);
    for (const auto& [operation, status] : telling_) report(*operation, status);
    const std::size_t told = telling_.size();
    telling_.clear();
    return told;
  }

 private:
  struct Ended {
    network::Operation* operation;
    ucs_status_t status;
  };

  std::size_t running_ = 0;
  std::vector<Ended> ended_;  // not reported yet
  std::vector<Ended> telling_;
};

}  // namespace gondwana::ucx
