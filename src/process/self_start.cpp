#include "process/self_start.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "bootstrap/started_by.hpp"
#include "core/variable_kinds.hpp"
#include "process/library_presence.hpp"

// A symbol of the GASNet-EX door. In a statically linked program it shows whether the door is part
// of it.
extern "C" {
[[gnu::weak]] extern const volatile int gondwana_gasnet_abi_2;
}

namespace gondwana {
namespace {

namespace fs = std::filesystem;

constexpr auto pshm_nodes = "GASNET_PSHM_NODES";
constexpr auto door = "libgondwana_gasnet.so";

// The launcher of this process or of one of its ancestors. A launcher that started a single
// process, for instance an interactive shell, does not count.
bool has_launcher(const Environment& environment) {
  for (const char* name :
       {protocol::join_fd_variable, "GONDWANA_RANK", protocol::joined_variable, "GONDWANA_MEET"})
    if (environment(name) != nullptr) return true;
  const StartedBy by = find_launcher(environment);
  const StartedBy none = find_launcher([](const char*) { return nullptr; });
  const bool is_counted = by.launcher != none.launcher;
  return by.claim || (by.has_pmix && !is_counted);
}

// The file that contains this code: the library, or the program that links it.
fs::path own_file(const fs::path& program) {
  Dl_info place{};
  const bool is_known = ::dladdr(reinterpret_cast<const void*>(&become_ranks), &place) != 0;
  if (!is_known || place.dli_fname == nullptr || *place.dli_fname == '\0') return program;
  std::error_code failure;
  const fs::path file = fs::canonical(place.dli_fname, failure);
  return failure ? program : file;
}

LibraryPresence presence_of_door(const fs::path& program) {
  if (own_file(program) != program) return presence_of(door);
  return &gondwana_gasnet_abi_2 != nullptr ? LibraryPresence::needed : LibraryPresence::absent;
}

// As the caller wrote it, if that path finds it again: programs print this name.
std::string name_of(const fs::path& program, std::string_view first_word) {
  std::error_code ignored;
  const bool has_folder = first_word.find('/') != std::string_view::npos;
  return has_folder && fs::equivalent(first_word, program, ignored) ? std::string(first_word)
                                                                    : program.string();
}

Result<std::vector<std::string>> command_for(std::uint32_t ranks, const fs::path& program,
                                             std::span<char* const> words) {
  std::vector<std::string> command{"gondwana", "run", "-n", std::to_string(ranks), "--"};
  command.push_back(name_of(program, words[0]));
  command.insert(command.end(), words.begin() + 1, words.end());
  if (std::ranges::find(command, ":") != command.end())
    return Error{Errc::refused,
                 fmt::format("{}={}: `gondwana run` would interpret the argument \":\" as the end "
                             "of the program's arguments; start the program in a script",
                             pshm_nodes, ranks)};
  return command;
}

// The possible places of the command: the one installed with the library first, then the one of a
// build.
std::array<std::string, 2> places(const fs::path& program) {
  const fs::path folder = own_file(program).parent_path();
  return {(folder / GONDWANA_COMMAND).lexically_normal(),
          (folder / "../tools/gondwana/gondwana").lexically_normal()};
}

// GASNet forks the ranks of a machine, so functions and tables have the same addresses in all of
// them. Some clients pass such addresses on. If a container forbids it, the other clients still
// work.
void ask_for_same_addresses() {
  constexpr unsigned long only_tell = 0xffffffff;
  const int present = ::personality(only_tell);
  if (present >= 0) ::personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE);
}

// Returns only on failure, with the error of the last place.
int become(std::vector<std::string> command, const fs::path& program) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ask_for_same_addresses();
  for (const std::string& place : places(program)) ::execv(place.c_str(), words.data());
  ::execvp("gondwana", words.data());
  return errno;
}

}  // namespace

Result<std::uint32_t> ranks_to_become(const Environment& environment) {
  const Variable& row = variable(VariableId::gasnet_pshm_nodes);
  const Setting asked = setting_of(row, environment);
  if (asked.is_default() || has_launcher(environment)) return 1U;
  const Result<std::uint64_t> ranks = kinds::read_number(row, asked.value);
  if (!ranks) return Error{ranks.error().code, fmt::format("{} {}", row.name, ranks.error().text)};
  return static_cast<std::uint32_t>(*ranks);
}

Result<void> become_ranks(std::span<char* const> words, const Environment& environment) {
  if (environment(pshm_nodes) == nullptr) return {};
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  const LibraryPresence presence = presence_of_door(program);
  if (words.empty() || failure || presence == LibraryPresence::absent) return {};
  const Result<std::uint32_t> ranks = ranks_to_become(environment);
  if (!ranks) return ranks.error();
  if (*ranks == 1) return {};
  if (presence == LibraryPresence::extra)
    return Error{Errc::refused,
                 fmt::format("{}={}: {} is not linked with {} but loaded it later, when it was too "
                             "late to start ranks; start them with `gondwana run -n {}`",
                             pshm_nodes, *ranks, program.string(), door, *ranks)};
  const Result<std::vector<std::string>> command = command_for(*ranks, program, words);
  if (!command) return command.error();
  const int number = become(*command, program);
  return Error{Errc::missing,
               fmt::format("{}={}: the command gondwana, which starts ranks, is neither {} nor in "
                           "PATH ({}); install it there, or start the program with `gondwana run`",
                           pshm_nodes, *ranks, places(program).front(), std::strerror(number))};
}

}  // namespace gondwana
