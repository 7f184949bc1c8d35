// The active messages of a rank, through the door of GASNet-EX: short, medium and long requests.
// The handler of each compares the payload and replies.
#pragma once

#include <cstdint>
#include <memory>

#include "simulation/engine/rank_context.hpp"

namespace gondwana::simulation {

class RankMessages {
 public:
  // Collective.
  RankMessages(RankContext& rank, Engine& engine);
  RankMessages(const RankMessages&) = delete;
  RankMessages& operator=(const RankMessages&) = delete;
  ~RankMessages();

  void send(const Action& action);
  // Waits until all requests of the phase have come, and all replies.
  void finish(const Phase& phase);

  // For the handlers.
  struct Door;
  void take_request(std::uint32_t from, const std::byte* payload, std::size_t size,
                    std::uint64_t value);
  void take_reply(const std::byte* payload, std::size_t size, std::uint64_t value);

 private:
  bool has_all(const Phase& phase) const;

  RankContext& rank_;
  std::unique_ptr<Door> door_;
  std::vector<std::uint32_t> requests_;  // that have come in this phase, by sender
  std::uint64_t sent_ = 0;
  std::uint64_t replies_ = 0;
};

}  // namespace gondwana::simulation
