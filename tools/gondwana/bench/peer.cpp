#include "bench/peer.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp and setenv are of POSIX

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "bench/output_of.hpp"

namespace gondwana::bench {
namespace {

namespace fs = std::filesystem;

// What Open MPI needs as root and for more ranks than processors, unless the user has set it.
// Debian's crashes in OpenSHMEM programs with its component rdma.
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

Result<std::string> make_folder() {
  std::error_code failure;
  std::string folder = (fs::temp_directory_path(failure) / "gondwana-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) != nullptr) return folder;
  return Error{Errc::refused, fmt::format("{}: no folder for the program of the peer: {}", folder,
                                          std::strerror(errno))};
}

}  // namespace

Result<PeerCommands> parse_peer(std::string_view text) {
  PeerCommands commands;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part.starts_with("oshcc=")) commands.compiler = part.substr(part.find('=') + 1);
    if (part.starts_with("oshrun=")) commands.launcher = part.substr(part.find('=') + 1);
  }
  if (!commands.compiler.empty() && !commands.launcher.empty()) return commands;
  return Error{Errc::invalid_argument,
               fmt::format("--peer \"{}\": expected its compiler and launcher, such as "
                           "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun",
                           text)};
}

PeerProgram::PeerProgram(std::string folder, std::string launcher, std::string_view name)
    : folder_(std::move(folder)), launcher_(std::move(launcher)), name_(name) {}

PeerProgram::PeerProgram(PeerProgram&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      launcher_(std::move(other.launcher_)),
      name_(std::move(other.name_)) {}

PeerProgram::~PeerProgram() {
  std::error_code failure;
  if (!folder_.empty()) fs::remove_all(folder_, failure);
}

std::string PeerProgram::path() const {
  return folder_ + '/' + name_;
}

Result<PeerProgram> PeerProgram::build(const PeerCommands& commands, const std::string& sources,
                                       std::string_view name) {
  const Result<std::string> folder = make_folder();
  if (!folder) return folder.error();
  PeerProgram program(*folder, commands.launcher, name);
  const std::string source = fmt::format("{}/user/{}.c", sources, name);
  const Result<std::string> compiled =
      output_of({commands.compiler, "-std=gnu11", "-O2", "-o", program.path(), source});
  if (!compiled) return compiled.error();
  set_open_mpi_variables();
  return program;
}

std::vector<std::string> PeerProgram::job(std::uint32_t ranks) const {
  return {launcher_, "-n", fmt::to_string(ranks), path()};
}

}  // namespace gondwana::bench
