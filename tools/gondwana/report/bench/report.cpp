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
  std::optional<double> control;  // median
  std::optional<double> ratio;    // median over rounds; for programs the speed-up
  std::optional<double> peer;     // median
  std::optional<double> gain;     // the peer's median time divided by ours
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

Row row_of(const Subject& subject, const Series& series) {
  const std::uint64_t bytes = series.bytes;
  Row row{has_numbers(subject) ? fmt::to_string(bytes) : series.operation,
          &series,
          quartiles_of(in_unit(subject.unit, series.ours, bytes)),
          {},
          {},
          {},
          {}};
  if (!series.peer.empty()) {
    row.peer = quartiles_of(in_unit(subject.unit, series.peer, bytes)).median;
    row.gain = quartiles_of(series.peer).median / quartiles_of(series.ours).median;
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

std::string titles(const Choices& choices, const std::string& operation) {
  const Subject& subject = choices.subject;
  const std::string what = has_numbers(subject) ? fmt::format(": {}", operation) : "";
  std::string text =
      fmt::format("# {} {}{}, {}, medians of {} rounds\n{:<14}{:>16}{:>12}{:>12}{:>12}{:>10}",
                  name_of(choices.door), subject.title, what, ranks_of(choices), choices.rounds,
                  title_of(subject.axis), name_of(subject.unit), "25%", "75%", "Control",
                  is_program(subject) ? "Speed-up" : "Ratio");
  if (!choices.peer.compiler.empty()) text += fmt::format("{:>12}{:>12}", "Peer", "Peer/ours");
  return text + '\n';
}

std::string to_table(const Choices& choices, const std::vector<Row>& rows) {
  std::string text;
  std::string operation;
  for (const Row& row : rows) {
    if (text.empty() || (has_numbers(choices.subject) && row.series->operation != operation)) {
      operation = row.series->operation;
      text += (text.empty() ? "" : "\n") + titles(choices, operation);
    }
    text +=
        fmt::format("{:<14}{:>16.4f}{:>12.4f}{:>12.4f}{:>12}{:>10}", row.label, row.ours.median,
                    row.ours.lower, row.ours.upper, number(row.control, 4), number(row.ratio, 2));
    if (!choices.peer.compiler.empty())
      text += fmt::format("{:>12}{:>12}", number(row.peer, 4), number(row.gain, 2));
    text += '\n';
  }
  return text;
}

constexpr std::string_view csv_titles =
    "subject,door,operation,ranks,bytes,unit,median,25%,75%,control,ratio,peer,peer/ours\n";

// Empty if there is no value.
std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

std::string to_csv(const Choices& choices, const std::vector<Row>& rows) {
  const Subject& subject = choices.subject;
  std::string text;
  for (const Row& row : rows) {
    const std::string number = fmt::to_string(row.series->bytes);
    const bool is_of_ranks = subject.axis == Axis::ranks;
    text += fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{},{},{}\n", subject.name,
                        name_of(choices.door), row.series->operation, is_of_ranks ? number : "",
                        is_of_ranks ? "" : number, names_of(subject.unit).symbol, row.ours.median,
                        row.ours.lower, row.ours.upper, cell(row.control), cell(row.ratio),
                        cell(row.peer), cell(row.gain));
  }
  return text;
}

Json series_in_json(const Subject& subject, const Series& series) {
  const std::string unit = subject.unit == Unit::kibibytes ? "bytes" : "ns";
  Json object{{"operation", series.operation},
              {subject.axis == Axis::ranks ? "ranks" : "bytes", series.bytes}};
  for (const auto& [name, times] :
       {std::pair("ours_", &series.ours), std::pair("control_", &series.control),
        std::pair("peer_", &series.peer)}) {
    Json& list = object[name + unit] = Json::array();
    for (const double time : *times) list.push_back(rounded(time));
  }
  return object;
}

std::string to_json(const Measured& measured) {
  const Choices& choices = measured.choices;
  const Subject& subject = choices.subject;
  Json all = Json::array();
  for (const Series& series : measured.series) all.push_back(series_in_json(subject, series));
  const UnitName unit = names_of(subject.unit);
  return to_text(Json{{"version", GONDWANA_VERSION},
                      {"subject", subject.name},
                      {"title", subject.title},
                      {"door", name_of(choices.door)},
                      {"job", ranks_of(choices)},
                      {"quantity", unit.quantity},
                      {"unit", unit.symbol},
                      {"control", subject.control},
                      {"peer", measured.peer},
                      {"rounds", choices.rounds},
                      {"series", all}});
}

}  // namespace

std::string report(const Measured& measured) {
  const std::vector<Row> rows = rows_of(measured.choices, measured.series);
  switch (measured.choices.format) {
    case Format::table:
      return to_table(measured.choices, rows);
    case Format::csv:
      return to_csv(measured.choices, rows);
    case Format::json:
      return to_json(measured);
  }
  return "";
}

std::string together(const std::vector<std::string>& reports, Format format) {
  if (format == Format::csv) return fmt::format("{}{}", csv_titles, fmt::join(reports, ""));
  if (reports.size() == 1) return reports.front();
  if (format == Format::json) return fmt::format("[{}]\n", fmt::join(reports, ",\n"));
  return fmt::format("{}", fmt::join(reports, "\n"));
}

}  // namespace gondwana::bench
