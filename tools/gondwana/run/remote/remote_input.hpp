// Carries what the launcher read from its standard input to the rank that reads it.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/remote/frame_link.hpp"

namespace gondwana::launch {

class RemoteInput {
 public:
  // Both must outlive this.
  RemoteInput(Poller& poller, FrameLink& link) : poller_(&poller), link_(&link) {}
  RemoteInput(const RemoteInput&) = delete;
  RemoteInput& operator=(const RemoteInput&) = delete;

  // Begins; returns the end of a pipe from which the rank reads.
  Result<UniqueFd> start();
  // Text for the rank; empty: nothing follows.
  void add(std::string_view text);
  // The rank is gone.
  void stop();

 private:
  void write_rank();
  void forget();

  Poller* poller_;
  FrameLink* link_;
  UniqueFd to_rank_;
  std::string held_;  // not yet taken by the rank; the launcher sends no more than its window
  bool ended_ = false;
};

}  // namespace gondwana::launch
