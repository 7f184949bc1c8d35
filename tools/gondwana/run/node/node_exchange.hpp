// Exchanges the contacts of nodes: each node sends its own and receives those of all nodes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "run/remote/frame_link.hpp"

namespace gondwana::launch {

class NodeExchange {
 public:
  using OnAll = std::function<void(std::vector<std::string> infos)>;

  // `link` leads to the launcher and must outlive this object.
  explicit NodeExchange(FrameLink& link) : link_(&link) {}

  // Sends the contact of this node, at most longest_node_info bytes. Call this once.
  void offer(std::string info) {
    GONDWANA_ASSERT(info.size() <= longest_node_info, info.size());
    link_->send(ThisNode{std::move(info)});
  }

  // Calls `handler` once with the contacts of all nodes, in order: now or when they arrive.
  void on_all(OnAll handler) {
    on_all_ = std::move(handler);
    if (infos_) on_all_(*std::exchange(infos_, std::nullopt));
  }

  // The contacts from the launcher.
  void receive(std::vector<std::string> infos) {
    if (on_all_)
      on_all_(std::move(infos));
    else
      infos_ = std::move(infos);
  }

 private:
  FrameLink* link_;
  OnAll on_all_;
  std::optional<std::vector<std::string>> infos_;  // arrived before on_all() was called
};

}  // namespace gondwana::launch
