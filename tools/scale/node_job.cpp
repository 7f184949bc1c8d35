#include "node_job.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "engine_setup.hpp"
#include "memory_use.hpp"
#include "node_exchange.hpp"

namespace gondwana::scale {
namespace {

using Engines = std::vector<Result<std::unique_ptr<Engine>>>;

// Each engine starts in its own thread, because a rank waits for the others.
Engines start(const std::shared_ptr<NodeMemory>& memory) {
  const std::uint32_t ranks = memory->roster().here().size();
  Engines engines;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) engines.emplace_back(nullptr);
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back(
        [&, rank] { engines[rank] = Engine::create(engine_setup(Rank(rank), memory)); });
  return engines;
}

}  // namespace

Result<Figures> measure_on_one_node(std::uint32_t ranks) {
  const MemoryUse before = MemoryUse::now();
  Figures figures;
  const Result<std::shared_ptr<NodeMemory>> memory =
      make_memory(NodeShare::whole(ranks), std::nullopt, figures.launch);
  if (!memory) return memory.error();
  const std::uint64_t began = processor_time_us();
  const Engines engines = start(*memory);
  figures.start_us = (processor_time_us() - began) / ranks;
  for (const Result<std::unique_ptr<Engine>>& engine : engines)
    if (!engine) return engine.error();
  const MemoryUse after = MemoryUse::now();
  figures.rank_bytes = (after.allocated - before.allocated) / ranks;
  figures.node_bytes = after.shared - before.shared;
  return figures;
}

}  // namespace gondwana::scale
