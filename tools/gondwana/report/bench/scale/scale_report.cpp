#include "report/bench/scale/scale_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace gondwana::bench::scale {
namespace {

std::string_view source_of(const ScaleRow& row) {
  return row.is_real ? "real" : "modelled";
}

// Bytes per other rank of the job.
double per_peer(const ScaleRow& row, Figure bytes) {
  return row[bytes] / (row.ranks - 1);
}

std::string to_table(const ScaleChoices& choices, const std::vector<ScaleRow>& rows) {
  std::string text = fmt::format(
      "# Gondwana, one rank of a job: bytes for each peer, what its node sends at the start and "
      "in a barrier, {} ranks on a "
      "node\n{:<10}{:>8}{:>13}{:>13}{:>12}{:>11}{:>12}{:>12}{:>13}{:>14}"
      "{:>14}  Source\n",
      choices.node_ranks, "# Ranks", "Nodes", "Rank B/peer", "Node B/peer", "Launch (B)",
      "Start (B)", "Start msgs", "Start steps", "Connections", "Barrier msgs", "Barrier steps");
  for (const ScaleRow& row : rows)
    text += fmt::format(
        "{:<10}{:>8.0f}{:>13.1f}{:>13.1f}{:>12.0f}{:>11.0f}{:>12.0f}{:>12.0f}{:>13.0f}{:>14.0f}"
        "{:>14.0f}  {}\n",
        row.ranks, row[Figure::nodes], per_peer(row, Figure::rank_bytes),
        per_peer(row, Figure::node_bytes), row[Figure::launch_bytes], row[Figure::start_bytes],
        row[Figure::start_messages], row[Figure::start_steps], row[Figure::connections],
        row[Figure::barrier_messages], row[Figure::barrier_steps], source_of(row));
  return text;
}

std::string to_csv(const std::vector<ScaleRow>& rows) {
  std::string text = fmt::format("ranks,{},source\n", fmt::join(figure_names, ","));
  for (const ScaleRow& row : rows)
    text += fmt::format("{},{:.0f},{}\n", row.ranks, fmt::join(row.figures, ","), source_of(row));
  return text;
}

std::string to_json(const ScaleChoices& choices, const std::vector<ScaleRow>& rows) {
  Json all = Json::array();
  for (const ScaleRow& row : rows) {
    Json& object = all.emplace_back(Json{{"ranks", row.ranks}});
    for (std::size_t i = 0; i < figure_names.size(); ++i)
      object[std::string(figure_names[i])] = std::llround(row.figures[i]);
    object["source"] = source_of(row);
  }
  return to_text(Json{{"version", GONDWANA_VERSION},
                      {"subject", "scale"},
                      {"node_ranks", choices.node_ranks},
                      {"rows", all}});
}

}  // namespace

std::string scale_report(const ScaleChoices& choices, const std::vector<ScaleRow>& rows) {
  switch (choices.format) {
    case Format::table:
      return to_table(choices, rows);
    case Format::csv:
      return to_csv(rows);
    case Format::json:
      return to_json(choices, rows);
  }
  return "";
}

}  // namespace gondwana::bench::scale
