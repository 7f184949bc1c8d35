// The messages between ranks that are threads of one process: one queue for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/types.hpp"

namespace gondwana {

class MessageQueues {
 public:
  struct Message {
    Rank from;
    std::vector<std::byte> bytes;
  };

  explicit MessageQueues(std::uint32_t ranks) : boxes_(ranks) {}

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(boxes_.size()); }
  // False: the queue is full.
  bool post(Rank from, Rank to, Bytes head, Bytes body);
  std::optional<Message> take(Rank owner);

 private:
  static constexpr std::size_t room = 64;

  struct Box {
    std::mutex mutex;  // guards `messages`
    std::deque<Message> messages;
  };

  std::deque<Box> boxes_;
};

}  // namespace gondwana
