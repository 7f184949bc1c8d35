#include "json.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "tables.hpp"

namespace gondwana::profile {
namespace {

Json calls_of(const RankCounts& rank) {
  Json calls = Json::array();
  for (std::size_t number = 0; number < call_names.size(); ++number) {
    const std::uint64_t* cell = rank.words.data() + number * words_per_call;
    if (cell[0] == 0) continue;
    const double nanoseconds = static_cast<double>(cell[1]) * rank.nanoseconds_per_tick;
    calls.push_back({call_names[number], cell[0], std::llround(nanoseconds), cell[2]});
  }
  return calls;
}

Json row_of(const RankCounts& rank, Traffic kind, std::size_t peers) {
  const std::uint64_t* row =
      rank.words.data() + table_words(0) + static_cast<std::size_t>(kind) * peers;
  Json entries = Json::array();
  for (std::size_t peer = 0; peer < peers; ++peer)
    if (row[peer] > 0) entries.push_back({peer, row[peer]});
  return entries;
}

void add_devices(const DeviceBytes& all, Json& object) {
  Json kinds = Json::array();
  for (const DeviceBytes::Kind& kind : all.kinds)
    if (kind.to + kind.from > 0) kinds.push_back({kind.name.data(), kind.to, kind.from});
  if (kinds.empty()) return;
  object["devices"] = std::move(kinds);
  object["bounced"] = all.bounced;
}

std::string to_line(const RankCounts& rank, std::size_t peers) {
  constexpr std::array<std::pair<const char*, Traffic>, traffic_kinds> kinds{
      {{"put", Traffic::put},
       {"get", Traffic::get},
       {"atomic", Traffic::atomic},
       {"message", Traffic::message}}};
  constexpr bool throws = false;
  Json object{{"host", rank.host},
              {"node_leader", rank.node_leader},
              {"seconds", rank.seconds},
              {"calls", calls_of(rank)}};
  for (const auto& [name, kind] : kinds) object[name] = row_of(rank, kind, peers);
  add_devices(rank.devices, object);
  const Json details = Json::parse(rank.details, nullptr, throws);
  if (details.is_object()) object.update(details);
  return gondwana::to_line(object);
}

}  // namespace

std::string Tables::own_details(double nanoseconds_per_tick) {
  Json details = paths.as_json(nanoseconds_per_tick);
  Json passed = regions.as_json(nanoseconds_per_tick);
  if (!passed.empty()) details["regions"] = std::move(passed);
  return gondwana::to_line(details);
}

std::string as_json(const Report& report) {
  // Writes one rank at a time, because the tree of a large job would take much memory.
  std::string text = gondwana::to_line({{"format", "gondwana profile 1"},
                                        {"title", report.title},
                                        {"has_matrix", report.peers > 0},
                                        {"of_threads", report.of_threads}});
  text.back() = ',';
  text += "\n\"ranks\":[";
  for (const RankCounts& rank : report.ranks) {
    if (text.back() != '[') text += ",\n";
    text += to_line(rank, report.peers);
  }
  return text + "]}\n";
}

}  // namespace gondwana::profile
