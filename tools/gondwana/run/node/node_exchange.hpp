// How the nodes of a job learn to reach each other: each offers an info, and all get those of all.
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

  // `link` leads to the launcher and must outlive this.
  explicit NodeExchange(FrameLink& link) : link_(&link) {}

  // The info of this node, at most longest_node_info bytes; once.
  void offer(std::string info) {
    GONDWANA_ASSERT(info.size() <= longest_node_info, info.size());
    link_->send(ThisNode{std::move(info)});
  }

  // Calls `handler` once with the infos of all nodes, in their order: when they come, or now.
  void on_all(OnAll handler) {
    on_all_ = std::move(handler);
    if (infos_) on_all_(*std::exchange(infos_, std::nullopt));
  }

  // From the launcher.
  void receive(std::vector<std::string> infos) {
    if (on_all_)
      on_all_(std::move(infos));
    else
      infos_ = std::move(infos);
  }

 private:
  FrameLink* link_;
  OnAll on_all_;
  std::optional<std::vector<std::string>> infos_;  // came before anybody asked
};

}  // namespace gondwana::launch
