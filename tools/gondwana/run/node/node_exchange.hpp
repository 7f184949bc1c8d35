// How the nodes of a job learn to reach each other: each offers a card, and all get those of all.
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
  using OnAll = std::function<void(std::vector<std::string> cards)>;

  // `link` leads to the launcher and must outlive this.
  explicit NodeExchange(FrameLink& link) : link_(&link) {}

  // The card of this node, at most longest_card bytes; once.
  void offer(std::string card) {
    GONDWANA_ASSERT(card.size() <= longest_card, card.size());
    link_->send(Card{std::move(card)});
  }

  // Calls `handler` once with the cards of all nodes, in their order: when they come, or now.
  void on_all(OnAll handler) {
    on_all_ = std::move(handler);
    if (cards_) on_all_(*std::exchange(cards_, std::nullopt));
  }

  // From the launcher.
  void receive(std::vector<std::string> cards) {
    if (on_all_)
      on_all_(std::move(cards));
    else
      cards_ = std::move(cards);
  }

 private:
  FrameLink* link_;
  OnAll on_all_;
  std::optional<std::vector<std::string>> cards_;  // came before anybody asked
};

}  // namespace gondwana::launch
