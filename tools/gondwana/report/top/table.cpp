#include "report/top/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/json.hpp"
#include "base/sentence.hpp"
#include "core/printable.hpp"
#include "memory/rank_report.hpp"
#include "report/why/diagnosis.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::top {
namespace {

using jobs::JobSeen;
using jobs::RankSeen;

// The values of a row. A node's row contains sums, and means of shares.
struct Row {
  std::uint32_t number = 0;  // number of the rank or node
  std::string label;
  double operations = 0;  // this and the following are per second
  double put_bytes = 0;
  double get_bytes = 0;
  double messages = 0;
  double sleeps = 0;
  double waited = 0;  // this and the following are shares of the time
  double computed = 0;
  double pending = 0;
  std::string does;
  std::uint32_t ranks = 1;
};

// In the order of columns().
constexpr std::array values{&Row::operations, &Row::put_bytes, &Row::get_bytes, &Row::messages,
                            &Row::sleeps,     &Row::waited,    &Row::computed,  &Row::pending};
constexpr std::size_t first_value = 1;  // index of the first of these columns
constexpr std::size_t first_share = 6;  // index of the first share

Row row_of(const RankSeen& rank, double seconds) {
  const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / seconds; };
  const auto count = [&](Count what) { return rank.counts.at(static_cast<std::size_t>(what)); };
  return {.number = rank.rank,
          .label = fmt::to_string(rank.rank),
          .operations = rate(count(Count::puts) + count(Count::gets) + count(Count::atomics) +
                             count(Count::syncs)),
          .put_bytes = rate(count(Count::put_bytes)),
          .get_bytes = rate(count(Count::get_bytes)),
          .messages = rate(rank.messages),
          .sleeps = rate(count(Count::sleeps)),
          .waited = rank.waited,
          .computed = rank.computed,
          .pending = static_cast<double>(rank.pending),
          .does = why::describe(rank)};
}

std::vector<Row> rows_of(const JobSeen& job) {
  std::vector<Row> rows;
  rows.reserve(job.seen.size());
  for (const RankSeen& rank : job.seen) rows.push_back(row_of(rank, job.watched_s));
  return rows;
}

std::vector<Row> nodes_of(const JobSeen& job) {
  std::vector<Row> rows;
  const std::vector<Row> ranks = rows_of(job);
  for (const jobs::NodeSeen& node : job.found) {
    Row sum{
        .number = node.node,
        .label = fmt::to_string(node.node),
        .does = fmt::format("{} from {} on {}", plural(node.ranks, "rank"), node.first, node.host),
        .ranks = 0};
    for (const Row& row : ranks) {
      if (!node.node_ranks().holds(Rank(static_cast<std::uint32_t>(row.number)))) continue;
      for (const auto value : values) sum.*value += row.*value;
      ++sum.ranks;
    }
    if (sum.ranks > 0) sum.waited /= sum.ranks;
    rows.push_back(sum);
  }
  return rows;
}

// "0", "12.3", "4.56k", "7.8M"
std::string format_rate(double value) {
  constexpr std::array<std::string_view, 5> units{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  if (value == 0) return "0";
  return fmt::format("{:.{}f}{}", value, value < 9.95 ? 2 : value < 99.5 ? 1 : 0, units.at(unit));
}

// A row for each node agent.
std::vector<Row> agents_of(const JobSeen& job) {
  std::vector<Row> rows;
  for (const jobs::NodeSeen& node : job.found) {
    if (!node.agent) continue;
    Row& row = rows.emplace_back();
    row.number = node.node;
    row.label = fmt::format("A{}", node.node);
    row.operations = static_cast<double>(node.agent->batches) / job.watched_s;
    row.computed = node.agent->computed;
    row.pending = node.agent->waiting;
    row.does = fmt::format("agent of node {} on {}, {} bytes in flight", node.node, node.host,
                           node.agent->leaving);
  }
  return rows;
}

void sort(std::vector<Row>& rows, const View& view) {
  if (view.sorted_by >= first_value && view.sorted_by < first_value + values.size()) {
    const auto value = values.at(view.sorted_by - first_value);
    std::ranges::stable_sort(rows, std::greater{}, [&](const Row& row) { return row.*value; });
  } else if (view.sorted_by >= first_value) {
    std::ranges::stable_sort(rows, {}, &Row::does);
  }
  if (view.is_reversed) std::ranges::reverse(rows);
}

int width_of_rates(const View& view) {
  return view.is_narrow ? 5 : 7;
}

std::string line_of(const Row& row, const View& view) {
  std::string line = fmt::format("{:>{}}", row.label, view.is_narrow ? 4 : 5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = row.*values.at(i);
    const bool is_share = i + first_value >= first_share && i + first_value < first_share + 2;
    line += is_share ? fmt::format(" {:>5.0f}", 100 * value)
                     : fmt::format(" {:>{}}", format_rate(value), width_of_rates(view));
  }
  return line + (view.is_narrow ? " " : "  ") + row.does;
}

std::string titles(const View& view) {
  std::string line = fmt::format("{:>{}}", view.by_node ? "NODE" : "RANK", view.is_narrow ? 4 : 5);
  for (std::size_t i = first_value; i < columns().size(); ++i) {
    const bool is_share = i >= first_share && i < first_share + 2;
    const bool is_last = i + 1 == columns().size();
    const std::string_view name = view.is_narrow ? columns()[i].narrow_name : columns()[i].name;
    line += is_last ? fmt::format("{}{}", view.is_narrow ? " " : "  ", name)
                    : fmt::format(" {:>{}}", name, is_share ? 5 : width_of_rates(view));
  }
  return line;
}

Json agents_to_json(const JobSeen& job) {
  Json agents = Json::array();
  for (const jobs::NodeSeen& node : job.found) {
    if (!node.agent) continue;
    const jobs::AgentSeen& agent = *node.agent;
    agents.push_back({{"node", node.node},
                      {"host", node.host},
                      {"process", agent.pid},
                      {"batches", rounded(static_cast<double>(agent.batches) / job.watched_s)},
                      {"computed", rounded(agent.computed)},
                      {"waiting", agent.waiting},
                      {"leaving", agent.leaving}});
  }
  return agents;
}

}  // namespace

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {"RANK", "RANK", "rank", 'r'},          {"OPS/S", "OPS/S", "operations", 'o'},
      {"PUT B/S", "PUT/S", "put_bytes", 'p'}, {"GET B/S", "GET/S", "get_bytes", 'g'},
      {"NET/S", "NET/S", "messages", 'm'},    {"SLEEP/S", "SLP/S", "sleeps", 's'},
      {"WAIT%", "WAIT%", "waited", 'w'},      {"CPU%", "CPU%", "computed", 'c'},
      {"QUEUED", "QUEUE", "under_way", 'u'},  {"DOES", "DOES", "does", 'd'}};
  return all;
}

Result<std::size_t> find_column(std::string_view field) {
  const auto found = std::ranges::find(columns(), field, &Column::field);
  if (found != columns().end()) return static_cast<std::size_t>(found - columns().begin());
  return Error{Errc::invalid_argument,
               fmt::format("--sort \"{}\": expected {}", field,
                           fmt::join(columns() | std::views::transform(&Column::field), ", "))};
}

Table table_of(const JobSeen& job, const View& view) {
  std::vector<Row> rows = view.by_node ? nodes_of(job) : rows_of(job);
  Row all{.label = "all", .does = {}, .ranks = 0};
  for (const Row& row : rows)
    for (const auto value : values) all.*value += row.*value;
  if (!rows.empty()) all.waited /= static_cast<double>(rows.size());
  sort(rows, view);
  Table table;
  table.headers = {fmt::format("job {}, {} ranks on {}, {}", job.id, job.ranks,
                               plural(job.nodes, "node"), job.program),
                   why::diagnose(job).sentences.front(), titles(view)};
  if (!job.complaints.empty())
    table.headers.insert(table.headers.end() - 1,
                         fmt::format("incomplete: {}", fmt::join(job.complaints, "; ")));
  table.rows.push_back(line_of(all, view));
  for (const Row& row : rows) table.rows.push_back(line_of(row, view));
  for (const Row& row : agents_of(job)) table.rows.push_back(line_of(row, view));
  for (auto* lines : {&table.headers, &table.rows})
    std::ranges::transform(*lines, lines->begin(), &printable);
  return table;
}

std::string to_json(const JobSeen& job) {
  Json ranks = Json::array();
  for (const Row& row : rows_of(job)) {
    Json& fields = ranks.emplace_back(Json{{"rank", row.number}});
    for (std::size_t i = 0; i < values.size(); ++i)
      fields[std::string(columns()[i + first_value].field)] = rounded(row.*values.at(i));
    fields["does"] = row.does;
  }
  return to_text(Json{{"job", job.id},
                      {"seconds", rounded(job.watched_s)},
                      {"ended", why::is_over(job)},
                      {"complaints", job.complaints},
                      {"agents", agents_to_json(job)},
                      {"ranks", ranks}});
}

}  // namespace gondwana::top
