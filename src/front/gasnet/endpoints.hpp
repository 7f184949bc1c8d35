// The endpoints of this process, by index. The first is the client's own.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "front/gasnet/objects.hpp"

namespace gondwana::gasnet {

class Endpoints {
 public:
  // Null if the process has the maximum number.
  gex_EP_t make(gex_Client_t client, gex_EP_Capabilities_t capabilities, gex_Flags_t flags);
  void remove(gex_EP_t endpoint);
  // Null: no endpoint has this index.
  gex_EP_t operator[](gex_EP_Index_t index) const { return held_[index].get(); }
  gex_EP_t first() const { return held_[0].get(); }

 private:
  std::mutex mutex_;  // held by a thread that makes or removes one
  std::array<std::unique_ptr<gondwana_gex_endpoint>, max_endpoints> held_;
};

}  // namespace gondwana::gasnet
