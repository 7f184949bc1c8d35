// The actions of a program in words.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "simulation/engine/program.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::array<std::string_view, 26> names{
    "put",          "put_nbi",    "put_word",       "put_words",      "put_strided",
    "put_blocks",   "put_signal", "put_signal_nbi", "put_flag",       "get",
    "get_nbi",      "get_words",  "get_strided",    "fence",          "quiet",
    "add",          "fetch_add",  "fetch_add_nbi",  "toggle",         "swap",
    "compare_swap", "accumulate", "request_short",  "request_medium", "request_long",
    "count_locked"};

constexpr std::array<std::string_view, 6> collectives{"nothing",   "sum",      "fcollect",
                                                      "broadcast", "alltoall", "sync"};

std::string words_of(const Action& action) {
  if (action.act == Act::compute) return fmt::format("compute {} ns", action.value);
  const std::string_view name = names.at(static_cast<std::size_t>(action.act));
  if (action.act == Act::fence || action.act == Act::quiet || action.act == Act::count_locked)
    return std::string(name);
  std::string text = fmt::format("{} {}", name, action.pe);
  if (action.size > 0) text += fmt::format(", {} bytes", action.size);
  if (action.act >= Act::get && action.act <= Act::get_strided)
    text += fmt::format(" of rank {}", action.writer);
  if (action.offset > 0) text += fmt::format(" at {}", action.offset);
  return text;
}

}  // namespace

std::string list_actions(const Program& program) {
  std::string text;
  for (std::size_t number = 0; number < program.phases.size(); ++number) {
    const Phase& phase = program.phases[number];
    text += fmt::format("phase {}, with {}{} in the end:\n", number,
                        collectives.at(static_cast<std::size_t>(phase.together)),
                        phase.in_team ? " of a team" : "");
    for (std::size_t rank = 0; rank < phase.actions.size(); ++rank) {
      if (phase.actions[rank].empty()) continue;
      text += fmt::format("  rank {}:", rank);
      for (const Action& action : phase.actions[rank]) text += " " + words_of(action) + ";";
      text += "\n";
    }
  }
  return text;
}

}  // namespace gondwana::simulation
