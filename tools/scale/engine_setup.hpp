// The setup of the engines that are measured.
#pragma once

#include <memory>
#include <utility>

#include "engine/engine.hpp"

namespace gondwana::scale {

// The heap is small because nothing uses it. Most of the arena is left for the engine's memory.
inline Engine::Setup engine_setup(Rank rank, std::shared_ptr<NodeMemory> memory) {
  Engine::Setup setup;
  setup.rank = rank;
  setup.ranks = memory->roster().size();
  setup.memory = std::move(memory);
  setup.options.heap_size = std::size_t{1} << 20;
  setup.options.heap_overcommit = true;
  return setup;
}

}  // namespace gondwana::scale
