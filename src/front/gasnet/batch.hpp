// Operations of GASNet that a client waits for together.
#pragma once

#include <cstddef>
#include <vector>

#include "core/completion.hpp"

namespace gondwana::gasnet {

// Operations in flight, and the copies of their sources. The owner must wait for completion.
class Batch {
 public:
  bool is_done() const { return done_.done() && reading_.done(); }
  // Whether the client may use all sources again: local completion.
  bool has_free_sources() const { return reading_.done(); }

 private:
  friend class DeviceTransfers;
  friend class RemoteMemory;

  Completion done_;
  Completion reading_;    // puts that read the client's memory until they complete
  Completion on_device_;  // the part of done_ that devices carry out: they wake no thread
  std::size_t kept_ = 0;  // total bytes in copies_
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace gondwana::gasnet
