#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/new_file.hpp"
#include "json.hpp"

namespace gondwana::profile {
namespace {

struct Line {
  std::string_view call;
  std::uint64_t calls = 0;
  double nanoseconds = 0;
  std::uint64_t bytes = 0;

  void add(const Line& other) {
    calls += other.calls;
    nanoseconds += other.nanoseconds;
    bytes += other.bytes;
  }
};

Line line_of(const RankCounts& rank, std::size_t number) {
  const std::uint64_t* cell = rank.words.data() + number * words_per_call;
  const double nanoseconds = static_cast<double>(cell[1]) * rank.nanoseconds_per_tick;
  return {call_names[number], cell[0], nanoseconds, cell[2]};
}

std::vector<Line> sum_of_ranks(const Report& report) {
  std::vector<Line> lines;
  for (std::size_t number = 0; number < call_names.size(); ++number) {
    Line line{call_names[number]};
    for (const RankCounts& rank : report.ranks) line.add(line_of(rank, number));
    if (line.calls > 0) lines.push_back(line);
  }
  std::ranges::sort(lines, {},
                    [](const Line& line) { return std::pair(-line.nanoseconds, line.call); });
  return lines;
}

// The doors that the calls in `lines` belong to.
std::string_view doors_of(const std::vector<Line>& lines) {
  constexpr std::array<std::string_view, 8> names{
      "OpenSHMEM", "OpenSHMEM",           "GASNet-EX",           "OpenSHMEM and GASNet-EX",
      "ARMCI",     "OpenSHMEM and ARMCI", "GASNet-EX and ARMCI", "OpenSHMEM, GASNet-EX and ARMCI"};
  std::size_t doors = 0;  // one bit for each door
  for (const Line& line : lines) {
    const auto number =
        static_cast<std::size_t>(std::ranges::find(call_names, line.call) - call_names.begin());
    doors |= number < first_gasnet_call ? 1U : number < first_armci_call ? 2U : 4U;
  }
  return names[doors];
}

std::string table_line(const Line& line, double all_nanoseconds, std::size_t width) {
  const double mean = line.nanoseconds / static_cast<double>(line.calls);
  const double share = all_nanoseconds > 0 ? 100 * line.nanoseconds / all_nanoseconds : 0;
  return fmt::format("  {:{}} {:>12} {:>10} {:>10} {:>16} {:>6.1f} %\n", line.call, width,
                     line.calls, duration(line.nanoseconds), duration(mean), line.bytes, share);
}

Line total(const std::vector<Line>& lines) {
  Line all{"all"};
  for (const Line& line : lines) all.add(line);
  return all;
}

std::string table(const std::vector<Line>& lines) {
  if (lines.empty()) return "  no calls were counted\n";
  const Line all = total(lines);
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.call.size());
  std::string text = fmt::format("  {:{}} {:>12} {:>10} {:>10} {:>16} {:>8}\n", "call", width,
                                 "calls", "time", "mean", "bytes", "share");
  for (const Line& line : lines) text += table_line(line, all.nanoseconds, width);
  return text + table_line(all, all.nanoseconds, width);
}

DeviceBytes devices_of(const Report& report) {
  DeviceBytes all{};
  for (const RankCounts& rank : report.ranks) all.add(rank.devices);
  return all;
}

// The bytes that the rank has sent to, or fetched from, each peer.
const std::uint64_t* traffic(const RankCounts& rank, Traffic kind, std::size_t peers) {
  return rank.words.data() + table_words(0) + static_cast<std::size_t>(kind) * peers;
}

bool has_traffic(const Report& report, Traffic kind) {
  return std::ranges::any_of(report.ranks, [&](const RankCounts& rank) {
    const std::uint64_t* row = traffic(rank, kind, report.peers);
    return std::any_of(row, row + report.peers, [](std::uint64_t bytes) { return bytes > 0; });
  });
}

std::string matrix(const Report& report, Traffic kind, std::string_view title) {
  if (report.peers == 0 || !has_traffic(report, kind)) return "";
  std::string text =
      fmt::format("{}, by the rank of the row, its peer in the column\n  {:>6}", title, "");
  for (std::size_t peer = 0; peer < report.peers; ++peer) text += fmt::format(" {:>12}", peer);
  int number = report.first_rank;
  for (const RankCounts& rank : report.ranks) {
    text += fmt::format("\n  {:>6}", number++);
    const std::uint64_t* row = traffic(rank, kind, report.peers);
    for (std::size_t peer = 0; peer < report.peers; ++peer)
      text += fmt::format(" {:>12}", row[peer]);
  }
  return text + "\n";
}

std::string calls_as_csv(const Report& report) {
  std::string text = "rank,call,calls,time_ns,bytes\n";
  int number = report.first_rank;
  for (const RankCounts& rank : report.ranks) {
    for (std::size_t call = 0; call < call_names.size(); ++call) {
      const Line line = line_of(rank, call);
      if (line.calls == 0) continue;
      text += fmt::format("{},{},{},{:.0f},{}\n", number, line.call, line.calls, line.nanoseconds,
                          line.bytes);
    }
    ++number;
  }
  return text;
}

std::string matrix_as_csv(const Report& report) {
  std::string text = "rank,peer,put_bytes,get_bytes,atomic_bytes,message_bytes\n";
  int number = report.first_rank;
  for (const RankCounts& rank : report.ranks) {
    const std::uint64_t* put = traffic(rank, Traffic::put, report.peers);
    const std::uint64_t* get = traffic(rank, Traffic::get, report.peers);
    const std::uint64_t* atomic = traffic(rank, Traffic::atomic, report.peers);
    const std::uint64_t* message = traffic(rank, Traffic::message, report.peers);
    for (std::size_t peer = 0; peer < report.peers; ++peer)
      text += fmt::format("{},{},{},{},{},{}\n", number, peer, put[peer], get[peer], atomic[peer],
                          message[peer]);
    ++number;
  }
  return text;
}

Result<void> write(const std::string& path, const std::string& text) {
  if (const Result<void> written = write_file(path, text); !written)
    return Error{Errc::refused,
                 fmt::format("cannot write SHMEM_PROFILE_FILE {}: {}", path, written.error().text)};
  return {};
}

}  // namespace

std::string duration(double nanoseconds) {
  constexpr std::array<const char*, 4> units{"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; nanoseconds >= 999.5 && unit + 1 < units.size(); ++unit) nanoseconds /= 1000;
  const int digits = nanoseconds < 9.995 ? 2 : nanoseconds < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", nanoseconds, digits, units[unit]);
}

std::string as_text(const Report& report) {
  const std::vector<Line> lines = sum_of_ranks(report);
  const double of_a_rank = total(lines).nanoseconds / static_cast<double>(report.ranks.size());
  return fmt::format("gondwana profile: {}; {} per rank in {}{}\n", report.title,
                     duration(of_a_rank), doors_of(lines),
                     report.of_threads ? ", of all its threads together" : "") +
         table(lines) + as_text(devices_of(report)) + matrix(report, Traffic::put, "bytes put") +
         matrix(report, Traffic::get, "bytes got") +
         matrix(report, Traffic::atomic, "bytes of atomics and signals") +
         matrix(report, Traffic::message, "bytes of active messages");
}

Result<void> write_report(const Report& report, const std::string& file) {
  if (file.ends_with(".json")) return write(file, as_json(report));
  if (const Result<void> written = write(file, calls_as_csv(report)); !written) return written;
  return report.peers > 0 ? write(file + ".matrix", matrix_as_csv(report)) : Result<void>();
}

}  // namespace gondwana::profile
