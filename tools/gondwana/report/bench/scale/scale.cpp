#include "report/bench/scale/scale.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/complain.hpp"
#include "report/bench/installed_file.hpp"
#include "report/bench/output_of.hpp"
#include "report/bench/scale/model.hpp"
#include "report/bench/scale/scale_choices.hpp"
#include "report/bench/scale/scale_report.hpp"

namespace gondwana::bench::scale {
namespace {

// Parses lines such as "nodes 17", in the order of the figures.
Result<ScaleRow> read_row(std::uint32_t ranks, const std::string& output) {
  ScaleRow row{.ranks = ranks, .is_real = true};
  std::istringstream lines(output);
  for (std::size_t i = 0; i < figure_names.size(); ++i) {
    std::string name;
    if (!(lines >> name >> row.figures[i]) || name != figure_names[i])
      return Error{
          Errc::malformed,
          fmt::format("gondwana-scale reports no {}: it is from another build than the command",
                      figure_names[i])};
  }
  return row;
}

Result<ScaleRow> measure(const std::string& program, std::uint32_t ranks,
                         std::uint32_t node_ranks) {
  const Result<std::string> output =
      output_of({program, fmt::to_string(ranks), fmt::to_string(node_ranks)});
  return output ? read_row(ranks, *output) : output.error();
}

Result<std::vector<ScaleRow>> rows_of(const ScaleChoices& choices) {
  const Result<std::string> program = find_file("gondwana-scale", GONDWANA_MODULES "/bench");
  if (!program) return program.error();
  std::vector<ScaleRow> rows;
  std::size_t real = 0;
  for (const std::uint32_t ranks : choices.sizes()) {
    const bool is_real = ranks <= choices.max_real_ranks;
    const Result<ScaleRow> row = is_real ? measure(*program, ranks, choices.node_ranks)
                                         : modelled_row(std::span(rows).first(real), ranks);
    if (!row) return row.error();
    rows.push_back(*row);
    if (is_real) ++real;
  }
  return rows;
}

}  // namespace

int scale_command(const std::vector<std::string>& words) {
  const Result<ScaleChoices> choices = parse_scale(words);
  if (!choices) return complain("bench scale", choices.error().text);
  if (!choices->help.empty()) {
    fmt::print("{}", choices->help);
    return 0;
  }
  const Result<std::vector<ScaleRow>> rows = rows_of(*choices);
  if (!rows) return complain("bench scale", rows.error().text);
  fmt::print("{}", scale_report(*choices, *rows));
  return 0;
}

}  // namespace gondwana::bench::scale
