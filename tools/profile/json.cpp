#include "json.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/json_text.hpp"

namespace gondwana::profile {
namespace {

// Appends `item` to the contents of a list or an object.
void append(std::string& inside, const std::string& item) {
  if (!inside.empty()) inside += ",\n";
  inside += item;
}

std::string calls_of(const RankCounts& rank) {
  std::string calls;
  for (std::size_t number = 0; number < call_names.size(); ++number) {
    const std::uint64_t* cell = rank.words.data() + number * words_per_call;
    if (cell[0] == 0) continue;
    const double nanoseconds = static_cast<double>(cell[1]) * rank.nanoseconds_per_tick;
    append(calls, fmt::format(R"(["{}",{},{:.0f},{}])", call_names[number], cell[0], nanoseconds,
                              cell[2]));
  }
  return calls;
}

std::string row_of(const RankCounts& rank, Traffic kind, std::size_t peers) {
  const std::uint64_t* row =
      rank.words.data() + table_words(0) + static_cast<std::size_t>(kind) * peers;
  std::string entries;
  for (std::size_t peer = 0; peer < peers; ++peer)
    if (row[peer] > 0) append(entries, fmt::format("[{},{}]", peer, row[peer]));
  return entries;
}

std::string traffic_of(const RankCounts& rank, std::size_t peers) {
  constexpr std::array<std::pair<std::string_view, Traffic>, traffic_kinds> kinds{
      {{"put", Traffic::put},
       {"get", Traffic::get},
       {"atomic", Traffic::atomic},
       {"message", Traffic::message}}};
  std::string rows;
  for (const auto& [name, kind] : kinds)
    append(rows, fmt::format(R"("{}":[{}])", name, row_of(rank, kind, peers)));
  return rows;
}

std::string rank_as_json(const RankCounts& rank, std::size_t peers) {
  return fmt::format(R"({{"host":{},"node_leader":{},"seconds":{:.9f},)"
                     "\n\"calls\":[{}],\n{}{}{}{}}}",
                     json_text(rank.host), rank.node_leader, rank.seconds, calls_of(rank),
                     traffic_of(rank, peers), as_json(rank.devices),
                     rank.paths.empty() ? "" : ",\n", rank.paths);
}

}  // namespace

std::string as_json(const Report& report) {
  std::string ranks;
  for (const RankCounts& rank : report.ranks) append(ranks, rank_as_json(rank, report.peers));
  return fmt::format(
      "{{\"format\":\"gondwana profile 1\",\"title\":{},\"has_matrix\":{},\"of_threads\":{},\n"
      "\"ranks\":[{}]}}\n",
      json_text(report.title), report.peers > 0, report.of_threads, ranks);
}

}  // namespace gondwana::profile
