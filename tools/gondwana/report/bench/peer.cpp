#include "report/bench/peer.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is of POSIX

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "report/bench/output_of.hpp"

namespace gondwana::bench {
namespace {

// Settings that Open MPI needs as root and with more ranks than processors, unless the user has set
// them. Debian's Open MPI crashes in OpenSHMEM programs with its component rdma.
void set_open_mpi_variables() {
  constexpr std::array<std::array<const char*, 2>, 5> variables{{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"OMPI_MCA_osc", "^rdma"},
  }};
  for (const auto& [name, value] : variables) ::setenv(name, value, 0);
}

std::string name_of(const PeerCommands& commands) {
  const Result<std::string> version = output_of({commands.launcher, "--version"});
  const std::string line = version ? version->substr(0, version->find('\n')) : "";
  return line.empty() ? commands.launcher : line;
}

}  // namespace

Result<PeerCommands> parse_peer(std::string_view text) {
  PeerCommands commands;
  bool is_clear = true;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string_view path = part.substr(part.find('=') + 1);
    if (part.starts_with("oshcc="))
      commands.compiler = path;
    else if (part.starts_with("oshrun="))
      commands.launcher = path;
    else
      is_clear = false;
  }
  if (is_clear && !commands.compiler.empty() && !commands.launcher.empty()) return commands;
  return Error{Errc::invalid_argument,
               fmt::format("--peer \"{}\": expected its compiler and launcher, such as "
                           "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun",
                           text)};
}

Result<PeerPrograms> PeerPrograms::prepare(const PeerCommands& commands, std::string sources) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  set_open_mpi_variables();
  return PeerPrograms(commands, std::move(sources), name_of(commands), *std::move(folder));
}

Result<std::string> PeerPrograms::program(std::string_view name) const {
  std::string path = fmt::format("{}/{}", folder_.path(), name);
  std::error_code failure;
  if (std::filesystem::exists(path, failure)) return path;
  const std::string source = fmt::format("{}/user/{}.c", sources_, name);
  const Result<std::string> compiled =
      output_of({commands_.compiler, "-std=gnu11", "-O2", "-o", path, source});
  if (!compiled) return compiled.error();
  return path;
}

std::vector<std::string> PeerPrograms::job(const std::string& program, std::uint32_t ranks,
                                           const std::string& hosts) const {
  std::vector<std::string> words{commands_.launcher, "-n", fmt::to_string(ranks)};
  if (!hosts.empty()) words.insert(words.end(), {"--host", hosts});
  words.push_back(program);
  return words;
}

}  // namespace gondwana::bench
