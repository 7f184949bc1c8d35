#include <algorithm>
#include <cstring>

#include "engine/collectives/staged/level_steps.hpp"

namespace gondwana::staged {

void ReductionSteps::reduce(const Reduction& what) {
  if (what.count == 0) return;
  if (what.operation.keeps_order() && !of_.map.is_in_order()) return reduce_in_order(what);
  const bool takes = what.flow.to ? is_root_here(what) && root(what).at == 0 : true;
  std::byte* result = is_leader() ? (takes ? what.dest : room(what.size())) : nullptr;
  const bool small = is_small(what, of_.map.nodes()) ||
                     (of_.leaders.is_scattered() && is_pushed(what, of_.map.nodes()));
  if (small)
    reduce_small(what, result);
  else
    reduce_large(what, result);
  hand_out(what.flow, what.size(), result, what.dest);
}

void ReductionSteps::reduce_node(const Reduction& what, std::byte* sum) {
  Reduction part = what;
  part.flow = {.to = 0};
  part.dest = sum;
  if (is_alone())
    copy(sum, what.source, what.size());
  else
    within_node(part);
}

Flow ReductionSteps::between(const Flow& flow) const {
  return flow.to ? Flow{.to = of_.map.place_of(*flow.to).node} : Flow{};
}

void ReductionSteps::reduce_small(const Reduction& what, std::byte* result) {
  Reduction part = what;
  if (!is_alone()) {
    reduce_node(what, result);
    part.source = result;
  }
  part.flow = between(what.flow);
  part.dest = result;
  between_nodes(part);
}

void ReductionSteps::reduce_large(const Reduction& what, std::byte* result) {
  const std::uint32_t nodes = of_.map.nodes();
  const std::size_t width = what.operation.width();
  const std::size_t count = (what.count + nodes - 1) / nodes;
  const std::size_t part = count * width;
  std::byte* sum = room(nodes * part);
  std::byte* terms = room(nodes * part);
  reduce_node(what, sum);
  if (!is_leader()) return;
  std::memset(sum + what.size(), 0, nodes * part - what.size());
  between_nodes(Movement{.flow = {}, .apart = true, .block = part, .source = sum, .dest = terms});
  const std::size_t begin = std::min(of_.me.node * count, what.count);
  const std::size_t own = std::min(count, what.count - begin);
  chain_.then([=, operation = what.operation] {
    if (own > 0)
      operation.fold(sum, nodes, own, [=](std::uint32_t node) { return terms + node * part; });
  });
  between_nodes(Movement{
      .flow = between(what.flow), .apart = false, .block = part, .source = sum, .dest = terms});
  if (!what.flow.to || is_root_here(what)) copy(result, terms, what.size());
}

void ReductionSteps::reduce_in_order(const Reduction& what) {
  const std::size_t size = what.size();
  const bool takes = !what.flow.to || of_.map.place_of(*what.flow.to) == of_.me;
  std::byte* terms = takes ? any_room(in_all(size)) : nullptr;
  move(Movement{
      .flow = what.flow, .apart = false, .block = size, .source = what.source, .dest = terms});
  if (!takes) return;
  chain_.then([=, members = of_.map.size()] {
    what.operation.fold(what.dest, members, what.count,
                        [=](std::uint32_t member) { return terms + member * size; });
  });
}

}  // namespace gondwana::staged
