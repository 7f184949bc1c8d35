#include "front/gasnet/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/memory_limit.hpp"
#include "core/parse.hpp"

namespace gondwana::gasnet {
namespace {

const char* value_of(const SettingVariable& variable, const Environment& environment) {
  const char* text = environment(variable.name);
  return text != nullptr && *text != '\0' ? text : variable.otherwise;
}

Error about(const SettingVariable& variable, const Error& error) {
  return {error.code, fmt::format("{} {}", variable.name, error.text)};
}

// Whose limit it is where the text does not say.
Result<MemoryLimit> read_limit(const SettingVariable& variable, const Environment& environment,
                               LimitScope share) {
  Result<MemoryLimit> limit = parse_memory_limit(value_of(variable, environment), share);
  if (!limit) return about(variable, limit.error());
  return limit;
}

Result<std::uint64_t> read_number(const SettingVariable& variable, const Environment& environment,
                                  std::uint64_t least) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  Result<std::uint64_t> number = parse_number(value_of(variable, environment), least, most);
  if (!number) return about(variable, number.error());
  return number;
}

// Who starts the job reads it too, and makes nodes of as many processes as it says; our own
// variable goes before it. More on a node are those that were started without it.
Result<void> check_neighborhood(const Environment& environment, std::uint32_t processes) {
  const Result<std::uint64_t> most = read_number(neighborhood_setting, environment, 0);
  if (!most) return most.error();
  if (*most == 0 || *most >= processes || environment("GONDWANA_NODE_RANKS") != nullptr) return {};
  return Error{Errc::missing,
               fmt::format("{}={} wants a network between the {} processes of this node, which "
                           "were started without one; set it where the job is started and for "
                           "all ranks, or unset it",
                           neighborhood_setting.name, *most, processes)};
}

}  // namespace

Result<Settings> read_settings(const Environment& environment, std::uint32_t processes,
                               std::size_t memory) {
  const Result<MemoryLimit> segment = read_limit(segment_setting, environment, LimitScope::process);
  if (!segment) return segment.error();
  const Result<MemoryLimit> share = read_limit(memory_setting, environment, LimitScope::host);
  if (!share) return share.error();
  const Result<std::uint64_t> threads = read_number(threads_setting, environment, 1);
  if (!threads) return threads.error();
  if (const Result<void> done = check_neighborhood(environment, processes); !done)
    return done.error();
  const std::size_t largest =
      std::min(segment->for_each(processes, memory), share->for_each(processes, memory));
  return Settings{largest, *threads};
}

}  // namespace gondwana::gasnet
