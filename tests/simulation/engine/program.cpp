#include "simulation/engine/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace gondwana::simulation {
namespace {

std::string describe(const Loss& loss) {
  const char* what = loss.what == Loss::What::rank    ? "rank"
                     : loss.what == Loss::What::agent ? "agent of node"
                                                      : "node";
  return fmt::format("; {} {} dies after {:.3f} ms, {}", what, loss.number,
                     static_cast<double>(loss.after_ns) * 1e-6,
                     loss.is_reset ? "and operations to it fail" : "in silence");
}

}  // namespace

std::uint32_t Program::ranks() const {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint32_t{0});
}

std::string describe(const Program& program) {
  std::size_t actions = 0;
  for (const Phase& phase : program.phases)
    for (const auto& each : phase.actions) actions += each.size();
  return fmt::format(
      "nodes of {} ranks, {}; {} sessions of {} phases, {} actions; spins {}, eager limit {}, "
      "batch limit {}, peer timeout {} s{}",
      fmt::join(program.nodes, ", "),
      program.through_agent ? "agents carry messages" : "own endpoints", program.sessions,
      program.phases.size(), actions, program.spins, program.eager_limit, program.batch_limit,
      program.peer_timeout_s, program.loss ? describe(*program.loss) : "");
}

}  // namespace gondwana::simulation
