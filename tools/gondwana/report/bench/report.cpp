#include "report/bench/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.hpp"

namespace gondwana::bench {
namespace {

// The time of one operation, converted to the subject's unit.
double in_unit(Unit unit, double ns, std::uint64_t bytes) {
  switch (unit) {
    case Unit::microseconds:
      return ns / 1e3;
    case Unit::megabytes:
      return 1e3 * static_cast<double>(bytes) / ns;
    case Unit::millions:
      return 1e3 / ns;
    case Unit::milliseconds:
      return ns / 1e6;
    case Unit::kibibytes:
      return ns / 1024;  // `ns` holds bytes
  }
  return ns;
}

struct UnitName {
  std::string_view quantity;
  std::string_view symbol;
};

UnitName names_of(Unit unit) {
  switch (unit) {
    case Unit::microseconds:
      return {"Latency", "us"};
    case Unit::megabytes:
      return {"Bandwidth", "MB/s"};
    case Unit::millions:
      return {"Rate", "M/s"};
    case Unit::milliseconds:
      return {"Time", "ms"};
    case Unit::kibibytes:
      return {"Memory", "KiB"};
  }
  return {};
}

std::string name_of(Unit unit) {
  const UnitName names = names_of(unit);
  return fmt::format("{} ({})", names.quantity, names.symbol);
}

std::vector<double> in_unit(Unit unit, std::vector<double> ns, std::uint64_t bytes) {
  for (double& value : ns) value = in_unit(unit, value, bytes);
  return ns;
}

struct Row {
  std::string label;  // the size, or the operation if there are no sizes
  const Series* series;
  Quartiles ours;
  std::optional<double> control;             // median
  std::optional<double> ratio;               // median over rounds; for programs the speed-up
  std::vector<std::optional<double>> peers;  // the median of each
  std::vector<std::optional<double>> gains;  // that time divided by our median
};

bool has_numbers(const Subject& subject) {
  return subject.axis != Axis::none;
}

bool is_program(const Subject& subject) {
  return subject.kind == Kind::program;
}

std::string_view title_of(Axis axis) {
  switch (axis) {
    case Axis::bytes:
      return "# Size";
    case Axis::ranks:
      return "# Ranks";
    case Axis::none:
      return "# Operation";
  }
  return "";
}

// A peer may lack some operations.
std::optional<double> at(const std::vector<std::optional<double>>& values, std::size_t number) {
  return number < values.size() ? values[number] : std::nullopt;
}

Row row_of(const Subject& subject, const Series& series) {
  const std::uint64_t bytes = series.bytes;
  Row row{has_numbers(subject) ? fmt::to_string(bytes) : series.operation,
          &series,
          quartiles_of(in_unit(subject.unit, series.ours, bytes)),
          {},
          {},
          {},
          {}};
  for (const std::vector<double>& peer : series.peers) {
    row.peers.emplace_back();
    row.gains.emplace_back();
    if (peer.empty()) continue;
    row.peers.back() = quartiles_of(in_unit(subject.unit, peer, bytes)).median;
    row.gains.back() = quartiles_of(peer).median / quartiles_of(series.ours).median;
  }
  if (series.control.empty()) return row;
  row.control = quartiles_of(in_unit(subject.unit, series.control, bytes)).median;
  row.ratio = quartiles_of(ratios_of(series)).median;
  if (is_program(subject)) row.ratio = 1 / *row.ratio;
  return row;
}

std::vector<Row> rows_of(const Choices& choices, const std::vector<Series>& series) {
  std::vector<Row> rows;
  rows.reserve(series.size());
  for (const Series& one : series) rows.push_back(row_of(choices.subject, one));
  return rows;
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

// Returns "2 ranks", "2 to 16 ranks" or "hosts a:1,b:1".
std::string ranks_of(const Choices& choices) {
  if (!choices.hosts.empty()) return fmt::format("hosts {}", choices.hosts);
  const std::uint32_t fewest = choices.rank_counts().front();
  return fewest == choices.ranks ? fmt::format("{} ranks", choices.ranks)
                                 : fmt::format("{} to {} ranks", fewest, choices.ranks);
}

std::string titles(const Measured& measured, const std::string& operation) {
  const Choices& choices = measured.choices;
  const Subject& subject = choices.subject;
  const std::string what = has_numbers(subject) ? fmt::format(": {}", operation) : "";
  std::string text = fmt::format("# {} {}{}, {}, medians of {} rounds\n", name_of(choices.door),
                                 subject.title, what, ranks_of(choices), choices.rounds);
  for (std::size_t peer = 0; peer < measured.peers.size(); ++peer)
    text += fmt::format("# {}: {}\n", choices.peers[peer].key, measured.peers[peer]);
  text += fmt::format("{:<14}{:>16}{:>12}{:>12}{:>12}{:>10}", title_of(subject.axis),
                      name_of(subject.unit), "25%", "75%", "Control",
                      is_program(subject) ? "Speed-up" : "Ratio");
  for (const Peer& peer : choices.peers) text += fmt::format("{:>14}{:>10}", peer.key, "/ours");
  return text + '\n';
}

std::string to_table(const Measured& measured) {
  const Choices& choices = measured.choices;
  const std::vector<Row> rows = rows_of(choices, measured.series);
  std::string text;
  std::string operation;
  for (const Row& row : rows) {
    if (text.empty() || (has_numbers(choices.subject) && row.series->operation != operation)) {
      operation = row.series->operation;
      text += (text.empty() ? "" : "\n") + titles(measured, operation);
    }
    text +=
        fmt::format("{:<14}{:>16.4f}{:>12.4f}{:>12.4f}{:>12}{:>10}", row.label, row.ours.median,
                    row.ours.lower, row.ours.upper, number(row.control, 4), number(row.ratio, 2));
    for (std::size_t peer = 0; peer < choices.peers.size(); ++peer)
      text += fmt::format("{:>14}{:>10}", number(at(row.peers, peer), 4),
                          number(at(row.gains, peer), 2));
    text += '\n';
  }
  return text;
}

// OSU's programs print a table for each operation and library.
std::string osu_block(const Subject& subject, std::string_view library,
                      const std::vector<const Series*>& rows, std::size_t side) {
  std::string text;
  for (const Series* series : rows) {
    const bool is_ours = side == 0;
    if (!is_ours && (series->peers.size() < side || series->peers[side - 1].empty())) continue;
    const std::vector<double>& ns = is_ours ? series->ours : series->peers[side - 1];
    const std::string label =
        has_numbers(subject) ? fmt::to_string(series->bytes) : series->operation;
    text += fmt::format("{:<10}{:>20.4f}\n", label,
                        quartiles_of(in_unit(subject.unit, ns, series->bytes)).median);
  }
  if (text.empty()) return text;
  const std::string operation =
      has_numbers(subject) ? fmt::format(" {}", rows.front()->operation) : "";
  return fmt::format("# {} {}{} {} Test\n{:<10}{:>20}\n{}", library, subject.name, operation,
                     names_of(subject.unit).quantity, title_of(subject.axis), name_of(subject.unit),
                     text);
}

std::string to_osu(const Measured& measured) {
  const Subject& subject = measured.choices.subject;
  std::vector<std::string> blocks;
  for (auto begin = measured.series.begin(); begin != measured.series.end();) {
    const auto end = std::find_if(begin, measured.series.end(), [&](const Series& one) {
      return has_numbers(subject) && one.operation != begin->operation;
    });
    std::vector<const Series*> rows;
    for (; begin != end; ++begin) rows.push_back(&*begin);
    const std::string ours = fmt::format("Gondwana {}", name_of(measured.choices.door));
    for (std::size_t side = 0; side <= measured.peers.size(); ++side)
      if (std::string block =
              osu_block(subject, side == 0 ? ours : measured.peers[side - 1], rows, side);
          !block.empty())
        blocks.push_back(std::move(block));
  }
  return fmt::format("{}", fmt::join(blocks, "\n"));
}

constexpr std::string_view csv_titles =
    "subject,door,operation,ranks,bytes,unit,median,25%,75%,control,ratio";

// The keys of all peers.
std::vector<std::string> keys_of(const std::vector<Measured>& all) {
  std::vector<std::string> keys;
  for (const Measured& measured : all)
    for (const Peer& peer : measured.choices.peers)
      if (std::ranges::find(keys, peer.key) == keys.end()) keys.push_back(peer.key);
  return keys;
}

// Empty if there is no value.
std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

std::string to_csv(const Measured& measured, const std::vector<std::string>& keys) {
  const Choices& choices = measured.choices;
  const Subject& subject = choices.subject;
  const std::vector<Row> rows = rows_of(choices, measured.series);
  std::string text;
  for (const Row& row : rows) {
    const std::string number = fmt::to_string(row.series->bytes);
    const bool is_of_ranks = subject.axis == Axis::ranks;
    text += fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{}", subject.name,
                        name_of(choices.door), row.series->operation, is_of_ranks ? number : "",
                        is_of_ranks ? "" : number, names_of(subject.unit).symbol, row.ours.median,
                        row.ours.lower, row.ours.upper, cell(row.control), cell(row.ratio));
    for (const std::string& key : keys) {
      const auto peer = std::ranges::find(choices.peers, key, &Peer::key);
      const auto place = static_cast<std::size_t>(peer - choices.peers.begin());
      text += fmt::format(",{},{}", cell(at(row.peers, place)), cell(at(row.gains, place)));
    }
    text += '\n';
  }
  return text;
}

std::string all_in_csv(const std::vector<Measured>& all) {
  const std::vector<std::string> keys = keys_of(all);
  std::string text(csv_titles);
  for (const std::string& key : keys) text += fmt::format(",{0},{0}/ours", key);
  text += '\n';
  for (const Measured& measured : all) text += to_csv(measured, keys);
  return text;
}

Json numbers_of(const std::vector<double>& times) {
  Json list = Json::array();
  for (const double time : times) list.push_back(rounded(time));
  return list;
}

Json series_in_json(const Choices& choices, const Series& series) {
  const Subject& subject = choices.subject;
  const std::string unit = subject.unit == Unit::kibibytes ? "bytes" : "ns";
  Json object{{"operation", series.operation},
              {subject.axis == Axis::ranks ? "ranks" : "bytes", series.bytes}};
  object["ours_" + unit] = numbers_of(series.ours);
  object["control_" + unit] = numbers_of(series.control);
  for (std::size_t peer = 0; peer < series.peers.size(); ++peer)
    object[fmt::format("{}_{}", choices.peers[peer].key, unit)] = numbers_of(series.peers[peer]);
  return object;
}

}  // namespace

std::string to_json(const Measured& measured) {
  const Choices& choices = measured.choices;
  const Subject& subject = choices.subject;
  Json all = Json::array();
  for (const Series& series : measured.series) all.push_back(series_in_json(choices, series));
  Json peers = Json::array();
  for (std::size_t peer = 0; peer < measured.peers.size(); ++peer)
    peers.push_back({{"key", choices.peers[peer].key}, {"name", measured.peers[peer]}});
  const UnitName unit = names_of(subject.unit);
  return to_text(Json{{"version", GONDWANA_VERSION},
                      {"subject", subject.name},
                      {"title", subject.title},
                      {"door", name_of(choices.door)},
                      {"job", ranks_of(choices)},
                      {"quantity", unit.quantity},
                      {"unit", unit.symbol},
                      {"control", subject.control},
                      {"peers", peers},
                      {"rounds", choices.rounds},
                      {"series", all}});
}

std::string report(const std::vector<Measured>& all) {
  if (all.front().choices.format == Format::csv) return all_in_csv(all);
  std::vector<std::string> texts;
  const auto add = [&](std::string (*text_of)(const Measured&), std::string_view between) {
    for (const Measured& measured : all) texts.push_back(text_of(measured));
    return fmt::format("{}", fmt::join(texts, between));
  };
  switch (all.front().choices.format) {
    case Format::osu:
      return add(&to_osu, "\n");
    case Format::json:
      return all.size() == 1 ? to_json(all.front()) : fmt::format("[{}]\n", add(&to_json, ",\n"));
    default:
      return add(&to_table, "\n");
  }
}

}  // namespace gondwana::bench
