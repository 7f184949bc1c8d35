#include <cstring>

#include "engine/collectives/staged/level_steps.hpp"

namespace gondwana::staged {

void MovementSteps::move(const Movement& what) {
  if (what.block == 0) return;
  const auto& [from, to] = what.flow;
  if (from)
    what.apart ? scatter(what) : broadcast(what);
  else if (to)
    gather(what);
  else
    what.apart ? exchange(what) : gather_all(what);
}

void MovementSteps::pack(std::byte* dest, const std::byte* source, std::size_t block) {
  chain_.then([=, &map = of_.map] {
    for (std::uint32_t i = 0; i < map.size(); ++i)
      std::memcpy(dest + slot_of(map, i) * block, source + i * block, block);
  });
}

void MovementSteps::unpack(std::byte* dest, const std::byte* source, std::size_t block) {
  chain_.then([=, &map = of_.map] {
    for (std::uint32_t i = 0; i < map.size(); ++i)
      std::memcpy(dest + i * block, source + slot_of(map, i) * block, block);
  });
}

std::size_t MovementSteps::slot_of(const MemberPlaces& map, std::uint32_t member) {
  const auto [node, at] = map.place_of(member);
  return std::size_t{node} * map.most() + at;
}

std::byte* MovementSteps::gather_node(const std::byte* source, std::size_t block, std::byte* room) {
  if (is_alone())
    copy(room, source, block);
  else
    within_node(Movement{
        .flow = {.to = 0}, .apart = false, .block = block, .source = source, .dest = room});
  return room;
}

void MovementSteps::scatter_node(const std::byte* source, std::size_t block, std::byte* dest) {
  if (is_alone()) return copy(dest, source, block);
  within_node(
      Movement{.flow = {.from = 0}, .apart = true, .block = block, .source = source, .dest = dest});
}

void MovementSteps::broadcast(const Movement& what) {
  const bool is_here = is_root_here(what);
  const MemberPlaces::Place from = root(what);
  Movement between = what;
  between.flow = {.from = from.node};
  Movement within = what;
  within.flow = {.from = is_here ? from.at : 0};
  if (is_here && from.at != 0) {
    within_node(within);
    between.source = what.dest;
    between_nodes(between);
    return;
  }
  between_nodes(between);
  if (is_alone()) return;
  within.source = what.dest;
  within_node(within);
}

void MovementSteps::scatter(const Movement& what) {
  const bool is_here = is_root_here(what);
  const std::byte* all = what.source;
  if (is_here && root(what).at != 0) {
    std::byte* copy = room(in_all(what.block));
    within_node(Movement{.flow = {.from = root(what).at, .to = 0},
                         .apart = false,
                         .block = in_all(what.block),
                         .source = what.source,
                         .dest = copy});
    all = copy;
  }
  if (is_leader() && is_here && !of_.map.is_even()) {
    std::byte* packed = room(of_.map.nodes() * of_node(what.block));
    pack(packed, all, what.block);
    all = packed;
  }
  std::byte* here = room(of_node(what.block));
  between_nodes(Movement{.flow = {.from = root(what).node},
                         .apart = true,
                         .block = of_node(what.block),
                         .source = all,
                         .dest = here});
  scatter_node(here, what.block, what.dest);
}

void MovementSteps::gather(const Movement& what) {
  const bool is_here = is_root_here(what);
  const bool is_mine = is_here && root(what).at == 0;
  std::byte* here = gather_node(what.source, what.block, room(of_node(what.block)));
  std::byte* all = what.dest;
  if (is_leader() && is_here && !is_mine) all = room(in_all(what.block));
  gather_nodes({.to = root(what).node}, here, what.block, is_here ? all : nullptr);
  hand_out(what.flow, in_all(what.block), all, what.dest);
}

void MovementSteps::gather_all(const Movement& what) {
  std::byte* here = gather_node(what.source, what.block, room(of_node(what.block)));
  gather_nodes({}, here, what.block, what.dest);
  hand_out({}, in_all(what.block), what.dest, what.dest);
}

void MovementSteps::gather_nodes(const Flow& flow, const std::byte* here, std::size_t block,
                                 std::byte* all) {
  if (!is_leader()) return;
  const bool unpacks = all != nullptr && !of_.map.is_even();
  std::byte* packed = unpacks ? room(of_.map.nodes() * of_node(block)) : all;
  between_nodes(Movement{
      .flow = flow, .apart = false, .block = of_node(block), .source = here, .dest = packed});
  if (unpacks) unpack(all, packed, block);
}

void MovementSteps::exchange(const Movement& what) {
  const std::size_t block = what.block;
  const std::size_t row = in_all(block);
  const std::size_t cell = of_.map.most() * of_node(block);
  const std::uint32_t here = of_.node.size();
  std::byte* rows = gather_node(what.source, row, room(here * row));
  std::byte* sent = room(of_.map.nodes() * cell);
  std::byte* got = room(of_.map.nodes() * cell);
  std::byte* columns = room(here * row);
  const auto for_each = [&map = of_.map, here, block, cell, row](const auto& use) {
    for (std::uint32_t other = 0; other < map.size(); ++other)
      for (std::uint32_t own = 0; own < here; ++own) {
        const auto [node, at] = map.place_of(other);
        use(own * row + other * block, node * cell, std::size_t{own}, std::size_t{at});
      }
  };
  const std::size_t most = of_.map.most();
  if (is_leader())
    chain_.then([=] {
      for_each([&](std::size_t in_row, std::size_t start, std::size_t own, std::size_t at) {
        std::memcpy(sent + start + (own * most + at) * block, rows + in_row, block);
      });
    });
  between_nodes(Movement{.flow = {}, .apart = true, .block = cell, .source = sent, .dest = got});
  if (is_leader())
    chain_.then([=] {
      for_each([&](std::size_t in_column, std::size_t start, std::size_t own, std::size_t at) {
        std::memcpy(columns + in_column, got + start + (at * most + own) * block, block);
      });
    });
  scatter_node(columns, row, what.dest);
}

}  // namespace gondwana::staged
