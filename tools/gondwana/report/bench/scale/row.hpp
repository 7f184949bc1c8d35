// The figures of `gondwana bench scale` for a job of one size, measured or modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gondwana::bench::scale {

// The names and the order that the measuring program uses.
inline constexpr std::array<std::string_view, 14> figure_names{
    "nodes",          "rank_bytes",    "node_bytes",  "launch_messages", "launch_bytes",
    "start_messages", "start_bytes",   "start_steps", "connections",     "barrier_messages",
    "barrier_bytes",  "barrier_steps", "start_us",    "barrier_us"};
enum class Figure : std::uint8_t {
  nodes,
  rank_bytes,
  node_bytes,
  launch_messages,
  launch_bytes,
  start_messages,
  start_bytes,
  start_steps,
  connections,
  barrier_messages,
  barrier_bytes,
  barrier_steps,
  start_us,
  barrier_us
};

struct ScaleRow {
  std::uint32_t ranks = 0;
  bool is_real = false;
  std::array<double, figure_names.size()> figures{};

  double operator[](Figure figure) const { return figures[static_cast<std::size_t>(figure)]; }
};

}  // namespace gondwana::bench::scale
