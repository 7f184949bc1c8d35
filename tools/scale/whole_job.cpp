#include "whole_job.hpp"

#include <fmt/format.h>

#include <memory>

#include "engine_setup.hpp"
#include "memory_use.hpp"
#include "simulated_wire.hpp"

namespace gondwana::scale {
namespace {

// Starts the engine of rank 0 over the simulated nodes.
Result<std::unique_ptr<Engine>> start(const std::shared_ptr<NodeMemory>& memory,
                                      SimulatedNodes& nodes) {
  Result<std::unique_ptr<RemoteClient>> client = RemoteClient::open(
      {.memory = memory, .me = Rank(0), .job_tag = tag, .settings = {}, .through_agent = true});
  if (!client) return client.error();
  Engine::Setup setup = engine_setup(Rank(0), memory);
  setup.wire = Wire(std::make_unique<SimulatedWire>(*std::move(client), nodes));
  return Engine::create(std::move(setup));
}

}  // namespace

Result<Figures> measure_whole_job(const JobShape& shape) {
  Figures figures;
  figures.nodes = shape.nodes();
  const std::uint64_t shared_before = MemoryUse::now().shared;
  const Result<std::shared_ptr<NodeMemory>> memory = make_node(shape, figures.launch);
  if (!memory) return memory.error();
  SimulatedNodes nodes(**memory, tag);
  const std::uint64_t allocated_before = MemoryUse::now().allocated;
  const std::uint64_t began = processor_time_us();
  const Result<std::unique_ptr<Engine>> engine = start(*memory, nodes);
  if (!engine) return engine.error();
  figures.start_us = processor_time_us() - began;
  figures.start = nodes.reset();
  const std::uint64_t entered = processor_time_us();
  (*engine)->collectives().sync((*engine)->teams().world(), "barrier");
  figures.barrier_us = processor_time_us() - entered;
  figures.barrier = nodes.reset();
  figures.connections = nodes.connections();
  const MemoryUse after = MemoryUse::now();
  figures.rank_bytes = after.allocated - allocated_before;
  figures.node_bytes = after.shared - shared_before;
  if (nodes.unknown() == 0) return figures;
  return Error{
      Errc::malformed,
      fmt::format(
          "{} messages of the engine are unknown to the simulated ranks, so figures would be wrong",
          nodes.unknown())};
}

}  // namespace gondwana::scale
